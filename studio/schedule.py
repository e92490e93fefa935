"""Schedules periodic tasks. The times are kept in memory, so the clock may be set.

Celery's own scheduler keeps the times of the last runs in a file. If the clock was ahead, these
times lie in the future, and no task is due until then. Here a restart loses nothing: each task asks
the database what to do.
"""

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
    """The scheduler of `celery beat`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._wall, self._steady = time.time(), time.monotonic()
        self._told = 0.0
        super().__init__(*args, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send what is due and return the seconds until the next look."""
        self._follow_the_clock()
        seconds: float = super().tick(*args, **options)
        self._tell()
        return min(seconds, LOOK_SECONDS)

    def _follow_the_clock(self) -> None:
        """If the clock was set back, start every interval again."""
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
            log.warning("the scheduler's sign of life could not be written to Redis: %s", error)
