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


def run_enqueue(run_id: UUID) -> bool:
    """Whether the broker took the message. It never raises for a broker that is away."""
    from workers.tasks.inference import run_execute

    try:
        run_execute.apply_async((str(run_id),), queue=QUEUE, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("run %s waits for the broker: %s", run_id, error)
        return False
    return True


def pending_messages() -> int | None:
    """Messages that wait in the broker; None when the broker is away.

    What a worker has fetched is not counted: if that worker is dead, nobody would ever know.
    """
    try:
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=2) as broker:
            return int(broker.llen(QUEUE))
    except RedisError as error:
        log.warning("the broker does not answer: %s", error)
        return None
