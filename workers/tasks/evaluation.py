"""Moving evaluations on, on their own queue; or answering one in this process.

evaluation_advance(id)   after its creation, cancellation and resume
evaluations_advance()    every few seconds, all that are under way: whatever else was lost
evaluation_diagnose(id)  when somebody wants to know why answers are wrong
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from time import monotonic, sleep
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, close_old_connections

from apps.evaluations.coordinator import advance, slots_release, turn_pass, unsettled
from apps.evaluations.dispatch import diagnosis_enqueue, driven_here
from apps.evaluations.models import Evaluation
from apps.runs.models import Run

log = logging.getLogger(__name__)

IDLE_SECONDS = 1.0
"""Between two looks at what others may have changed; a cell of its own that ends wakes it."""
DIAGNOSE_SECONDS = 10.0
"""Then the thread is free for an answer, and the rest goes to the end of the queue."""


@shared_task(name="workers.tasks.evaluation.evaluation_advance", ignore_result=True)
def evaluation_advance(evaluation_id: str) -> None:
    """One round of one evaluation. Any number of messages for it do no harm."""
    advance(UUID(evaluation_id))


@shared_task(name="workers.tasks.evaluation.evaluations_advance", ignore_result=True)
def evaluations_advance() -> int:
    """One round of all that are under way; returns how many."""
    ids = list(unsettled().values_list("id", flat=True))
    for evaluation_id in ids:
        try:
            advance(evaluation_id)
        except (OperationalError, InterfaceError):
            raise  # of the database, and then of all of them
        except Exception:  # a bug in the way of one evaluation holds up no other
            log.exception("evaluation %s could not be moved on", evaluation_id)
            turn_pass(evaluation_id)
    return len(ids)


@shared_task(name="workers.tasks.evaluation.evaluation_diagnose", ignore_result=True)
def evaluation_diagnose(evaluation_id: str) -> None:
    """A part of it, then a message for the rest. Any number of messages for it do no harm."""
    from workers.tasks.rationality import look_at_answers

    if not look_at_answers(UUID(evaluation_id), seconds=DIAGNOSE_SECONDS):
        diagnosis_enqueue(UUID(evaluation_id))


def drive(evaluation_id: UUID, on_progress: Callable[[], None]) -> None:
    """Answers the cells of an evaluation in threads of this process, on its one engine.

    Workers may take part: a claim lets one of them have a run. Returns when nothing is left to do;
    raises what a thread raises, such as a database that is gone. Stopped, as by Ctrl-C, it leaves
    no slots taken that others would wait for.
    """
    try:
        with driven_here(evaluation_id):
            _drive(evaluation_id, on_progress)
    except BaseException:
        with suppress(Error):
            slots_release(evaluation_id)
        raise


def _drive(evaluation_id: UUID, on_progress: Callable[[], None]) -> None:
    from workers.tasks.engine import engine

    concurrency = Evaluation.objects.values_list("concurrency", flat=True).get(id=evaluation_id)
    threads = min(concurrency, settings.EVALUATION_MAX_ACTIVE)
    # At once, not with the first cell: its watchdog frees cells whose process was killed, and they
    # may be all that is left.
    here = engine()
    answering: dict[Future[None], UUID] = {}
    told = 0.0
    with ThreadPoolExecutor(threads, thread_name_prefix="cells") as pool:
        try:
            # One thread looks for cells, and only then: a poll of each that is idle took more of
            # the processors than the answers of a small model leave.
            while advance(evaluation_id) or answering:
                for run_id in _queued(evaluation_id, answering.values(), threads - len(answering)):
                    answering[pool.submit(_answer_cell, run_id)] = run_id
                if monotonic() - told >= IDLE_SECONDS:
                    on_progress()
                    told = monotonic()
                for ended in _ended(answering):
                    del answering[ended]
                    ended.result()
        except BaseException:
            # Ctrl-C too: runs go back to the queue, so that whoever resumes finds them at once.
            here.give_everything_back()
            raise


def _queued(evaluation_id: UUID, taken: Collection[UUID], count: int) -> list[UUID]:
    """By chance, since workers look for the same ones."""
    queued = Run.objects.filter(evaluation_id=evaluation_id, status=Run.Status.QUEUED)
    ids = queued.exclude(id__in=taken).order_by("?").values_list("id", flat=True)
    return list(ids[:count])


def _ended(answering: Collection[Future[None]]) -> Collection[Future[None]]:
    """At once when there is one, or none after a while."""
    if not answering:
        sleep(IDLE_SECONDS)
    return wait(answering, IDLE_SECONDS, FIRST_COMPLETED).done


def _answer_cell(run_id: UUID) -> None:
    """Of many threads the last ones still answer, and need the pool's connections."""
    from workers.tasks.inference import run_execute

    try:
        run_execute(str(run_id))
    finally:
        close_old_connections()
