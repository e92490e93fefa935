"""Watches downloads from the hub: their time limit and their progress.

The hub's client limits only the wait for each piece: a hub that sends one byte now and then would
block for ever. It also reports progress only every ten megabytes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
from huggingface_hub import get_session

Received = Callable[[int], None]
"""Gets the bytes of a piece as they came over the wire."""

_deadline: ContextVar[float | None] = ContextVar("_deadline", default=None)
_received: ContextVar[Received | None] = ContextVar("_received", default=None)


@contextmanager
def all_within(seconds: float | None) -> Iterator[None]:
    """Inside, an answer or a piece that comes later raises TimeoutError. None means no limit."""
    _hook()
    token = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


@contextmanager
def counted(received: Received) -> Iterator[None]:
    """Inside, `received` gets every piece of every answer. What it raises ends the answer."""
    _hook()
    token = _received.set(received)
    try:
        yield
    finally:
        _received.reset(token)


def _hook() -> None:
    hooks = get_session().event_hooks["response"]
    if _watch not in hooks:
        hooks.append(_watch)


def _watch(response: httpx2.Response) -> None:
    deadline, received = _deadline.get(), _received.get()
    if deadline is None and received is None:
        return
    _require_time(deadline)  # many answers without a body take as long as one with a slow body
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Watched(response.stream, deadline, received)


def _require_time(deadline: float | None) -> None:
    if deadline is not None and time.monotonic() > deadline:
        raise TimeoutError("The hub was too slow.")


class _Watched(httpx2.SyncByteStream):
    def __init__(
        self, body: httpx2.SyncByteStream, deadline: float | None, received: Received | None
    ) -> None:
        self._body = body
        self._deadline = deadline
        self._received = received

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            _require_time(self._deadline)
            if self._received is not None:
                self._received(len(piece))
            yield piece

    def close(self) -> None:
        self._body.close()
