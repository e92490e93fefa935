"""Values of a script as far as they are known before it runs.

Texts, numbers, lists, dicts and sets are Python's own. Blocks are those of `blocks.py`. What an
agent will say is a `Said`; what is made of that, or of the question, is `Unknown`.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from workers.core.scripts.blocks import Block

Value: TypeAlias = object
"""Any of: None, bool, int, float, str, list, tuple, dict, set, range, Block, Said, Unknown,
Function, Named."""

MOST_PARTS = 20_000
MOST_CHARS = 200_000
"""Of a value with all that is in it."""


@dataclass(frozen=True, slots=True)
class Said:
    """The message of one of these calls. Calls are numbered from 1."""

    calls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """A value that waits for the question or a reply. `calls`: whose messages it is made of.
    `blocks`: it is one of these. `each`: what it holds, where it can be gone through. `shown`: its
    text as far as it is known. `said`: it is the text of this message."""

    calls: frozenset[int] = frozenset()
    blocks: tuple[Block, ...] = ()
    each: Value = None
    shown: str = ""
    said: Said | None = None
    is_question: bool = False


QUESTION = Unknown(shown="{question}", is_question=True)
BROKEN = Unknown()
"""What a faulty line leaves. What is made of it is no fault of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A function that the script did not write: a block's, a builtin, or deliver."""

    name: str


@dataclass(slots=True, eq=False)
class Scope:
    """The names of the script or of one call of a function. `own`: those that are never looked up
    outside."""

    names: dict[str, Value] = field(default_factory=dict)
    above: "Scope | None" = None
    own: frozenset[str] = frozenset()
    returned: list[Value] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A def or lambda of the script, with where it was made and its defaults."""

    node: ast.FunctionDef | ast.Lambda
    scope: Scope
    defaults: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


class TooLarge(Exception):
    """A value holds too much to go on with."""


@dataclass(slots=True)
class Contents:
    """What is in some values, with all that is in them: whether something is not known, and the
    calls that it waits for. Raises TooLarge."""

    vague: bool = False
    calls: set[int] = field(default_factory=set)
    broken: bool = False
    _parts: int = 0
    _chars: int = 0

    def add(self, value: Value, blurred: Mapping[int, Value]) -> None:
        stack = [value]
        while stack:
            one = stack.pop()
            self._parts += 1
            if isinstance(one, str):
                self._chars += len(one)
            elif isinstance(one, Unknown):
                self.vague = True
                self.broken = self.broken or one is BROKEN
                self.calls |= one.calls
            elif isinstance(one, Said):
                self.vague = True
                self.calls.update(one.calls)
            elif isinstance(one, list | tuple | set):
                self.vague = self.vague or id(one) in blurred
                stack += one
            elif isinstance(one, dict):
                self.vague = self.vague or id(one) in blurred
                stack += one
                stack += one.values()
            if self._parts + len(stack) > MOST_PARTS or self._chars > MOST_CHARS:
                raise TooLarge


def truth(value: Value, blurred: Mapping[int, Value]) -> bool | None:
    """As `if` reads it; None: not known."""
    if isinstance(value, Unknown) or id(value) in blurred:
        return None
    if isinstance(value, Said | Block | Function | Named):
        return True
    return bool(value)


def joined(values: Iterable[Value], blurred: Mapping[int, Value]) -> Value:
    """What can be said of a value that is one of these."""
    different: list[Value] = []
    for value in values:
        if not any(_same(value, other) for other in different):
            different.append(value)
    if len(different) == 1:
        return different[0]
    if different and all(isinstance(value, Said) for value in different):
        calls = (call for value in different if isinstance(value, Said) for call in value.calls)
        return Said(tuple(dict.fromkeys(calls)))
    contents = Contents()
    blocks: dict[Block, None] = {}
    each: list[Value] = []
    inside: frozenset[int] = frozenset()
    for value in different:
        contents.add(value, blurred)
        if isinstance(value, Block):
            blocks[value] = None
        elif isinstance(value, Unknown):
            blocks |= dict.fromkeys(value.blocks)
            each += [value.each] * (value.each is not None)
            inside |= value.calls if value.each is None else frozenset()
        elif isinstance(value, list | tuple | set | dict):
            each += value
    if each and inside:  # what an unknown value holds is made of the same messages
        each.append(Unknown(inside))
    inner = joined(each, blurred) if each else None
    return Unknown(frozenset(contents.calls), tuple(blocks), inner)


def _same(value: Value, other: Value) -> bool:
    if value is other:
        return True
    plain = str | int | float | Said | None
    return type(value) is type(other) and isinstance(value, plain) and value == other
