"""Values of a script as far as they are known before it runs.

Texts, numbers, lists, dicts and sets are Python's own. Blocks are those of `blocks.py`. What an
agent will say is a `Said`; what is made of that, or of the question, is `Unknown`.
"""

import ast
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from workers.core.scripts.blocks import Block

Value: TypeAlias = object
"""Any of: None, bool, int, float, str, list, tuple, dict, set, range, Block, Said, Unknown,
Function, Named."""

Held: TypeAlias = list[Value] | tuple[Value, ...] | dict[Value, Value] | set[Value]
HELD: Final = (list, tuple, dict, set)

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
    `may`: the blocks, functions, lists, tuples, dicts and sets that it may be. They are referred
    to, so what is changed later shows. `texts`: it may be a text. `shown`: its text as far as it is
    known. `said`: it is the text of this message."""

    calls: frozenset[int] = frozenset()
    may: "tuple[Value, ...]" = field(default=(), repr=False)  # which may lead on without end
    texts: bool = True
    shown: str = ""
    said: Said | None = None
    is_question: bool = False

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(one for one in self.may if isinstance(one, Block))

    @property
    def held(self) -> tuple[Held, ...]:
        return tuple(one for one in self.may if isinstance(one, HELD))


QUESTION = Unknown(shown="{question}", is_question=True)
BROKEN = Unknown()
"""What a faulty line leaves. What is made of it is no fault of its own."""
NOTHING = Unknown(texts=False)
"""What a list gives that holds nothing on any path: the line is never reached."""


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
    """What is in some values, with all that is in them: whether something is not known, the calls
    that it waits for, and the lines of blocks and functions. Raises TooLarge."""

    vague: bool = False
    calls: set[int] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    broken: bool = False
    parts: int = 0
    _chars: int = 0
    _seen: set[int] = field(default_factory=set)
    _inside: set[int] = field(default_factory=set)

    def add(self, value: Value, blurred: Mapping[int, Value]) -> None:
        stack = [value]
        while stack:
            one = stack.pop()
            self.parts += 1
            if isinstance(one, str):
                self._chars += len(one)
            elif isinstance(one, Unknown):
                self.vague = True
                if id(one) in self._seen:
                    continue
                self._seen.add(id(one))
                self.broken = self.broken or one is BROKEN
                self.calls |= one.calls
                stack += [each for each in one.may if id(each) not in self._seen]
                self._seen.update(map(id, one.may))
            elif isinstance(one, Said):
                self.vague = True
                self.calls.update(one.calls)
            elif isinstance(one, Block):
                self.lines.add(one.line)
            elif isinstance(one, Function):
                self.lines.add(one.node.lineno)
            elif isinstance(one, HELD):
                if id(one) in blurred:  # only what may have happened leads back to where it began
                    self.vague = True
                    if id(one) in self._inside:
                        continue
                    self._inside.add(id(one))
                stack += one
                stack += one.values() if isinstance(one, dict) else ()
            if self.parts + len(stack) > MOST_PARTS or self._chars > MOST_CHARS:
                raise TooLarge


def truth(value: Value, blurred: Mapping[int, Value]) -> bool | None:
    """As `if` reads it; None: not known."""
    if isinstance(value, Unknown) or id(value) in blurred:
        return None
    if isinstance(value, Said | Block | Function | Named):
        return True
    return bool(value)


def joined(values: Iterable[Value]) -> Value:
    """What can be said of a value that is one of these."""
    different = once(value for value in values if value is not NOTHING)
    if any(value is BROKEN for value in different):
        return BROKEN
    if len(different) <= 1:
        return different[0] if different else NOTHING
    calls: dict[int, None] = {}
    may: list[Value] = []
    texts = False
    for value in different:
        if isinstance(value, Said | Unknown):
            calls |= dict.fromkeys(value.calls)
        if isinstance(value, Unknown):
            may += value.may
        elif isinstance(value, (Block, Function, Named, *HELD)):
            may.append(value)
        texts = texts or isinstance(value, str | range) or getattr(value, "texts", False)
    if all(isinstance(value, Said) for value in different):
        return Said(tuple(calls))
    return Unknown(frozenset(calls), tuple(once(may)), texts)


def once(values: Iterable[Value]) -> list[Value]:
    """Each value once, in their order."""
    return [*{_identity(value): value for value in values}.values()]


def _identity(value: Value) -> Hashable:
    """Equal for values that are the same wherever they are used."""
    match value:
        case str() | int() | float() | None:
            return type(value), value
        case Said(calls=calls):
            return Said, calls
        case Function(node=node, scope=scope, defaults=defaults):
            return Function, node, scope, tuple(map(id, defaults))
        case Named(name=name):
            return Named, name
    return id(value)
