"""Handing evaluations to the workers: the one place where this app knows their tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from uuid import UUID

from kombu.exceptions import OperationalError
from redis import RedisError

from apps.runs.dispatch import EVALUATION_QUEUE, run_enqueue

log = logging.getLogger(__name__)

driven_here: set[UUID] = set()
"""Evaluations that this process answers by itself: nothing of them goes to the broker."""


def evaluation_enqueue(evaluation_id: UUID) -> None:
    """Best effort: what a broker that is away misses, beat asks for again."""
    from workers.tasks.evaluation import evaluation_advance

    if evaluation_id in driven_here:
        return
    try:
        evaluation_advance.apply_async((str(evaluation_id),), queue=EVALUATION_QUEUE, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("evaluation %s waits for the broker: %s", evaluation_id, error)


def cell_enqueue(evaluation_id: UUID, run_id: UUID) -> None:
    if evaluation_id not in driven_here:
        run_enqueue(run_id, EVALUATION_QUEUE)


def evaluation_drive(evaluation_id: UUID, on_progress: Callable[[], None]) -> None:
    """Answers the evaluation in this process, without Celery's workers; returns at its end."""
    from workers.tasks.evaluation import drive

    driven_here.add(evaluation_id)
    try:
        drive(evaluation_id, on_progress)
    finally:
        driven_here.discard(evaluation_id)
