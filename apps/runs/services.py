"""Writes of people about runs: create, cancel, retry, delete. The workers' side is `lifecycle`."""

from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.accounts.admission import Asked, Creation, check_limit, idempotency_key_check
from apps.accounts.models import User
from apps.checkpoints.uses import checkpoints_hold
from apps.common.errors import conflict
from apps.common.texts import within_sentence
from apps.llms.services import endpoints_as_now
from apps.runs.attaching import check_readable, files_of
from apps.runs.breakpoints import control_errors, leadable_check
from apps.runs.control import ANEW, run_owner_check
from apps.runs.dispatch import run_enqueue
from apps.runs.feed import publish_cancel
from apps.runs.journal import run_end, so_far
from apps.runs.judging import judging_of
from apps.runs.models import TERMINAL, Run
from apps.runs.requests import RunRequest, request_errors
from apps.setups.plan import set_up_plan
from apps.tasks.files import with_files
from workers.core.events import RunCancelled
from workers.core.specs import RunControl


def run_create(
    *, user: User, request: RunRequest, idempotency_key: str | None = None
) -> Creation[Run]:
    """Stores a run as queued and enqueues it on commit. Raises ApplicationError."""
    idempotency_key_check(idempotency_key)
    plan_errors = request_errors(request)
    asked = None if plan_errors else Asked.of(Run, user=user, body=request, key=idempotency_key)
    if asked and (earlier := asked.earlier()):
        return Creation(earlier, created=False)
    errors = list(plan_errors)
    judging = judging_of(request, errors)
    files = files_of(user, request, errors)
    plan = set_up_plan(request, errors, also=partial(control_errors, request))
    leadable_check(request, plan)
    columns = plan.columns()
    if files:
        check_readable(request, plan, columns["pool_version"])
    values = {
        **columns,
        "seed": plan.seed,
        "query": request.query,
        "reference": judging.reference,
        "task_details": with_files(judging.task_details, files),
        "budget": plan.budget(request.budget).model_dump(mode="json"),
        "control": RunControl(
            breakpoints=request.breakpoints, step=request.step, stepped=request.step
        ).model_dump(mode="json"),
    }
    asked = asked or Asked.of(Run, user=user, body=request, key=idempotency_key)
    return run_store(asked, values)


def run_retry(*, user: User, run: Run, idempotency_key: str | None = None) -> Creation[Run]:
    """Asks the same question again in a new run, with the same method, seed, pool version and
    budget.

    The endpoint is used as it is configured now, because a repaired endpoint is a reason to retry.
    """
    asked = Asked.of(Run, user=user, body={"retry_of": str(run.id)}, key=idempotency_key)
    if earlier := asked.earlier():
        return Creation(earlier, created=False)
    if run.status not in TERMINAL:
        raise conflict(
            "run_not_ended",
            _("The run is %(status)s. Only an ended run can be retried.")
            % {"status": within_sentence(run.get_status_display())},
            _("Wait until it ends, or cancel it first."),
        )
    if run.endpoint is None or not run.endpoint.enabled:
        raise conflict(
            "endpoint_disabled",
            _("The endpoint “%(endpoint_key)s” was deleted or switched off.")
            % {"endpoint_key": run.endpoint_key},
            _("Ask the question again with another endpoint."),
        )
    asked_alike = ("seed", "query", "reference", "task_details", "budget")
    values = {
        **run.set_up(),
        **{name: getattr(run, name) for name in asked_alike},
        "endpoint_key": run.endpoint.key,
        "endpoint_spec": run.endpoint.spec().model_dump(mode="json"),
        "endpoint_specs": endpoints_as_now(run.endpoint_specs, remedy=ANEW),
        "control": _beginning_of(run),
        "retry_of": run,
        "fork_of": run.fork_of,
    }
    return run_store(asked, values)


def _beginning_of(run: Run) -> dict[str, Any]:
    """Where it stops and what it takes over, as at its start, before any agent was released."""
    control = RunControl.model_validate(run.control)
    began = {"step": control.stepped, "stepped": control.stepped}
    return RunControl(breakpoints=control.breakpoints, kept=control.kept, **began).model_dump(
        mode="json"
    )


def run_cancel(*, user: User, run_id: UUID, as_admin: bool) -> Run:
    """Ends a queued run now. A running one gets a signal and ends within about a second.

    Raises Run.DoesNotExist, or ApplicationError: 403 for another user's run, 409 for an ended one.
    """
    with transaction.atomic():
        run = Run.objects.select_for_update().get(id=run_id)
        _check_may_cancel(user, run, as_admin)
        if run.status in (Run.Status.QUEUED, Run.Status.WAITING):
            run_end(run=run, event=RunCancelled(by=user.username, **so_far(run)))
        elif run.cancel_requested_at is None:
            run.cancel_requested_at, run.cancel_requested_by = Now(), user.username
            run.save(update_fields=["cancel_requested_at", "cancel_requested_by"])
        if run.status == Run.Status.RUNNING:
            transaction.on_commit(partial(publish_cancel, run.id, user.username))
    return run


@transaction.atomic
def run_delete(*, user: User, run_id: UUID, as_admin: bool) -> None:
    """Deletes a run with its trace, notes and links. Forks and designs that were made from it stay.

    Raises Run.DoesNotExist, or ApplicationError: 403 for another user's run, 409 for a run that has
    not ended and for an answer of an evaluation.
    """
    run = Run.objects.select_for_update().get(id=run_id)
    run_owner_check(run, user, as_admin, _("Ask its owner or an admin to delete it."))
    if run.status not in TERMINAL:
        raise conflict(
            "run_not_ended",
            _("The run is %(status)s. Only an ended run can be deleted.")
            % {"status": within_sentence(run.get_status_display())},
            _("Cancel it first."),
        )
    if run.evaluation_id is not None:
        raise conflict(
            "of_an_evaluation",
            _("The run is an answer of an evaluation, and the evaluation's figures need it."),
            _("To remove it, delete the evaluation."),
        )
    run.delete()


def _check_may_cancel(user: User, run: Run, as_admin: bool) -> None:
    run_owner_check(run, user, as_admin, _("Ask its owner or an admin to cancel it."))
    if run.status in TERMINAL:
        raise conflict(
            "run_ended",
            _("The run has ended (%(status)s), so it cannot be cancelled.")
            % {"status": within_sentence(run.get_status_display())}
            if run.status != Run.Status.CANCELLED
            else _("The run is already cancelled."),
            _("To run it again, retry it."),
        )


def run_store(asked: Asked[Run], values: dict[str, Any]) -> Creation[Run]:
    """Raises ApplicationError if the user may have no more runs at once."""

    def make() -> Run:
        checkpoints_hold([values.get("checkpoint", "")])
        run = Run.objects.create(
            **values, **asked.stamp, max_attempts=settings.RUN_MAX_ATTEMPTS, enqueued_at=Now()
        )
        transaction.on_commit(lambda: run_enqueue(run.id), robust=True)
        return run

    return asked.once(make, limit=_check_active)


def _check_active(user: User) -> None:
    active = Run.objects.filter(
        created_by=user, status__in=("queued", "running", "waiting")
    ).count()
    check_limit(
        active,
        settings.RUN_MAX_ACTIVE_PER_USER,
        code="too_many_runs",
        message=_(
            "You have %(active)s runs that are queued, running or waiting, which is the limit."
        ),
        retry_seconds=5,
    )
