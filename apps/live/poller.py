"""Changes in trainings and evaluations, found by one poll for all that watch.

    Postgres ──▶ one statement a second ──▶ rows that changed, new steps ──▶ each subscription

However many browsers watch, a web process polls once, and reads and encodes each change once.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

from django.db import DatabaseError

from apps.common.in_thread import in_thread
from apps.live.frames import Frame, MetricFrame, RowFrame
from apps.live.job_rows import Seen, evaluation_frames, job_frames, metric_frames, watched_progress
from apps.live.subscription import Subscription
from workers.core.concurrency import cancel_all

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0
PAGE_STEPS = 500
"""If there are more new steps than this, each browser's own view reads them."""


class Board:
    """Topics of one event loop. It polls while something is watched."""

    def __init__(self) -> None:
        self._topics: dict[str, set[Subscription]] = {}
        self._kinds: dict[str, str] = {}
        self._told: dict[str, str] = {}
        self._reached: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None

    def add(self, subscription: Subscription) -> None:
        for kind, ids in (("job", subscription.jobs), ("evaluation", subscription.evaluations)):
            for id in ids:
                self._topics.setdefault(id, set()).add(subscription)
                self._kinds[id] = kind
        if self._topics and self._task is None:
            self._task = asyncio.create_task(self._poll())

    async def remove(self, subscription: Subscription) -> None:
        for id in subscription.jobs | subscription.evaluations:
            watchers = self._topics.get(id, set())
            watchers.discard(subscription)
            if not watchers:
                for table in (self._topics, self._kinds, self._told, self._reached):
                    table.pop(id, None)
        if not self._topics and self._task is not None:
            task, self._task = self._task, None
            await cancel_all([task])

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                await self._round()
            except DatabaseError as error:
                log.warning("trainings and evaluations can't be read from Postgres: %s", error)

    async def _round(self) -> None:
        seen = await in_thread(watched_progress, self._of("job"), self._of("evaluation"))
        for one in seen:
            if one.kind == "job":
                await self._steps(one)
        changed = [one for one in seen if self._told.get(one.id) != one.token]
        for frame in await in_thread(_rows, changed) if changed else ():
            if frame.topic in self._topics:
                self._told[frame.topic] = frame.token
                self._send(frame.topic, [frame])

    async def _steps(self, seen: Seen) -> None:
        """New steps; if the last known step is unknown, only that there are some."""
        reached = self._reached.get(seen.id)
        if reached is not None and seen.step <= reached:
            return
        frames = [MetricFrame(seen.id, seen.step, data=b"")]
        if reached is not None and seen.step - reached <= PAGE_STEPS:
            frames = await in_thread(_new_steps, seen.id, reached)
        if seen.id in self._topics and frames:
            self._reached[seen.id] = frames[-1].step
            self._send(seen.id, frames)

    def _of(self, kind: str) -> list[str]:
        return [id for id, its in self._kinds.items() if its == kind]

    def _send(self, id: str, frames: Iterable[Frame]) -> None:
        told = list(frames)
        for subscription in self._topics.get(id, ()):
            subscription.put(told)


def _rows(seen: Sequence[Seen]) -> list[RowFrame]:
    jobs = [one for one in seen if one.kind == "job"]
    evaluations = [one for one in seen if one.kind == "evaluation"]
    return (job_frames(jobs) if jobs else []) + (
        evaluation_frames(evaluations) if evaluations else []
    )


def _new_steps(job_id: str, reached: int) -> list[MetricFrame]:
    return metric_frames(job_id, after=reached, limit=PAGE_STEPS)


_boards: WeakKeyDictionary[asyncio.AbstractEventLoop, Board] = WeakKeyDictionary()


def current_board() -> Board:
    """The board of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _boards:
        _boards[loop] = Board()
    return _boards[loop]
