"""How a training is claimed, recorded, paused, given back and given up, so that none is lost.

    queued ──claim──▶ running ──end──▶ succeeded | failed | cancelled
     ▲  ▲                │ ╲                              │
     │  └── lost ────────┤  pausing ──▶ paused            │
     └──────── resume ───┴───────────────┴────────────────┘

A claim is a compare-and-set that raises `attempt`, the fencing token of everything that a worker
writes: a worker that lost the job stores nothing more. What a training has learned is in its
folder, so the next attempt continues where the last one was. A step that is reported twice is
stored once. A worker that vanished counts only until the next step, because a training of days may
lose many. All times are Postgres's own.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Greatest, Now
from django.utils import timezone

from apps.common.queue import TRAINING, pending_messages
from apps.common.version import code_version
from apps.common.watchdog import long_ago, recover_each
from apps.training.dispatch import training_enqueue
from apps.training.models import HELD, TrainingJob
from workers.core.errors import Failure
from workers.core.events import TrainingEnded
from workers.core.llm.spending import Spent

log = logging.getLogger(__name__)

Status = TrainingJob.Status
MAX_LOST = 3
"""How many workers in a row may vanish without a step."""
MAX_NOTICES = 50


class Fenced(Exception):
    """The job no longer belongs to this attempt; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """What one round of the watchdog did."""

    requeued: int = 0
    failed: int = 0
    stopped: int = 0
    enqueued: int = 0


def training_claim(*, job_id: UUID, worker: str) -> TrainingJob | None:
    """Claims the job for `worker`. None: another worker has it, or it does not wait for a
    worker."""
    version = code_version()
    with transaction.atomic():
        claimed = TrainingJob.objects.filter(id=job_id, status=Status.QUEUED).update(
            status=Status.RUNNING,
            attempt=F("attempt") + 1,
            worker=worker,
            started_at=Coalesce("started_at", Now()),
            going_since=Now(),
            step_before=F("step"),
            step_share=0.0,
            promised_tokens=0,
            promised_cost=0.0,
            heartbeat_at=Now(),
        )
        if not claimed:
            return None
        job = TrainingJob.objects.select_related("pool_version", "profiles", "dataset").get(
            id=job_id
        )
        _sign(job, version)
    return job


def training_heartbeat(
    *, job_id: UUID, attempt: int, spent: Spent, share: float = 0.0
) -> Literal["paused", "cancelled"] | None:
    """A sign of life, with what was spent so far and how much of the current step is done. Returns
    what people want of the training now.

    Raises Fenced.
    """
    ours = TrainingJob.objects.filter(id=job_id, attempt=attempt, status__in=HELD)
    # What was read before another connection told of more is not less.
    columns = spending(spent)
    for name in ("charged_tokens", "charged_cost"):
        columns[name] = Greatest(F(name), Value(columns[name]))
    if not ours.update(heartbeat_at=Now(), step_share=share, **columns):
        raise Fenced
    status, cancelled = ours.values_list("status", "cancel_requested_at").first() or ("", None)
    if cancelled is not None:
        return "cancelled"
    return "paused" if status == Status.PAUSING else None


def spending(spent: Spent) -> dict[str, Any]:
    """Columns of a job. Unknown usage makes the sum unknown, never smaller."""
    prompt, completion = spent.usage.prompt_tokens, spent.usage.completion_tokens
    tokens = None if prompt is None or completion is None else prompt + completion
    charged = {"charged_tokens": spent.tokens, "charged_cost": spent.cost}
    return {"tokens": tokens, "cost": spent.usage.cost, **charged}


@contextmanager
def held(job_id: UUID, attempt: int) -> Iterator[TrainingJob]:
    """The job's row, locked for one transaction of the attempt that has it. Raises Fenced."""
    with transaction.atomic():
        job = _locked(Q(id=job_id, attempt=attempt, status__in=HELD))
        if job is None:
            raise Fenced
        yield job


def training_end(*, job_id: UUID, attempt: int, event: TrainingEnded) -> None:
    """Ends the training as it says itself. Raises Fenced."""
    with held(job_id, attempt) as job:
        job.step = max(job.step, event.step)
        if event.reason == "paused":
            _stop(job)
        elif event.reason == "cancelled":
            _finish(job, Status.CANCELLED)
        else:
            job.end_reason = TrainingJob.EndReason(event.reason)
            _finish(job, Status.SUCCEEDED)


def training_fail(*, job_id: UUID, attempt: int, failure: Failure) -> None:
    """Fails the training. What it has learned stays in its folder, so it can be resumed after a
    repair. If people cancelled it in the meantime, it is cancelled, and a notice names the cause.
    Raises Fenced."""
    with held(job_id, attempt) as job:
        if job.cancel_requested_at is None:
            _finish(job, Status.FAILED, failure)
            return
        notice_add(job, failure.code, failure.message)
        _finish(job, Status.CANCELLED)


def training_stopped(*, job_id: UUID, attempt: int) -> None:
    """Pauses or cancels a training that was stopped within a step because the step took too long.
    A pause's step is repeated. Raises Fenced."""
    with held(job_id, attempt) as job:
        _stop(job)


def training_give_back(*, job_id: UUID, attempt: int) -> None:
    """A worker that must stop gives its job to another worker. Raises Fenced."""
    with held(job_id, attempt) as job:
        notice_add(job, "worker_stopped", f"{job.worker} was told to stop and gave the job back.")
        _queue_again(job)


def trainings_recover(*, limit: int = 100) -> Recovery:
    """One round of the watchdog. Safe to run anywhere, any number of times at once."""
    outcomes = recover_each(_next_lost, _take_from_worker, _give_up, limit=limit)
    return Recovery(
        requeued=outcomes.count("requeued"),
        failed=outcomes.count("failed"),
        stopped=outcomes.count("stopped"),
        enqueued=_enqueue_forgotten(limit),
    )


def training_release(job_id: UUID) -> bool:
    """Takes a job from a worker that vanished, for the caller, without a message to other workers.

    False: its worker is alive, or no worker holds it.
    """
    with transaction.atomic():
        job = _locked(Q(id=job_id) & _lost())
        if job is not None:
            _take_from_worker(job, enqueue=False)
        return job is not None


def notice_add(job: TrainingJob, code: str, message: str) -> None:
    """For a locked job. The caller must also save `notices`."""
    log.info("training %s: %s", job.id, message)
    told = {"at": timezone.now().isoformat(), "code": code, "message": message}
    job.notices = [*job.notices, told][-MAX_NOTICES:]


def _sign(job: TrainingJob, version: str) -> None:
    """For a locked job: this version makes what it learns and saves from here on."""
    if job.step and version != job.code_version:
        before = job.code_version or "(unknown)"
        message = (
            f"It continued after step {job.step:,} with version {version} instead of {before}."
        )
        notice_add(job, "version_changed", message)
    job.code_version = version
    job.save(update_fields=["code_version", "notices"])


def _next_lost(also: Q) -> TrainingJob | None:
    return _locked(_lost() & also, skip_locked=True)


def _lost() -> Q:
    return Q(status__in=HELD) & long_ago("heartbeat_at")


def _give_up(job: TrainingJob, failure: Failure) -> None:
    held = TrainingJob.objects.filter(id=job.id, status__in=HELD, attempt=job.attempt)
    held.update(
        status=Status.FAILED,
        failure=failure.model_dump(),
        finished_at=Now(),
        heartbeat_at=None,
        notices=[],
        charged_tokens=Greatest("charged_tokens", "promised_tokens"),
        charged_cost=Greatest("charged_cost", "promised_cost"),
    )


def _take_from_worker(job: TrainingJob, *, enqueue: bool = True) -> str:
    """Does what people asked for, else starts another try, unless this is the third lost try in a
    row without a step."""
    job.lost += 1
    message = (
        f"The worker {job.worker or '(unknown)'} vanished during attempt {job.attempt}: no sign of "
        f"life for {settings.RUN_LOST_AFTER_SECONDS:g} s."
    )
    unknown = job.promised_tokens - job.charged_tokens
    if unknown > 0:
        message = f"{message} Its last calls may have used {unknown:,} tokens, which count as used."
    job.charged_tokens = max(job.charged_tokens, job.promised_tokens)
    job.charged_cost = max(job.charged_cost, job.promised_cost)
    notice_add(job, "worker_lost", message)
    if job.cancel_requested_at is not None:
        _finish(job, Status.CANCELLED)
        return "stopped"
    if job.status == Status.PAUSING:
        _stand_still(job)
        return "stopped"
    if job.lost >= MAX_LOST:
        remedy = (
            "See the worker's log. The usual cause is too little memory. Then resume the training."
        )
        message = f"{message} This was the third time in a row without a step."
        _finish(job, Status.FAILED, Failure(code="worker_lost", message=message, remedy=remedy))
        return "failed"
    _queue_again(job, enqueue=enqueue)
    return "requeued"


def _queue_again(job: TrainingJob, *, enqueue: bool = True) -> None:
    job.status, job.worker = Status.QUEUED, ""
    job.heartbeat_at, job.enqueued_at = None, Now()
    if job.cancel_requested_at is not None:
        _finish(job, Status.CANCELLED)
        return
    if job.pause_requested_at is not None:
        _stand_still(job)
        return
    job.save()
    if enqueue:
        transaction.on_commit(partial(training_enqueue, job.id), robust=True)


def _stop(job: TrainingJob) -> None:
    if job.cancel_requested_at is None:
        _stand_still(job)
    else:
        _finish(job, Status.CANCELLED)


def _stand_still(job: TrainingJob) -> None:
    job.status, job.worker, job.heartbeat_at = Status.PAUSED, "", None
    job.step_share = 0.0
    job.save()


def _finish(job: TrainingJob, status: str, failure: Failure | None = None) -> None:
    job.status, job.finished_at = Status(status), Now()
    job.heartbeat_at = None
    job.failure = failure.model_dump() if failure else None
    job.save()


def _enqueue_forgotten(limit: int) -> int:
    """Sends queued jobs again that the broker has lost, oldest first: each should have a message.

    A job that is sent twice is harmless, because only one claim succeeds.
    """
    queued = TrainingJob.objects.filter(long_ago("enqueued_at"), status=Status.QUEUED)
    waiting = queued.order_by("created_at")
    missing = waiting.count()
    if not missing or (messages := pending_messages(TRAINING)) is None:
        return 0
    ids = list(waiting.values_list("id", flat=True)[: min(limit, max(0, missing - messages))])
    sent = [job_id for job_id in ids if training_enqueue(job_id)]
    TrainingJob.objects.filter(id__in=sent).update(enqueued_at=Now())
    return len(sent)


def _locked(condition: Q, *, skip_locked: bool = False) -> TrainingJob | None:
    jobs = TrainingJob.objects.select_for_update(skip_locked=skip_locked).filter(condition)
    return jobs.order_by("heartbeat_at").first()
