"""Remembers what a run asked, so that the same question again is noticed."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Seen(Generic[T]):
    """What a tool found in one run, by what it was asked. Failures are not kept."""

    _found: dict[Hashable, T] = field(default_factory=dict)
    _times: dict[Hashable, int] = field(default_factory=dict)

    def found(self, key: Hashable) -> T | None:
        return self._found.get(key)

    def keep(self, key: Hashable, value: T) -> None:
        self._found[key] = value

    def times(self, asked: Hashable) -> int:
        """How often this was asked, now included."""
        self._times[asked] = self._times.get(asked, 0) + 1
        return self._times[asked]


def again(times: int, what: str) -> str:
    """A sentence for the model; empty the first time."""
    if times < 2:
        return ""
    often = "before" if times == 2 else f"{times - 1} times before"
    return f"This run {what} {often}. It is the same as then: do not ask for it again."
