"""Writes of people about trainings: create, pause, resume, cancel, delete. `lifecycle` is the
workers' side."""

import shutil
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from rest_framework import status

from apps.accounts.admission import Asked, Creation, check_limit, one_at_a_time, owner_check
from apps.accounts.models import User
from apps.checkpoints.uses import checkpoints_hold
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.names import NAME_CHARS
from apps.common.texts import within_sentence
from apps.llms.models import Endpoint
from apps.llms.services import endpoint_as_now, endpoints_as_now
from apps.setups.learning import learning_methods
from apps.training.dispatch import training_enqueue
from apps.training.folders import training_folder
from apps.training.models import ENDED, TrainingJob
from apps.training.plan import TrainingPlan, price_errors, training_plan, unasked_errors
from apps.training.requests import TrainingRequest
from apps.training.retention import checkpoints_forget
from workers.core.methods.registry import METHODS
from workers.core.specs import EndpointSpec, TrainingBudget

Status = TrainingJob.Status


def training_create(
    *,
    user: User,
    request: TrainingRequest,
    idempotency_key: str | None = None,
    enqueue: bool = True,
) -> Creation[TrainingJob]:
    """Stores a job as queued and enqueues it on commit. Raises ApplicationError.

    Without `enqueue` the caller trains: see `workers.tasks.training.train`.
    """
    asked = Asked.of(TrainingJob, user=user, body=request, key=idempotency_key)
    if earlier := asked.earlier():
        return Creation(earlier, created=False)
    plan = training_plan(request)

    def make() -> TrainingJob:
        checkpoints_hold([request.start_from or "", *plan.checkpoints])
        job = TrainingJob(**_planned(request, plan), **asked.stamp)
        job.save(force_insert=True)
        if enqueue:
            transaction.on_commit(partial(training_enqueue, job.id), robust=True)
        return job

    return asked.once(make, limit=_check_active)


def _planned(request: TrainingRequest, plan: TrainingPlan) -> dict[str, Any]:
    schema, asked = learning_methods()[request.method].training_schema, plan.run.endpoint
    return {
        "name": request.name or _name(request, plan),
        "method": request.method,
        "preset": plan.preset,
        "config": plan.config,
        "total_steps": plan.total_steps,
        "seed": plan.run.seed,
        **plan.run.roles(schema.model_validate(plan.config)),
        "dataset": plan.dataset,
        "dataset_digest": plan.dataset.digest,
        "split": request.split,
        "limit": request.limit,
        "endpoint_spec": asked.spec().model_dump(mode="json") if asked else None,
        "endpoint_specs": [each.spec().model_dump(mode="json") for each in plan.further],
        "start_from": request.start_from or "",
        "budget": request.budget.model_dump(mode="json"),
        "per_system": plan.run.budget(request.per_system).model_dump(mode="json"),
        "keep_checkpoints": request.keep_checkpoints,
        "enqueued_at": Now(),
    }


def training_pause(*, user: User, job_id: UUID, as_admin: bool) -> TrainingJob:
    """Pauses a training after its current step. One that asks no endpoint breaks a long step off;
    it is repeated. A training that waits pauses now.

    Raises TrainingJob.DoesNotExist, or ApplicationError: 403, 409.
    """
    with transaction.atomic():
        job = _locked(user, job_id, as_admin)
        if job.status not in (Status.QUEUED, Status.RUNNING) or job.cancel_requested_at:
            raise _conflict(
                job,
                _("The training is %(status)s, so it cannot be paused."),
                _("Only a queued or running training can be paused."),
            )
        waits = job.status == Status.QUEUED
        job.status = Status.PAUSED if waits else Status.PAUSING
        job.pause_requested_at, job.pause_requested_by = Now(), user.username
        job.save(update_fields=["status", "pause_requested_at", "pause_requested_by"])
    return job


def training_resume(
    *,
    user: User,
    job_id: UUID,
    as_admin: bool,
    budget: TrainingBudget | None = None,
    enqueue: bool = True,
) -> TrainingJob:
    """Continues after the last step: a training that was paused, that failed, or that spent its
    budget. In the last case `budget` must allow more than counts so far. The endpoint is used as it
    is set up now, so that a repair helps. It is refused if it is off, deleted or has another model
    now, or if cost is limited and it has no prices.

    Raises TrainingJob.DoesNotExist, or ApplicationError: 400, 403, 409, 429.
    """
    with transaction.atomic():
        job = _locked(user, job_id, as_admin)
        _check_resumable(job, budget)
        if job.status in ENDED and job.created_by is not None:
            one_at_a_time(job.created_by, TrainingJob)
            _check_active(job.created_by)
        if budget is not None:
            if errors := unasked_errors(job.method, budget):
                raise ApplicationError.of_fields(errors)
            job.budget = budget.model_dump(mode="json")
        _check_prices(job, _renew_endpoints(job))
        job.status, job.failure, job.finished_at, job.end_reason = Status.QUEUED, None, None, ""
        job.pause_requested_at, job.pause_requested_by = None, ""
        job.cancel_requested_at, job.cancel_requested_by = None, ""
        job.lost, job.enqueued_at = 0, Now()
        job.save()
        if enqueue:
            transaction.on_commit(partial(training_enqueue, job.id), robust=True)
    return job


def training_cancel(*, user: User, job_id: UUID, as_admin: bool) -> TrainingJob:
    """Cancels for good. A running training ends after its step, or soon within it.

    What it has saved stays. Raises TrainingJob.DoesNotExist, or ApplicationError: 403, 409.
    """
    with transaction.atomic():
        job = _locked(user, job_id, as_admin)
        if job.status in ENDED:
            raise _conflict(
                job,
                _("The training is %(status)s, so it cannot be cancelled."),
                _("It has already ended."),
            )
        if job.cancel_requested_at is None:
            job.cancel_requested_at, job.cancel_requested_by = Now(), user.username
        if job.status in (Status.QUEUED, Status.PAUSED):
            job.status, job.finished_at = Status.CANCELLED, Now()
        job.save()
    job.refresh_from_db()
    return job


def training_delete(*, user: User, job_id: UUID, as_admin: bool) -> None:
    """Deletes the job with its metrics, samples and folder, and its checkpoints except those that
    are promoted or in use. Raises TrainingJob.DoesNotExist, or ApplicationError: 403, 409."""
    with transaction.atomic():
        job = _locked(user, job_id, as_admin)
        if job.status not in ENDED:
            raise _conflict(
                job,
                _("The training is %(status)s, so it cannot be deleted."),
                _("Cancel it first."),
            )
        checkpoints_forget(job=job)
        folder = training_folder(job.id)
        job.delete()
        forget = partial(shutil.rmtree, folder, ignore_errors=True)
        transaction.on_commit(forget, robust=True)


def _check_resumable(job: TrainingJob, budget: TrainingBudget | None) -> None:
    if job.end_reason == TrainingJob.EndReason.BUDGET:
        if budget is None or not _leaves_room(budget, job):
            raise ApplicationError(
                code="budget_spent",
                message=_("The training has spent its budget."),
                remedy=_("Resume it with a budget that allows more than what counts so far."),
                status_code=status.HTTP_409_CONFLICT,
                fields=(FieldError("budget", "budget_spent", _more_than(job)),),
            )
    elif job.status not in (Status.PAUSED, Status.FAILED):
        raise _conflict(
            job,
            _("The training is %(status)s, so it cannot be resumed."),
            _("Only a paused or failed training can be resumed."),
        )


def _leaves_room(budget: TrainingBudget, job: TrainingJob) -> bool:
    pairs = ((budget.max_tokens, job.charged_tokens), (budget.max_cost, job.charged_cost))
    return all(limit is None or limit > charged for limit, charged in pairs)


def _more_than(job: TrainingJob) -> str:
    return _(
        "Allow more than the %(charged_tokens)s tokens and $%(charged_cost)s that count so far. "
        "Calls with unknown usage count as estimated."
    ) % {"charged_tokens": f"{job.charged_tokens:,}", "charged_cost": f"{job.charged_cost:.6f}"}


def _renew_endpoints(job: TrainingJob) -> list[EndpointSpec]:
    began = job.endpoint_spec
    if began is None:
        return []
    endpoint = Endpoint.objects.filter(key=began.get("key")).first()
    remedy = _("Otherwise start a new training from the last checkpoint.")
    spec = endpoint_as_now(endpoint, began=began, remedy=remedy)
    job.endpoint_spec = spec.model_dump(mode="json")
    job.endpoint_specs = endpoints_as_now(job.endpoint_specs, remedy=remedy)
    return [spec, *map(EndpointSpec.model_validate, job.endpoint_specs)]


def _check_prices(job: TrainingJob, endpoints: list[EndpointSpec]) -> None:
    """Checks prices again: an endpoint may have lost its prices, or the budget may be new."""
    errors = price_errors(TrainingBudget.model_validate(job.budget), endpoints)
    if errors:
        raise ApplicationError(
            code=errors[0].code,
            message=errors[0].message,
            remedy=_("Set the prices of the endpoint, or resume with only a token limit."),
            status_code=status.HTTP_409_CONFLICT,
            fields=tuple(errors),
        )


def _name(request: TrainingRequest, plan: TrainingPlan) -> str:
    return f"{METHODS[request.method].name} on {plan.dataset.name}"[:NAME_CHARS]


def _locked(user: User, job_id: UUID, as_admin: bool) -> TrainingJob:
    job = TrainingJob.objects.select_for_update().get(id=job_id)
    owner_check(job, user, as_admin=as_admin, message=_("This training belongs to someone else."))
    return job


def _conflict(job: TrainingJob, message: str, remedy: str) -> ApplicationError:
    """`message` contains the placeholder `%(status)s` for the job's status."""
    is_ending = job.cancel_requested_at and job.status not in ENDED
    told = _("being cancelled") if is_ending else within_sentence(job.get_status_display())
    return conflict(f"training_{job.status}", message % {"status": told}, remedy)


def _check_active(user: User) -> None:
    active = TrainingJob.objects.filter(created_by=user).exclude(status__in=ENDED).count()
    check_limit(
        active,
        settings.TRAINING_MAX_ACTIVE_PER_USER,
        code="too_many_trainings",
        message=_("You have %(active)s trainings that have not ended, which is the limit."),
        retry_seconds=60,
    )
