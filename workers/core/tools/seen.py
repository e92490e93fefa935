"""Remembers what a run asked, so that the same question again is noticed."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class Seen(Generic[T]):
    """What a tool found in one run, by what it was asked. Failures are not kept."""

    _found: dict[Hashable, T] = field(default_factory=dict)
    _times: dict[Hashable, int] = field(default_factory=dict)
    _turns: dict[Hashable, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def found(self, key: Hashable, find: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """What `find` gave, and whether it was asked just now. Who asks the same while it is on its
        way waits for it; if that fails, or is cancelled, they ask themselves."""
        async with self._turns[key]:
            if key in self._found:
                return self._found[key], False
            self._found[key] = await find()
            return self._found[key], True

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
