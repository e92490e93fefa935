"""Threads and tasks that must not be left behind, and a queue of turns."""

import asyncio
import heapq
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

CANCEL_AGAIN_SECONDS = 0.2


async def to_its_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Like `asyncio.to_thread`, but a cancellation waits until the thread is done.

    For writes: the caller that cancels may release a lock next, or delete the folder.
    """
    return await _ended(asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs)))


class OneThread:
    """A separate thread for work that comes piece by piece, each piece as with `to_its_end`.

    For work that allocates much: in a pool, each thread would keep the memory it once needed.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        call = partial(work, *args, **kwargs)
        return await _ended(asyncio.get_running_loop().run_in_executor(self._thread, call))

    def close(self) -> None:
        """Close without waiting: the caller of each piece has waited for it."""
        self._thread.shutdown(wait=False)


async def _ended(thread: asyncio.Future[T]) -> T:
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
    """Cancel until all have ended. Their results and errors are ignored.

    One cancellation is not enough: if it comes while redis-py connects, redis-py takes it for a
    time-out of its own, and a caller that catches its errors tries again.
    """
    everyone = set(tasks)
    pending = {task for task in everyone if not task.done()}
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CANCEL_AGAIN_SECONDS)
    for task in everyone:
        if not task.cancelled():
            task.exception()  # read, or Python warns that it never was


class Turns:
    """At most `at_once` callers have a turn. Of those who wait, the one with the lowest `place`
    comes next; with equal places, the first that asked. For one event loop."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._asked = count()
        self._waiting: list[tuple[tuple[int, ...], int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, *place: int) -> AsyncGenerator[None]:
        await self._take(place)
        try:
            yield
        finally:
            self._give()

    async def _take(self, place: tuple[int, ...]) -> None:
        if self._free:
            self._free -= 1
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (place, next(self._asked), mine))
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():
                self._give()  # it had just been given
            raise

    def _give(self) -> None:
        while self._waiting:
            _, _, theirs = heapq.heappop(self._waiting)
            if not theirs.done():  # who waited in vain has left
                theirs.set_result(None)
                return
        self._free += 1


async def all_or_first_error(work: Iterable[Coroutine[None, None, T]]) -> list[T]:
    """The results in order. The first error stops everything else and is raised unchanged."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in work]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
