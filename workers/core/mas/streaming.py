"""Events of a set of tasks as one stream, with nothing left behind when the reader goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from workers.core.events import Event

Emit = Callable[[Event], None]


class TaskStream:
    """Reads like an async iterator of events; ends when the last task ends, raises when one raises.

    Tasks emit without waiting for the reader: what they send is bounded by what LLMs write. Whoever
    spawns must `await close()` in a `finally`; it cancels what still runs and waits for it.
    """

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()

    def emit(self, event: Event) -> None:
        self._queue.put_nowait(event)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def __aiter__(self) -> TaskStream:
        return self

    async def __anext__(self) -> Event:
        if not self._tasks and self._queue.empty():
            raise StopAsyncIteration
        item = await self._queue.get()
        if item is None:
            raise StopAsyncIteration
        if isinstance(item, BaseException):
            raise item
        return item

    def stop(self, error: BaseException) -> None:
        """Cancels what runs; the reader gets what was sent before, then `error`."""
        self._queue.put_nowait(error)
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            # not read after stop and close; else no reader may take it for its own cancellation
            self._queue.put_nowait(RuntimeError("a task of the stream was cancelled from inside"))
        elif (error := task.exception()) is not None:
            self._queue.put_nowait(error)
        elif not self._tasks:
            self._queue.put_nowait(None)
