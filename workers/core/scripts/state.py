"""What an interpreter keeps: the trace, the problems, what is certain, and its bounds."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from workers.core.events.scripts import ScriptProblem
from workers.core.scripts import operations
from workers.core.scripts.making import Makes
from workers.core.scripts.problems import MOST_PROBLEMS
from workers.core.scripts.trace import Branch, Item
from workers.core.scripts.values import Contents, Unknown, Value, joined, truth

MOST_STEPS = 20_000
MOST_ASKS = 500
MOST_DEPTH = 24
"""Functions that call each other."""
MOST_PASSES = 12
INNER_PASSES = 2
"""How often a loop is gone through that may go on for ever, and one inside such a loop."""


class Stop(Exception):
    """The script can't be gone through further."""


class Delivered(Exception):
    """Every path has delivered."""


@dataclass(slots=True)
class Loop:
    """A loop that is gone through: the names where it was left, and where a pass was cut short."""

    line: int
    left: list[dict[str, Value]] = field(default_factory=list)
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
        self._asks = 0
        self._steps = 0
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

    def _step(self) -> None:
        self._steps += 1
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

    def _touched(self, value: Value) -> None:
        """A list, dict or set was changed: where that is not certain, what it holds isn't."""
        if self._doubt:
            self._blurred[id(value)] = value

    def _truth(self, value: Value) -> bool | None:
        return truth(value, self._blurred)

    def _joined(self, values: Sequence[Value]) -> Value:
        return joined(values, self._blurred)

    def _contents(self, *values: Value) -> Contents:
        contents = Contents()
        for value in values:
            contents.add(value, self._blurred)
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
        """What a value holds, in order; None: how many are not known."""
        if id(value) in self._blurred or isinstance(value, Unknown):
            return None
        return operations.items(value)

    def _items_of(self, value: Value) -> list[Value]:
        known = self._known_items(value)
        if known is not None:
            return known
        if isinstance(value, Unknown):
            return [self._element(value)]
        return operations.items(value)

    def _element(self, value: Value) -> Value:
        """What one of the things that a value holds may be."""
        if isinstance(value, Unknown):
            return value.each if value.each is not None else Unknown(value.calls)
        if isinstance(value, dict):
            return self._joined([*value.values()]) if value else Unknown()
        held = operations.items(value)
        return self._joined(held) if held else Unknown()
