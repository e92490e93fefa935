"""Advances evaluations on their own queue, or answers one in this process.

evaluation_advance(id)   after an evaluation is created, cancelled or resumed
evaluations_advance()    every few seconds, for all active ones, in case a message was lost
evaluation_diagnose(id) when a person asks why answers are wrong
"""

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
"""Seconds between two looks for changes by others. The end of one of its own cells wakes it."""
DIAGNOSE_SECONDS = 10.0
"""Seconds after which the thread is free for an answer; the rest goes to the end of the queue."""


@shared_task(name="workers.tasks.evaluation.evaluation_advance", ignore_result=True)
def evaluation_advance(evaluation_id: str) -> None:
    """One round of one evaluation. Extra messages for it do no harm."""
    advance(UUID(evaluation_id))


@shared_task(name="workers.tasks.evaluation.evaluations_advance", ignore_result=True)
def evaluations_advance() -> int:
    """One round of all active evaluations. Returns how many."""
    ids = list(unsettled().values_list("id", flat=True))
    for evaluation_id in ids:
        try:
            advance(evaluation_id)
        except (OperationalError, InterfaceError):
            raise  # of the database, and then of all of them
        except Exception:  # a bug in the way of one evaluation holds up no other
            log.exception("evaluation %s could not be advanced", evaluation_id)
            turn_pass(evaluation_id)
    return len(ids)


@shared_task(name="workers.tasks.evaluation.evaluation_diagnose", ignore_result=True)
def evaluation_diagnose(evaluation_id: str) -> None:
    """Diagnose a part, then send a message for the rest. Extra messages do no harm."""
    from workers.tasks.rationality import look_at_answers

    if not look_at_answers(UUID(evaluation_id), seconds=DIAGNOSE_SECONDS):
        diagnosis_enqueue(UUID(evaluation_id))


def drive(evaluation_id: UUID, on_progress: Callable[[], None]) -> None:
    """Answer the cells of an evaluation in threads of this process, on its one engine.

    Workers may take part: each run is claimed by one. Returns when nothing is left to do. Raises
    what a thread raises, for example if the database is gone. If it is stopped, for example by
    Ctrl-C, it frees the slots that others would wait for.
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
            # Ctrl-C too: runs go back to the queue, so a resumption finds them at once.
            here.give_everything_back()
            raise


def _queued(evaluation_id: UUID, taken: Collection[UUID], count: int) -> list[UUID]:
    """Queued runs of the evaluation in random order, because workers look for the same ones."""
    queued = Run.objects.filter(evaluation_id=evaluation_id, status=Run.Status.QUEUED)
    ids = queued.exclude(id__in=taken).order_by("?").values_list("id", flat=True)
    return list(ids[:count])


def _ended(answering: Collection[Future[None]]) -> Collection[Future[None]]:
    """Those that have ended: at once if there are any, else none after a while."""
    if not answering:
        sleep(IDLE_SECONDS)
    return wait(answering, IDLE_SECONDS, FIRST_COMPLETED).done


def _answer_cell(run_id: UUID) -> None:
    """Answer one cell, then free its connection: the last threads still need the pool's."""
    from workers.tasks.inference import run_execute

    try:
        run_execute(str(run_id))
    finally:
        close_old_connections()
