"""What became of a call's question. Budgets need it: a call may end without an answer, or with one
after other tries were lost, and the server may have generated all the same. Waiting for a turn is
most of what a call waits for, and costs nothing."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

MAY_HAVE_GENERATED = frozenset({"timeout", "stream_interrupted", "reply_too_long"})
"""Codes of the errors after which the server may have written an answer that nobody got."""
SPEAKING_SECONDS = 2.0
"""A server that is silent for less is still writing."""


@dataclass(slots=True, eq=False)
class Flight:
    """One call with all its tries.

    `sent`: the server has the question, and may be writing or have written an answer to it.
    `broken`: tries whose answer was perhaps written and never came, a cancelled one among them.
    `heard`: when the server last sent a word, or got the question (monotonic seconds). `waits_for`
    says why the next try waits.
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
        """What the call waits for now, as a sentence; empty when that is not known."""
        if not self.sent:
            return self.waits_for
        silent = time.monotonic() - self.heard
        if silent < SPEAKING_SECONDS:
            return ""
        return f"The server had said nothing for {silent:.0f} s."


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
    """The call made inside tells this flight. Each try waits for `allowed` before it leaves, which
    raises what forbids it; `departed` and `landed` are called for each that leaves."""
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
    """By the client, when the question is about to be sent. Raises what a follower forbids."""
    for flight in _followers():
        await flight.allowed()
    for flight in _followers():
        flight.leave()


def hears() -> None:
    """By the client, when the server sends a word of its answer."""
    now = time.monotonic()
    for flight in _followers():
        flight.heard = now


def waits(reason: str) -> None:
    """By the client, when the question waits to be sent."""
    for flight in _followers():
        flight.waits_for = reason


def breaks(code: str, *, spoke: bool = False) -> None:
    """By the client, of a try that failed with this code; `spoke`: in the middle of an answer."""
    for flight in _followers():
        flight.broken += flight.sent and (spoke or code in MAY_HAVE_GENERATED)
        flight.land()


def _followers() -> Iterator[Flight]:
    """Of the call of this context; there may be none."""
    flight = _CURRENT.get()
    while flight is not None:
        yield flight
        flight = flight.outer
