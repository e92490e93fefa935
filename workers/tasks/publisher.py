"""Sends a worker's entries to Redis, in order. It never delays or fails a run."""

import asyncio
import logging
from collections import deque
from contextlib import suppress

from redis import RedisError
from redis.asyncio import Redis

from apps.runs.feed import (
    DELTAS_MAX_ENTRIES,
    DELTAS_SECONDS_ENDED,
    DELTAS_SECONDS_RUNNING,
    LIVE_MAX_ENTRIES,
    LIVE_STREAM,
    DeltaEntry,
    Outage,
    TraceEntry,
    deltas_stream,
    fields_of,
)
from workers.core.concurrency import cancel_all
from workers.core.events import TERMINAL_EVENTS

log = logging.getLogger(__name__)

REST_SECONDS = 1.0
"""Seconds without a try after a failure. During them browsers read Postgres."""

MAX_WAITING = 5_000
ENTRIES_PER_MESSAGE = 50


class Publisher:
    """One task sends what waits as one pipeline. Entries that Redis can't take are dropped."""

    def __init__(self, url: str) -> None:
        self._redis: Redis = Redis.from_url(
            url, socket_connect_timeout=1, socket_timeout=2, protocol=2
        )
        self._waiting: deque[TraceEntry | DeltaEntry] = deque(maxlen=MAX_WAITING)
        self._news = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def put(self, entries: list[TraceEntry | DeltaEntry]) -> None:
        self._waiting.extend(entries)
        self._empty.clear()
        self._news.set()

    async def close(self) -> None:
        """Send what waits, for at most a second."""
        if self._task:
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._empty.wait()
            await cancel_all([self._task])
        await self._redis.aclose()

    async def _run(self) -> None:
        outage = Outage(log, "Redis accepts no live events")
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                while self._waiting:
                    await self._send(list(self._waiting))
                    outage.over()
            except (RedisError, OSError) as error:
                outage.goes_on(error)
                await asyncio.sleep(REST_SECONDS)
                self._waiting.clear()
            self._empty.set()

    async def _send(self, entries: list[TraceEntry | DeltaEntry]) -> None:
        pipeline = self._redis.pipeline(transaction=False)
        for start in range(0, len(entries), ENTRIES_PER_MESSAGE):
            fields = fields_of(entries[start : start + ENTRIES_PER_MESSAGE])
            pipeline.xadd(LIVE_STREAM, fields, maxlen=LIVE_MAX_ENTRIES, approximate=True)
        for entry in entries:
            stream = deltas_stream(entry.run_id)
            if isinstance(entry, DeltaEntry):
                fields = fields_of([entry])
                pipeline.xadd(stream, fields, maxlen=DELTAS_MAX_ENTRIES, approximate=True)
                if entry.number == 1:
                    pipeline.expire(stream, DELTAS_SECONDS_RUNNING)
            elif entry.last_kind in TERMINAL_EVENTS:
                pipeline.expire(stream, DELTAS_SECONDS_ENDED)
        await pipeline.execute()
        for _ in entries:
            self._waiting.popleft()
