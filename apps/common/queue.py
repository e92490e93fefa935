"""Sends work to the workers by the task's name, so no app imports a task.

A broker that is away loses nothing. The work is already stored, and the watchdogs and beat send it
again once the broker answers.
"""

import logging

from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

log = logging.getLogger(__name__)

INFERENCE = "inference"
EVALUATION = "evaluation"
"""Cells of evaluations have a separate queue, so people's questions do not wait behind them."""
TRAINING = "training"


def send(task: str, *args: object, queue: str = INFERENCE, expires: float | None = None) -> bool:
    """Whether the broker took the message. `args` are sent as JSON; `expires` is in seconds. Never
    raises when the broker is away."""
    try:
        current_app.send_task(task, args, queue=queue, retry=False, expires=expires)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("%s %s waits for the broker: %s", task, args, error)
        return False
    return True


def pending_messages(queue: str = INFERENCE) -> int | None:
    """How many messages wait in a queue of the broker; None when the broker is away.

    Messages that a worker has fetched are not counted, so those of a dead worker do not show here.
    """
    try:
        with Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=2) as broker:
            return int(broker.llen(queue))
    except RedisError as error:
        log.warning("the broker does not answer: %s", error)
        return None
