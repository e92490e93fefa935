"""Handing evaluations to the workers, unless this process answers them itself."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.core.cache import cache
from redis import RedisError

from apps.common.queue import EVALUATION, send
from apps.runs.dispatch import run_enqueue

log = logging.getLogger(__name__)

ASK_SECONDS = 10

_driven_here: set[UUID] = set()


@contextmanager
def driven_here(evaluation_id: UUID) -> Iterator[None]:
    """Inside this block, nothing of the evaluation goes to the broker: this process answers it."""
    _driven_here.add(evaluation_id)
    try:
        yield
    finally:
        _driven_here.discard(evaluation_id)


def evaluation_enqueue(evaluation_id: UUID) -> None:
    """If the broker is away, the next beat sends it again."""
    if evaluation_id not in _driven_here:
        task = "workers.tasks.evaluation.evaluation_advance"
        send(task, str(evaluation_id), queue=EVALUATION)


def cell_enqueue(evaluation_id: UUID, run_id: UUID) -> None:
    if evaluation_id not in _driven_here:
        run_enqueue(run_id, EVALUATION)


def diagnosis_ask(evaluation_id: UUID) -> None:
    """Has a worker diagnose the answers. However many ask, one message in a while is enough. If the
    broker is away, the next request sends it again."""
    try:
        if cache.add(f"diagnosis-asked:{evaluation_id}", True, ASK_SECONDS):
            diagnosis_enqueue(evaluation_id)
    except RedisError as error:
        log.warning("the diagnosis of %s waits for Redis: %s", evaluation_id, error)


def diagnosis_enqueue(evaluation_id: UUID) -> None:
    send("workers.tasks.evaluation.evaluation_diagnose", str(evaluation_id), queue=EVALUATION)
