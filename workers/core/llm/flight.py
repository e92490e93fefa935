"""Whether a call's question has left for the server, for whoever has to charge a call that ends
without an answer. Most of what a call waits for is its turn, and that costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

MAY_HAVE_GENERATED = frozenset({"timeout", "stream_interrupted", "reply_too_long"})
"""Codes of the errors after which the server may have written an answer that nobody got."""


@dataclass(slots=True)
class Flight:
    """`sent`: the server has the question, and may be writing or have written an answer to it."""

    sent: bool = False


_CURRENT: ContextVar[Flight | None] = ContextVar("flight", default=None)


@contextmanager
def followed() -> Iterator[Flight]:
    """The calls made inside tell this flight."""
    flight = Flight()
    token = _CURRENT.set(flight)
    try:
        yield flight
    finally:
        _CURRENT.reset(token)


def tell(*, sent: bool) -> None:
    """By the client, of the call of this context; nobody may be listening."""
    if (flight := _CURRENT.get()) is not None:
        flight.sent = sent
