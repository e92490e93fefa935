"""Threads and tasks that must not be left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

CANCEL_AGAIN_SECONDS = 0.2


async def to_its_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `asyncio.to_thread`, but a cancellation waits until the thread is done.

    For writes: whoever cancels may give up a lock next, or delete the folder.
    """
    thread = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        while not thread.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([thread])
        if not thread.cancelled():
            thread.exception()  # looked at, since nobody else will
        raise


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancels until all have ended; what they end with, or had ended with, is nobody's business.

    Once is not enough: redis-py takes a cancellation that comes while it connects for a time-out of
    its own, and whoever catches its errors tries again.
    """
    everyone = set(tasks)
    pending = {task for task in everyone if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CANCEL_AGAIN_SECONDS)
    for task in everyone:
        if not task.cancelled():
            task.exception()  # looked at, or Python tells of it as nobody's
