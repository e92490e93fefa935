"""How a run is claimed, given back and given up, so that none is lost.

    queued ──claim──▶ running ──end──▶ succeeded | failed | cancelled
       ▲                 │
       └── lost / given back

A claim is a compare-and-set that raises `attempt`, the fencing token of everything a worker writes.
A worker that vanished uses up one of `max_attempts`. A worker that was told to stop and gave its
runs back does not: `max_attempts` grows by one, so that a deployment never costs a run its tries.
What each attempt used counts in the run's budget (`spent`).
All times are Postgres's own, so that clocks of several hosts cannot disagree.
"""

import logging
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce, Now

from apps.common.lifelines import dead_workers, lifelines_forget
from apps.common.queue import INFERENCE, pending_messages
from apps.common.watchdog import long_ago, recover_each
from apps.runs.dispatch import QUEUES, run_enqueue
from apps.runs.journal import event_append, run_end, run_queue_again, so_far, status_announce
from apps.runs.models import Run
from apps.runs.spent import attempt_spent, spent_told
from apps.runs.turns import due, followers, has_turn
from workers.core.errors import Failure
from workers.core.events import AttemptLost, RunCancelled, RunFailed

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recovery:
    """What one round of the watchdog did."""

    requeued: int = 0
    failed: int = 0
    cancelled: int = 0
    enqueued: int = 0


def run_claim(*, run_id: UUID, worker: str) -> Run | None:
    """Claims the run for `worker`. None: another worker has it, it ended, or its owner's other runs
    must end first."""
    with transaction.atomic():
        claimed = has_turn(run_id) and Run.objects.filter(
            id=run_id, status=Run.Status.QUEUED, attempt__lt=F("max_attempts")
        ).update(
            status=Run.Status.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            started_at=Coalesce("started_at", Now()),
            heartbeat_at=Now(),
        )
    if not claimed:
        return None
    run = Run.objects.select_related("pool_version").get(id=run_id)
    status_announce(run)
    return run


def runs_follow(run: Run) -> None:
    """After a run ends: hands its owner's waiting runs to the workers."""
    if run.evaluation_id is None:
        for run_id in followers(run.created_by_id):
            run_enqueue(run_id)


def run_give_back(*, run_id: UUID, attempt: int, reason: Failure) -> bool:
    """Gives the run of a worker that must stop to another worker. False if the worker no longer
    held it."""
    with transaction.atomic():
        run = _locked(Q(id=run_id, status=Run.Status.RUNNING, attempt=attempt))
        if run is None:
            return False
        Run.objects.filter(id=run_id).update(max_attempts=F("max_attempts") + 1)
        run.max_attempts += 1
        _take_from_worker(run, reason)
    return True


def run_fail(*, run_id: UUID, attempt: int, failure: Failure) -> bool:
    """Ends a run whose worker cannot even begin it. False if the worker no longer holds it."""
    with transaction.atomic():
        run = _locked(Q(id=run_id, status=Run.Status.RUNNING, attempt=attempt))
        if run is None:
            return False
        run_end(run=run, event=RunFailed(failure=failure, **so_far(run)))
    return True


def runs_recover(*, limit: int = 200) -> Recovery:
    """One round of the watchdog. Safe to run anywhere, any number of times at once."""
    dead = dead_workers()
    locked, take = partial(_next_lost, dead), partial(_take_from_lost, dead)
    outcomes = recover_each(locked, take, _give_up, limit=limit)
    held = Run.objects.filter(status=Run.Status.RUNNING, worker__in=dead) if dead else ()
    lifelines_forget(sorted({*dead} - {run.worker for run in held}))
    return Recovery(
        requeued=outcomes.count("requeued"),
        failed=outcomes.count("failed"),
        cancelled=outcomes.count("cancelled") + _cancel_queued(limit),
        enqueued=sum(_enqueue_forgotten(queue, limit) for queue in QUEUES),
    )


def _next_lost(dead: list[str], also: Q) -> Run | None:
    lost = long_ago("heartbeat_at") | Q(worker__in=dead)
    return _locked(Q(status=Run.Status.RUNNING) & lost & also, skip_locked=True)


def _take_from_lost(dead: list[str], run: Run) -> str:
    silence = f"no sign of life for {settings.RUN_LOST_AFTER_SECONDS:g} s"
    sign = "its process has ended" if run.worker in dead else silence
    cause = Failure(
        code="worker_lost",
        message=f"The worker {run.worker or '(unknown)'} vanished during attempt {run.attempt} of "
        f"{run.max_attempts}: {sign}.",
        remedy="See the worker's log. The usual cause is too little memory. Then retry the run.",
    )
    return _take_from_worker(run, cause)


def _give_up(run: Run, failure: Failure) -> None:
    """Fails the run without an event, because its events may be the problem."""
    held = Run.objects.filter(id=run.id, status=Run.Status.RUNNING, attempt=run.attempt)
    if held.update(status=Run.Status.FAILED, failure=failure.model_dump(), finished_at=Now()):
        run.status = Run.Status.FAILED
        status_announce(run)


def _take_from_worker(run: Run, cause: Failure) -> str:
    """Closes the attempt, then queues the run again, or ends it if no attempt is left."""
    will_retry = run.attempt < run.max_attempts and run.cancel_requested_at is None
    spent = attempt_spent(run)
    cause = cause.model_copy(update={"message": f"{cause.message} {spent_told(spent)}"})
    event_append(run=run, event=AttemptLost(failure=cause, will_retry=will_retry, spent=spent))
    log.warning("run %s: attempt %d lost: %s", run.id, run.attempt, cause.message)
    if run.cancel_requested_at is not None:
        run_end(run=run, event=RunCancelled(by=run.cancel_requested_by, **so_far(run)))
        return "cancelled"
    if not will_retry:
        run_end(run=run, event=RunFailed(failure=cause, **so_far(run)))
        return "failed"
    run_queue_again(run)
    return "requeued"


def _cancel_queued(limit: int) -> int:
    """Cancels runs that no worker holds: the request came while a worker gave them back, or just
    when they began to wait for a person."""
    free = Q(status__in=(Run.Status.QUEUED, Run.Status.WAITING))
    wanted = Run.objects.filter(free, cancel_requested_at__isnull=False)
    count = 0
    for run_id in wanted.values_list("id", flat=True)[:limit]:
        with transaction.atomic():
            run = _locked(free & Q(id=run_id))
            if run is not None:
                run_end(run=run, event=RunCancelled(by=run.cancel_requested_by, **so_far(run)))
                count += 1
    return count


def _enqueue_forgotten(queue: str, limit: int) -> int:
    """Sends queued runs again that a queue of the broker has lost, oldest first.

    Each run that may begin should have a message. If there are fewer messages than such runs, as
    many runs are sent again as messages are missing. A run that is sent twice is harmless, because
    only one claim succeeds.
    """
    waiting = Run.objects.filter(
        long_ago("enqueued_at"), status=Run.Status.QUEUED, evaluation__isnull=queue == INFERENCE
    ).order_by("created_at")
    missing = due(waiting) if queue == INFERENCE else list(waiting.values_list("id", flat=True))
    if not missing or (messages := pending_messages(queue)) is None:
        return 0
    ids = missing[: min(limit, max(0, len(missing) - messages))]
    sent = [run_id for run_id in ids if run_enqueue(run_id, queue)]
    Run.objects.filter(id__in=sent).update(enqueued_at=Now())
    return len(sent)


def _locked(condition: Q, *, skip_locked: bool = False) -> Run | None:
    runs = Run.objects.select_for_update(skip_locked=skip_locked).filter(condition)
    return runs.order_by("heartbeat_at").first()
