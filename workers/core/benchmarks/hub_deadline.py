"""A time by which a download from the hub must be over.

The hub's client bounds the wait for each piece alone: a hub that sends one byte now and then would
hold whoever waits for ever.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx2
from huggingface_hub import get_session

_deadline: ContextVar[float | None] = ContextVar("_deadline", default=None)


@contextmanager
def all_within(seconds: float | None) -> Iterator[None]:
    """Inside, the answer or the piece of one that comes later raises TimeoutError. None: however
    long it takes."""
    hooks = get_session().event_hooks["response"]
    if _watch not in hooks:
        hooks.append(_watch)
    token = _deadline.set(None if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def _watch(response: httpx2.Response) -> None:
    deadline = _deadline.get()
    if deadline is None:
        return
    _require_time(deadline)  # many answers without a body take as long as one with a slow body
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Watched(response.stream, deadline)


def _require_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise TimeoutError("The hub was too slow.")


class _Watched(httpx2.SyncByteStream):
    def __init__(self, body: httpx2.SyncByteStream, deadline: float) -> None:
        self._body = body
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            _require_time(self._deadline)
            yield piece

    def close(self) -> None:
        self._body.close()
