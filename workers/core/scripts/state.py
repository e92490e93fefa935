"""What an interpreter keeps: the trace, the problems, what is certain, and its bounds."""

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from workers.core.events.scripts import ScriptProblem
from workers.core.scripts import operations
from workers.core.scripts.blocks import Block
from workers.core.scripts.making import Makes
from workers.core.scripts.problems import MOST_PROBLEMS, excerpt
from workers.core.scripts.trace import Branch, Item
from workers.core.scripts.values import (
    BROKEN,
    HELD,
    NOTHING,
    Contents,
    Held,
    Said,
    Scope,
    Unknown,
    Value,
    joined,
    once,
    truth,
)

H = TypeVar("H", bound=Held)

MOST_STEPS = 20_000
PARTS_OF_A_STEP = 100
"""Looking through this many values counts as one step."""
EXPRESSIONS_OF_A_STEP = 50
"""And so does computing this many expressions."""
MOST_DRAWN = 512
"""Agents in all blocks that are asked, each as often as it stands there."""
MOST_ASKS = 500
MOST_DEPTH = 24
"""Functions that call each other."""
MOST_PASSES = 12
INNER_PASSES = 2
"""How often a loop is gone through that may go on for ever, and one inside such a loop."""

MOST_SETTLING = 5
"""How often it is gone through once more with all that the passes may have left."""
MOST_TWICE = 64
"""From here on, a list of which only what may be inside is known holds each thing once."""


MOST_READ = 5_000
"""Messages that are read in all calls together, and edges of a drawing."""


class Stop(Exception):
    """The script can't be gone through further."""


class Delivered(Exception):
    """Every path has delivered."""


@dataclass(slots=True)
class Loop:
    """A loop that is gone through: the names where it was left, where it came to its own end,
    and where a pass was cut short."""

    line: int
    left: list[dict[str, Value]] = field(default_factory=list)
    ended: list[dict[str, Value]] = field(default_factory=list)
    skipped: list[dict[str, Value]] = field(default_factory=list)
    unsure: bool = False


TOO_DEEP = (
    "too_deep",
    "Functions call each other, or values hold each other, without end.",
    "Write a loop instead of a function that calls itself.",
)
TOO_LARGE = (
    "too_large",
    "A text, a list or a number becomes too large.",
    "Make it smaller. A team has at most 64 agents.",
)


class State:
    """What is done while a script is gone through. Each part of the interpreter adds to it."""

    def __init__(self, tools: Collection[str] | None) -> None:
        self.items: list[Item] = []
        self.problems: list[ScriptProblem] = []
        self.makes = Makes(tools)
        self.safe = True
        """Whether nothing is computed with a reply that some reply would make fail."""
        self._asks = 0
        self._asked: dict[int, tuple[int, int]] = {}
        self._asked_blocks: dict[Block, int] = {}
        """With how many agents each holds."""
        self._read = 0
        self._steps = 0.0
        self._shown: dict[ast.expr, str] = {}
        self._depth = 0
        self._doubt = 0
        self._endless = 0
        self._line = 1
        self._into = self.items
        self._loops: list[Loop] = []
        self._blurred: dict[int, Value] = {}
        self._locals: dict[int, frozenset[str]] = {}

    def _problem(self, code: str, message: str, remedy: str, line: int | None = -1) -> None:
        line = self._line if line == -1 else line
        found = ScriptProblem(code=code, message=message, remedy=remedy, line=line)
        if found not in self.problems:
            self.problems.append(found)
        if len(self.problems) >= MOST_PROBLEMS:
            raise Stop

    def _step(self, cost: float = 1) -> None:
        self._steps += cost
        if self._steps > MOST_STEPS:
            self._problem(
                "never_ends",
                f"The script takes more than {MOST_STEPS:,} steps.",
                "Let the loop end: count its passes, or use for … in range(3).",
                self._loops[0].line if self._loops else self._line,
            )
            raise Stop

    @contextmanager
    def _unsure(self, into: list[Item]) -> Iterator[None]:
        """What is done inside may or may not happen."""
        before, self._into = self._into, into
        self._doubt += 1
        try:
            yield
        finally:
            self._into = before
            self._doubt -= 1

    @contextmanager
    def _perhaps(self) -> Iterator[None]:
        """What is done inside is done to one of several. A fault there is not certain."""
        self._doubt += 1
        try:
            yield
        except operations.Fault:
            pass
        finally:
            self._doubt -= 1

    def _bag(self, held: H) -> H:
        """From now on it is known only what may be inside, not how much nor where."""
        self._blurred[id(held)] = held
        if isinstance(held, list) and len(held) > MOST_TWICE:
            held[:] = once(held)
        return held

    def _loose(self, held: Value) -> bool:
        """Whether a change may leave what was inside: it may not happen, or not there."""
        return bool(self._doubt) or id(held) in self._blurred

    def _put(self, held: Held, value: Value, key: Value = None) -> None:
        """Puts something into it that may be inside, beside all that was."""
        self._bag(held)
        if isinstance(held, list):
            held.append(value)
            self._bag(held)
        elif isinstance(held, set):
            held.add(operations.hashable(value))
        elif isinstance(held, dict):
            before = [held[key]] if operations.hashable(key) in held else []
            held[key] = self._joined([*before, value])
        self._contents(held)

    def _excerpt(self, node: ast.expr) -> str:
        """Its code without the quotes. It may be asked for in each pass of a loop."""
        if node not in self._shown:
            self._shown[node] = excerpt(node)[1:-1]
        return self._shown[node]

    def _is_sure(self, value: Value) -> bool:
        """Whether it does not wait for a reply. What it holds may."""
        if isinstance(value, Said):
            return len(value.calls) == 1
        return not isinstance(value, Unknown) and id(value) not in self._blurred

    def _truth(self, value: Value) -> bool | None:
        return truth(value, self._blurred)

    def _joined(self, values: Iterable[Value]) -> Value:
        return joined(values)

    def _fresh(self, made: Sequence[Value]) -> Value:
        """One of these, of which what holds others was just made: so those of a kind may be one."""
        found = [each for each in made if not isinstance(each, HELD)]
        for kind in (list, tuple, set):
            those = [each for each in made if isinstance(each, kind)]
            if len(those) > 1:
                those = [self._bag(kind(once(part for each in those for part in each)))]
            found += those
        dicts = [each for each in made if isinstance(each, dict)]
        for other in dicts[1:]:
            self._bag(dicts[0])  # the other one may be empty
            for key, value in other.items():
                self._put(dicts[0], value, key)
        return self._joined([*found, *dicts[:1]])

    def _vague_key(self, key: Value) -> bool:
        return self._contents(key).vague

    def _seen(self, scope: Scope) -> object:
        """What all names may hold, as far as the drawing shows it."""
        found: dict[tuple[int, str], object] = {}
        place: Scope | None = scope
        while place is not None:
            for name, value in place.names.items():
                contents = self._contents(value)
                asked = frozenset(self._asked[call] for call in contents.calls)
                plain = value if isinstance(value, str | int | float) else None
                found[id(place), name] = (plain, contents.vague, asked, frozenset(contents.lines))
            place = place.above
        return found

    def _contents(self, *values: Value) -> Contents:
        contents = Contents()
        for value in values:
            contents.add(value, self._blurred)
        self._step(contents.parts / PARTS_OF_A_STEP)
        return contents

    @contextmanager
    def _open(self, items: list[Item]) -> Iterator[None]:
        """A loop with an unknown number of passes."""
        doubt = self._doubt
        self._endless += 1
        try:
            with self._unsure(items):
                yield
        finally:
            self._endless -= 1
            self._doubt = doubt

    def _branched(self, line: int, test: Value, then: list[Item], otherwise: list[Item]) -> None:
        waits = frozenset(self._contents(test).calls)
        self._into.append(Branch(line, waits, then, otherwise))

    def _known_items(self, value: Value) -> list[Value] | None:
        """What a value holds, in order; None: how many, or in which order, is not known."""
        if id(value) in self._blurred or isinstance(value, Unknown):
            return None
        if isinstance(value, set) and len(value) > 1:
            return None
        return operations.items(value)

    def _items_of(self, value: Value) -> list[Value]:
        if isinstance(value, Unknown):
            element = self._element(value)
            return [] if element is NOTHING else [element]
        return operations.items(value)

    def _element(self, value: Value, *, index: bool = False) -> Value:
        """What one of the things that a value holds may be. `index`: as an index gives it, so a
        dict's values and not its keys."""
        if value is BROKEN:
            return BROKEN
        if isinstance(value, Unknown):
            found = [self._element(one, index=index) for one in value.held]
            return self._joined([*found, *[Unknown(value.calls)] * value.texts])
        if isinstance(value, dict) and index:
            return self._joined(value.values())
        return self._joined(operations.items(value))
