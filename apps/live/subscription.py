"""One reader of Redis per web process, fanned out in memory to all that watch.

    live ──▶ reader ──▶ topic of a run ──▶ queue of each subscription ──▶ SSE
    Postgres ──▶ poller, every 2 s ──▶ “there is more”, “the status changed” ──┘

The reader is fast, and the poller is complete: it finds what Redis lost. A queue is bounded; a
queue that overflows is emptied, and its browser gets a fresh snapshot.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError
from redis import RedisError
from redis.asyncio import Redis

from apps.common.in_thread import in_thread
from apps.live.frames import Detail, Frame, Seen, delta_frame, detail_frame, trace_frames
from apps.runs.feed import (
    LIVE_STREAM,
    DeltaEntry,
    Entry,
    Outage,
    StatusEntry,
    TraceEntry,
    entries_of,
)
from apps.runs.models import Run
from apps.runs.selectors import Position, run_with_endpoint, runs_progress
from workers.core.concurrency import cancel_all
from workers.core.events import CLOSING_EVENTS

log = logging.getLogger(__name__)

POLL_SECONDS = 2.0
BLOCK_MILLISECONDS = 2_000
QUEUE_FRAMES = 2_000
RECONNECT_SECONDS = 0.5


class Subscription:
    """The frames of some runs, trainings and evaluations on their way to one browser."""

    def __init__(
        self, run_ids: Iterable[str], jobs: Iterable[str] = (), evaluations: Iterable[str] = ()
    ) -> None:
        self.run_ids = frozenset(run_ids)
        self.jobs = frozenset(jobs)
        self.evaluations = frozenset(evaluations)
        self._frames: deque[Frame] = deque()
        self._news = asyncio.Event()
        self._overflowed = False

    def put(self, frames: Iterable[Frame]) -> None:
        if not self._overflowed:
            self._frames.extend(frames)
            if len(self._frames) > QUEUE_FRAMES:
                self._frames.clear()
                self._overflowed = True
        self._news.set()

    async def take(self, seconds: float) -> list[Frame] | None:
        """All frames that wait; [] after `seconds` without one; None if some were lost."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()
        if self._overflowed:
            self._overflowed = False
            return None
        frames = list(self._frames)
        self._frames.clear()
        return frames


class Hub:
    """Topics of one event loop. Its tasks live while something is watched."""

    def __init__(self) -> None:
        self.redis: Redis = Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=5, protocol=2
        )
        self._topics: dict[str, set[Subscription]] = {}
        self._reached: dict[str, Position] = {}
        self._told: dict[str, tuple[str, int]] = {}
        self._announcing: dict[str, bool] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._attached = asyncio.Event()

    def add(self, subscription: Subscription) -> None:
        if not subscription.run_ids:
            return
        for run_id in subscription.run_ids:
            self._topics.setdefault(run_id, set()).add(subscription)
        if not self._tasks:
            self._attached = asyncio.Event()
            self._start(self._read())
            self._start(self._poll())

    async def attached(self) -> None:
        """Returns when entries written from now on will be seen, or when Redis is known to be
        away."""
        if self._tasks:
            await self._attached.wait()

    async def remove(self, subscription: Subscription) -> None:
        for run_id in subscription.run_ids:
            watchers = self._topics.get(run_id, set())
            watchers.discard(subscription)
            if not watchers:
                self._topics.pop(run_id, None)
                self._told.pop(run_id, None)
                self._reached.pop(run_id, None)
        if not self._topics:
            await self._stop()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _stop(self) -> None:
        tasks, self._tasks = self._tasks, set()
        await cancel_all(tasks)
        if not self._tasks:
            await self.redis.aclose()

    # -- the fast path: Redis

    async def _read(self) -> None:
        attached, last = self._attached, b"$"
        outage = Outage(log, "Redis is away, live events come from Postgres alone")
        found: Any
        while True:
            try:
                if last == b"$":
                    last = await self._newest_id()
                attached.set()
                found = await self.redis.xread(
                    {LIVE_STREAM: last}, count=500, block=BLOCK_MILLISECONDS
                )
            except (RedisError, OSError) as error:
                attached.set()
                outage.goes_on(error)
                await asyncio.sleep(RECONNECT_SECONDS)
                continue
            outage.over()
            for _, entries in found:
                last = entries[-1][0]
                for _, fields in entries:
                    self._distribute(fields)

    async def _newest_id(self) -> bytes:
        newest: Any = await self.redis.xrevrange(LIVE_STREAM, count=1)
        return bytes(newest[0][0]) if newest else b"0-0"

    def _distribute(self, fields: dict[bytes, bytes]) -> None:
        try:
            entries = entries_of(fields)
        except ValueError as error:
            log.warning("an unreadable live message was left out: %s", error)
            return
        for entry in entries:
            if entry.run_id in self._topics:
                self._pass_on(entry)

    def _pass_on(self, entry: Entry) -> None:
        if isinstance(entry, DeltaEntry):
            self._send(entry.run_id, [delta_frame(entry)])
        elif isinstance(entry, TraceEntry):
            self._reached[entry.run_id] = Position(entry.attempt, entry.last_seq)
            self._send(entry.run_id, trace_frames(entry))
        if isinstance(entry, StatusEntry) or (
            isinstance(entry, TraceEntry) and entry.last_kind in CLOSING_EVENTS
        ):
            self._announce(entry.run_id)

    def _send(self, run_id: str, frames: list[Frame]) -> None:
        for subscription in self._topics.get(run_id, ()):
            subscription.put(frames)

    # -- the sure path: Postgres

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                for seen in await in_thread(runs_progress, list(self._topics)):
                    if seen.run_id not in self._topics:
                        continue
                    if self._reached.get(seen.run_id, Position()) < seen.position:
                        self._reached[seen.run_id] = seen.position
                        self._send(seen.run_id, [Seen(seen.run_id, seen.position)])
                    if self._told.get(seen.run_id) != (seen.status, seen.attempt):
                        self._announce(seen.run_id)
            except DatabaseError as error:
                log.warning("the state of runs can't be read from Postgres: %s", error)

    def _announce(self, run_id: str) -> None:
        """Reads the run again and informs all that watch it; one read at a time per run."""
        if run_id in self._announcing:
            self._announcing[run_id] = True
            return
        self._announcing[run_id] = False
        self._start(self._tell(run_id))

    async def _tell(self, run_id: str) -> None:
        try:
            again = True
            while again:
                self._announcing[run_id] = False
                detail = await in_thread(load_detail, run_id)
                again = self._announcing[run_id]
                if detail is not None and run_id in self._topics:
                    self._told[run_id] = (detail.status, detail.attempt)
                    self._send(run_id, [detail])
        except DatabaseError as error:
            log.warning("the status of run %s cannot be read: %s", run_id, error)
        finally:
            del self._announcing[run_id]


def load_detail(run_id: str) -> Detail | None:
    try:
        return detail_frame(run_with_endpoint(run_id))
    except Run.DoesNotExist:
        return None


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def current_hub() -> Hub:
    """The hub of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
