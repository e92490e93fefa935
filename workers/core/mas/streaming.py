"""Joins the events of several tasks into one stream. No task is left when its reader goes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from workers.core.events import Event

Emit = Callable[[Event], None]


class TaskStream:
    """An async iterator of events. It ends when the last task ends, and raises when one raises.

    Tasks emit without waiting for the reader: what they send is bounded by what LLMs write. There
    is one reader, who gets `first` before all else. A deque and its waiting future cost half of an
    `asyncio.Queue`. The code that spawns must `await close()` in a `finally`; it cancels what still
    runs and waits for it.
    """

    def __init__(self, first: Iterable[Event] = ()) -> None:
        self._items: deque[Event | BaseException] = deque(first)
        self._reader: asyncio.Future[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def emit(self, event: Event) -> None:
        self._items.append(event)
        self._wake()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def __aiter__(self) -> TaskStream:
        return self

    async def __anext__(self) -> Event:
        while not self._items:
            if not self._tasks:
                raise StopAsyncIteration
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        item = self._items.popleft()
        if isinstance(item, BaseException):
            raise item
        return item

    def stop(self, error: BaseException) -> None:
        """Cancel what runs. The reader gets what was sent before, then `error`."""
        self._items.append(error)
        self._wake()
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
            self._items.append(RuntimeError("a task of the stream was cancelled from inside"))
        elif (error := task.exception()) is not None:
            self._items.append(error)
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
