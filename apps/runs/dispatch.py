"""Handing runs to the workers: the one place where an app knows a task.

A broker that is down loses nothing: the run is already stored as queued, and the watchdog sends it
again once the broker answers.
"""

from __future__ import annotations

import logging
from uuid import UUID

from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

log = logging.getLogger(__name__)

QUEUE = "inference"
EVALUATION_QUEUE = "evaluation"
QUEUES = (QUEUE, EVALUATION_QUEUE)


def queue_of(evaluation_id: UUID | None) -> str:
    """Cells of evaluations have a queue of their own: what people ask does not wait behind them."""
    return QUEUE if evaluation_id is None else EVALUATION_QUEUE


def run_enqueue(run_id: UUID, queue: str = QUEUE) -> bool:
    """Whether the broker took the message. It never raises for a broker that is away."""
    from workers.tasks.inference import run_execute

    try:
        run_execute.apply_async((str(run_id),), queue=queue, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("run %s waits for the broker: %s", run_id, error)
        return False
    return True


def pending_messages(queue: str = QUEUE) -> int | None:
    """Messages that wait in a queue of the broker; None when the broker is away.

    What a worker has fetched is not counted: if that worker is dead, nobody would ever know.
    """
    try:
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=2) as broker:
            return int(broker.llen(queue))
    except RedisError as error:
        log.warning("the broker does not answer: %s", error)
        return None
