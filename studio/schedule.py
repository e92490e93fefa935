"""When periodic tasks are due. The times are kept in memory, and the clock may be set.

Celery's own scheduler keeps the times of the last turns in a file. If the clock was ahead, they lie
in the future, and no task is due until then. A restart loses nothing here: each task asks the
database what there is to do.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from celery.beat import Scheduler
from django.core.cache import cache
from redis import RedisError

from apps.common.health import SIGN, SIGN_SECONDS

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0


class MemoryScheduler(Scheduler):
    """Of `celery beat`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._wall, self._steady = time.time(), time.monotonic()
        self._told = 0.0
        super().__init__(*args, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send what is due; the seconds until the next look."""
        self._follow_the_clock()
        seconds: float = super().tick(*args, **options)
        self._tell()
        return min(seconds, LOOK_SECONDS)

    def _follow_the_clock(self) -> None:
        """A clock that was set back begins every interval again."""
        wall, steady = time.time(), time.monotonic()
        back = (steady - self._steady) - (wall - self._wall)
        self._wall, self._steady = wall, steady
        if back > 1.0:
            log.warning("the clock was set back by %.0f s", back)
            for entry in self.schedule.values():
                entry.last_run_at = entry.default_now()
            self._heap = None

    def _tell(self) -> None:
        if self._told and time.monotonic() - self._told < LOOK_SECONDS:
            return
        self._told = time.monotonic()
        try:
            cache.set(SIGN, True, SIGN_SECONDS)
        except (RedisError, OSError) as error:
            log.warning("Redis takes no sign of life: %s", error)
