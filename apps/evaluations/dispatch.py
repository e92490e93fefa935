"""Handing evaluations to the workers: the one place where this app knows their tasks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import sleep
from typing import Any
from uuid import UUID

from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis import RedisError

from apps.runs.dispatch import EVALUATION_QUEUE, run_enqueue
from workers.core.specs import EndpointSpec

log = logging.getLogger(__name__)

ASK_SECONDS = 10
WAIT_SECONDS = 1.0

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


def diagnosis_ask(evaluation_id: UUID) -> None:
    """Has a worker look at the answers; however many ask, one message in a while is enough. What a
    broker that is away misses, the next who asks asks again."""
    try:
        if cache.add(f"diagnosis-asked:{evaluation_id}", True, ASK_SECONDS):
            diagnosis_enqueue(evaluation_id)
    except RedisError as error:
        log.warning("the diagnosis of %s waits for Redis: %s", evaluation_id, error)


def diagnosis_enqueue(evaluation_id: UUID) -> None:
    from workers.tasks.evaluation import evaluation_diagnose

    try:
        evaluation_diagnose.apply_async((str(evaluation_id),), queue=EVALUATION_QUEUE, retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("the diagnosis of %s waits for the broker: %s", evaluation_id, error)


def diagnosis_drive(evaluation_id: UUID, on_progress: Callable[[int], None]) -> None:
    """Looks at the answers in this process, or waits for the worker that does; returns when all
    have been looked at."""
    from apps.evaluations.diagnoses import undiagnosed
    from workers.tasks.rationality import look_at_answers

    look_at_answers(evaluation_id, on_progress=on_progress)
    while undiagnosed(evaluation_id, 1):
        sleep(WAIT_SECONDS)
        look_at_answers(evaluation_id, on_progress=on_progress)


def judge_drive(
    evaluation_id: UUID, endpoint: EndpointSpec, on_progress: Callable[[int], None]
) -> None:
    """Asks a model, from this process, about the answers that no rule decides."""
    from workers.tasks.rationality import judge_answers

    judge_answers(evaluation_id, endpoint, on_progress=on_progress)


def structure_drive(
    evaluation_id: UUID, tasks: int, seed: int, on_progress: Callable[[int], None]
) -> dict[str, Any]:
    """Runs M, M− and M+ of every arm with graphs in this process. Raises EndpointAway."""
    from workers.tasks.rationality import try_structures

    return try_structures(evaluation_id, tasks=tasks, seed=seed, on_progress=on_progress)
