"""A training's signs of life, from a separate thread: a step of minutes must not look like death.

The answer to each says whether the job was taken away, or must be paused or cancelled.
"""

import logging
import threading
from collections.abc import Callable
from typing import Literal

from django.conf import settings
from django.db import DatabaseError, connection

from apps.training.lifecycle import Fenced, training_heartbeat
from apps.training.models import TrainingJob
from workers.core.llm.spending import Spent

log = logging.getLogger(__name__)

Wish = Literal["paused", "cancelled", "lost"]


class Heart:
    """`hear` is called in the heart's thread, with the wish, at every beat that has one."""

    def __init__(
        self,
        job: TrainingJob,
        *,
        spent: Callable[[], Spent],
        share: Callable[[], float],
        hear: Callable[[Wish], None],
    ) -> None:
        self._job = job
        self._spent = spent
        self._share = share
        self._hear = hear
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="training heart", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(settings.RUN_HEARTBEAT_SECONDS):
            try:
                self._beat()
            except Fenced:
                self._hear("lost")
                return
            except DatabaseError as error:
                log.warning("Postgres does not accept a training's heartbeats: %s", error)
            finally:
                connection.close()

    def _beat(self) -> None:
        job, spent, share = self._job, self._spent(), self._share()
        wish = training_heartbeat(job_id=job.id, attempt=job.attempt, spent=spent, share=share)
        if wish is not None:
            self._hear(wish)
