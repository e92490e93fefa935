"""Handing trainings to the workers: the one place where this app knows their tasks."""

from __future__ import annotations

import logging
from uuid import UUID

from kombu.exceptions import OperationalError
from redis import RedisError

log = logging.getLogger(__name__)

QUEUE = "training"


def training_enqueue(job_id: UUID) -> bool:
    """Whether the broker took the message. It never raises for a broker that is away."""
    from workers.tasks.training import training_execute

    try:
        training_execute.apply_async((str(job_id),), queue=QUEUE, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("training %s waits for the broker: %s", job_id, error)
        return False
    return True


def training_drive(job_id: UUID) -> bool:
    """Trains in this thread, without Celery's workers; returns at the end of the attempt.

    False: somebody else has the job.
    """
    from workers.tasks.training import train

    return train(job_id)


def trainings_leave() -> None:
    """Makes `training_drive` return at once, in whatever thread; the jobs are queued again."""
    from workers.tasks.training import give_trainings_back

    give_trainings_back()
