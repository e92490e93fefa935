"""Follows what happens to a call's question. Budgets need it: a call may end without an answer, or
with one after lost tries, and the server may have generated in any case. A call mostly waits for
its turn, which costs nothing."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

MAY_HAVE_GENERATED = frozenset({"timeout", "stream_interrupted", "reply_too_long"})
"""Codes of errors after which the server may have written an answer that was lost."""
SPEAKING_SECONDS = 2.0
"""A server that is silent for less counts as still writing."""


@dataclass(slots=True, eq=False)
class Flight:
    """One call with all its tries.

    `sent`: the server has the question and may be writing, or have written, an answer. `broken`:
    tries whose answer may have been written but never came, including a cancelled one. `heard`:
    when the server last sent something, or got the question (monotonic seconds). `waits_for` says
    why the next try waits.
    """

    allowed: Callable[[], Awaitable[None]]
    departed: Callable[[], None]
    landed: Callable[[], None]
    outer: Flight | None
    sent: bool = False
    broken: int = 0
    heard: float = field(default_factory=time.monotonic)
    waits_for: str = ""

    def leave(self) -> None:
        self.heard, self.waits_for = time.monotonic(), ""
        if not self.sent:
            self.sent = True
            self.departed()

    def land(self) -> None:
        if self.sent:
            self.sent = False
            self.landed()

    def state(self) -> str:
        """What the call waits for now, as a sentence; empty if unknown."""
        if not self.sent:
            return self.waits_for
        silent = time.monotonic() - self.heard
        if silent < SPEAKING_SECONDS:
            return ""
        return f"The server had been silent for {silent:.0f} s."


def _nothing() -> None:
    pass


async def _any() -> None:
    pass


_CURRENT: ContextVar[Flight | None] = ContextVar("flight", default=None)


@contextmanager
def followed(
    allowed: Callable[[], Awaitable[None]] = _any,
    *,
    departed: Callable[[], None] = _nothing,
    landed: Callable[[], None] = _nothing,
) -> Iterator[Flight]:
    """The call made inside reports to this flight. Before it leaves, each try waits for `allowed`,
    which raises to forbid it. `departed` and `landed` are called for each try that leaves."""
    flight = Flight(allowed, departed, landed, _CURRENT.get())
    token = _CURRENT.set(flight)
    try:
        yield flight
    except BaseException:  # a cancellation, above all; a failed try has landed already
        flight.broken += flight.sent
        raise
    finally:
        _CURRENT.reset(token)
        flight.land()


async def leaves() -> None:
    """Called by the client before it sends the question. Raises what a follower forbids."""
    for flight in _followers():
        await flight.allowed()
    for flight in _followers():
        flight.leave()


def hears() -> None:
    """Called by the client when the server sends a part of its answer."""
    now = time.monotonic()
    for flight in _followers():
        flight.heard = now


def waits(reason: str) -> None:
    """Called by the client when the question waits to be sent."""
    for flight in _followers():
        flight.waits_for = reason


def breaks(code: str, *, spoke: bool = False) -> None:
    """Called by the client for a try that failed with this code; `spoke`: within an answer."""
    for flight in _followers():
        flight.broken += flight.sent and (spoke or code in MAY_HAVE_GENERATED)
        flight.land()


def _followers() -> Iterator[Flight]:
    """The flight of this context's call, if any."""
    flight = _CURRENT.get()
    while flight is not None:
        yield flight
        flight = flight.outer
