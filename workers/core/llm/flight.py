"""What became of a call's question, for whoever has to charge a call that ends without an answer,
or with one only after others were lost. Most of what a call waits for is its turn, and that costs
nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

MAY_HAVE_GENERATED = frozenset({"timeout", "stream_interrupted", "reply_too_long"})
"""Codes of the errors after which the server may have written an answer that nobody got."""


@dataclass(slots=True)
class Flight:
    """One call with all its tries.

    `sent`: the server has the question, and may be writing or have written an answer to it.
    `broken`: tries whose answer was perhaps written and never came, a cancelled one among them.
    """

    allowed: Callable[[], None]
    departed: Callable[[], None]
    landed: Callable[[], None]
    outer: Flight | None
    sent: bool = False
    broken: int = 0

    def leave(self) -> None:
        if not self.sent:
            self.sent = True
            self.departed()

    def land(self) -> None:
        if self.sent:
            self.sent = False
            self.landed()


def _nothing() -> None:
    pass


_CURRENT: ContextVar[Flight | None] = ContextVar("flight", default=None)


@contextmanager
def followed(
    allowed: Callable[[], None] = _nothing,
    *,
    departed: Callable[[], None] = _nothing,
    landed: Callable[[], None] = _nothing,
) -> Iterator[Flight]:
    """The call made inside tells this flight. `allowed` is asked before each try leaves, and raises
    what forbids it; `departed` and `landed` are told of each that does."""
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


def leaves() -> None:
    """By the client, when the question is about to be sent. Raises what a follower forbids."""
    for flight in _followers():
        flight.allowed()
    for flight in _followers():
        flight.leave()


def breaks(code: str) -> None:
    """By the client, of a try that failed with this code."""
    for flight in _followers():
        flight.broken += flight.sent and code in MAY_HAVE_GENERATED
        flight.land()


def _followers() -> Iterator[Flight]:
    """Of the call of this context; there may be none."""
    flight = _CURRENT.get()
    while flight is not None:
        yield flight
        flight = flight.outer
