"""Writes of people about evaluations: create, cancel, resume, delete. `coordinator` moves them
on."""

from functools import partial
from hashlib import blake2b
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.accounts.admission import Asked, Creation, check_limit, one_at_a_time, owner_check
from apps.accounts.models import User
from apps.checkpoints.uses import checkpoints_hold
from apps.common.errors import ApplicationError, conflict
from apps.common.texts import within_sentence
from apps.evaluations.dispatch import evaluation_enqueue
from apps.evaluations.models import (
    ACTIVE,
    Evaluation,
    EvaluationArm,
    EvaluationResult,
    EvaluationTask,
)
from apps.evaluations.notices import plan_notices, without_end_notices
from apps.evaluations.outcomes import forget, unanswered
from apps.evaluations.plan import EvaluationPlan, evaluation_plan
from apps.evaluations.requests import EvaluationRequest
from apps.roles.models import PoolVersion
from apps.runs.models import Run
from apps.runs.services import run_cancel
from apps.setups.models import ENDPOINTS
from apps.setups.plan import SetUpPlan
from apps.setups.specs import pool_spec
from workers.core.methods.tools_used import tools_used

BATCH = 2_000
RESUMABLE = (Evaluation.Status.FAILED, Evaluation.Status.CANCELLED)


def evaluation_create(
    *,
    user: User,
    request: EvaluationRequest,
    idempotency_key: str | None = None,
    enqueue: bool = True,
) -> Creation[Evaluation]:
    """Stores an evaluation with its cells and starts it on commit. Raises ApplicationError.

    Without `enqueue` the caller moves it on: see `workers.tasks.evaluation.drive`.
    """
    asked = Asked.of(Evaluation, user=user, body=request, key=idempotency_key)
    active = _active(user)  # counted before: what another request with this key made is no other
    if earlier := asked.earlier():
        return Creation(earlier, created=False)
    _check(active)  # before the work, and again when nobody else can begin one meanwhile
    plan = evaluation_plan(request)
    notices = plan_notices(plan)

    def make() -> Evaluation:
        checkpoints_hold(arm.run.checkpoint for arm in plan.arms)
        evaluation = Evaluation.objects.create(
            name=request.name or _name(request, plan),
            dataset=plan.dataset,
            dataset_key=plan.dataset.key,
            **request.model_dump(mode="json", include=set(COPIED)),
            warnings=notices,
            total=len(plan.tasks) * len(plan.arms) * request.repeats,
            **asked.stamp,
        )
        _store_cells(evaluation, _store_arms(evaluation, plan), _store_tasks(evaluation, plan))
        if enqueue:
            transaction.on_commit(partial(evaluation_enqueue, evaluation.id), robust=True)
        return evaluation

    return asked.once(make, limit=_check_active)


def _check_active(user: User) -> None:
    _check(_active(user))


def _active(user: User) -> int:
    return Evaluation.objects.filter(created_by=user, status__in=ACTIVE).count()


def _check(active: int) -> None:
    check_limit(
        active,
        settings.EVALUATION_MAX_ACTIVE_PER_USER,
        code="too_many_evaluations",
        message=_("You have %(active)s evaluations that have not ended, which is the limit."),
        retry_seconds=60,
    )


COPIED = ("split", "limit", "repeats", "seed", "budget", "concurrency")


def evaluation_cancel(*, user: User, evaluation_id: UUID, as_admin: bool) -> Evaluation:
    """Starts no more cells and stops those in progress. Recorded answers stay.

    Raises Evaluation.DoesNotExist, or ApplicationError: 403, 409.
    """
    with transaction.atomic():
        evaluation = _locked(user, evaluation_id, as_admin)
        if evaluation.status not in ACTIVE:
            raise conflict(
                "evaluation_ended",
                _("The evaluation has ended (%(status)s), so it cannot be cancelled.")
                % {"status": within_sentence(evaluation.get_status_display())},
                _("To continue it, resume it."),
            )
        evaluation.status, evaluation.finished_at = Evaluation.Status.CANCELLED, Now()
        evaluation.save(update_fields=["status", "finished_at"])
        for run_id in _under_way(evaluation):
            _stop(user, run_id)
        transaction.on_commit(partial(evaluation_enqueue, evaluation.id), robust=True)
    return evaluation


def evaluation_resume(
    *, user: User, evaluation_id: UUID, as_admin: bool, enqueue: bool = True
) -> Evaluation:
    """Continues with the cells that are not recorded. Cells that were stopped are asked again, even
    before their workers notice, and so are cells that failed because of their endpoint. An endpoint
    is used as it is set up now, so that a repair helps. It is refused if it is off, deleted or has
    another model now.

    Raises Evaluation.DoesNotExist, or ApplicationError: 403, 409.
    """
    with transaction.atomic():
        evaluation = _locked(user, evaluation_id, as_admin)
        missing = list(unanswered(evaluation).only("pk"))
        ended = evaluation.status == Evaluation.Status.SUCCEEDED
        if evaluation.status not in RESUMABLE and not (ended and missing):
            raise conflict(
                "evaluation_not_stopped",
                _(
                    "The evaluation is %(status)s. Only an evaluation that failed, was "
                    "cancelled, or misses answers because of an endpoint can be resumed."
                )
                % {"status": within_sentence(evaluation.get_status_display())},
                _("To measure again, make a new evaluation."),
            )
        if evaluation.created_by is not None:
            one_at_a_time(evaluation.created_by, Evaluation)
            _check_active(evaluation.created_by)
        forget(missing)
        evaluation.done -= len(missing)
        _renew_endpoints(evaluation)
        _let_go_of_the_stopped(evaluation)
        evaluation.status, evaluation.failure = Evaluation.Status.RUNNING, None
        evaluation.finished_at, evaluation.going_since = None, Now()
        evaluation.warnings = without_end_notices(evaluation.warnings)
        evaluation.save(
            update_fields=["status", "failure", "finished_at", "going_since", "warnings", "done"]
        )
        if enqueue:
            transaction.on_commit(partial(evaluation_enqueue, evaluation.id), robust=True)
    return evaluation


def evaluation_delete(*, user: User, evaluation_id: UUID, as_admin: bool) -> None:
    """Deletes the evaluation with its results, its runs and their traces.

    Raises Evaluation.DoesNotExist, or ApplicationError: 403, 409 while it runs.
    """
    with transaction.atomic():
        evaluation = _locked(user, evaluation_id, as_admin)
        if evaluation.status in ACTIVE or _under_way(evaluation):
            raise conflict(
                "evaluation_running",
                _("The evaluation still has answers in progress."),
                _("Cancel it, wait a second, then delete it."),
            )
        evaluation.delete()


def cell_seed(seed: int, index: int, repeat: int) -> int:
    """A seed in [0, 2³¹) from evaluation, task and repeat; the same for all arms."""
    digest = blake2b(f"{seed}:{index}:{repeat}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 33


def _store_arms(evaluation: Evaluation, plan: EvaluationPlan) -> list[EvaluationArm]:
    return EvaluationArm.objects.bulk_create(
        EvaluationArm(
            evaluation=evaluation,
            index=index,
            label=arm.label,
            max_completion_tokens_per_call=arm.reply_tokens,
            tools=_tools(arm.run, columns["pool_version"]),
            **columns,
        )
        for index, arm in enumerate(plan.arms)
        for columns in [arm.run.columns()]
    )


def _tools(run: SetUpPlan, version: PoolVersion | None) -> list[str]:
    pool = pool_spec(version and version.pk)
    used = tools_used(run.method, run.method_config, pool=pool, endpoint=run.run_endpoint.spec())
    return list(used)


def _store_tasks(evaluation: Evaluation, plan: EvaluationPlan) -> list[EvaluationTask]:
    return EvaluationTask.objects.bulk_create(
        (
            EvaluationTask(
                evaluation=evaluation,
                index=task.index,
                task=task,
                query=(spec := task.spec()).query,
                reference=spec.reference,
                spec=spec.model_dump(mode="json"),
            )
            for task in plan.tasks
        ),
        batch_size=BATCH,
    )


def _store_cells(
    evaluation: Evaluation, arms: list[EvaluationArm], tasks: list[EvaluationTask]
) -> None:
    """All arms answer a task before the next task, so that the answers so far can always be
    compared."""
    cells = (
        (arm, task, repeat)
        for repeat in range(evaluation.repeats)
        for task in tasks
        for arm in arms
    )
    EvaluationResult.objects.bulk_create(
        (
            EvaluationResult(
                evaluation=evaluation, position=position, arm=arm, task=task, repeat=repeat
            )
            for position, (arm, task, repeat) in enumerate(cells)
        ),
        batch_size=BATCH,
    )


def _name(request: EvaluationRequest, plan: EvaluationPlan) -> str:
    labels = ", ".join(arm.label for arm in plan.arms)
    return f"{plan.dataset.key}/{request.split}: {labels}"[:120]


def _renew_endpoints(evaluation: Evaluation) -> None:
    """Renews the endpoints of arms that still have questions, and of their runs that wait for a
    worker."""
    waiting = evaluation.arms.filter(results__recorded_at__isnull=True).distinct()
    remedy = _("Otherwise make a new evaluation with another endpoint.")
    for arm in waiting.select_related("endpoint"):
        arm.renew_endpoints(remedy=remedy)
        arm.save(update_fields=ENDPOINTS)
        queued = evaluation.runs.filter(result__arm=arm, status=Run.Status.QUEUED)
        queued.update(**{name: getattr(arm, name) for name in ENDPOINTS})


def _let_go_of_the_stopped(evaluation: Evaluation) -> None:
    """Their cells wait for a new run. A run that ends as cancelled later then belongs to no
    cell."""
    stopped = Q(run__cancel_requested_at__isnull=False) | Q(run__status=Run.Status.CANCELLED)
    forget(evaluation.results.filter(stopped, recorded_at__isnull=True))


def _under_way(evaluation: Evaluation) -> list[UUID]:
    active = (Run.Status.QUEUED, Run.Status.RUNNING)
    return list(evaluation.runs.filter(status__in=active).values_list("id", flat=True))


def _stop(user: User, run_id: UUID) -> None:
    try:
        run_cancel(user=user, run_id=run_id, as_admin=True)
    except ApplicationError as error:
        if error.code != "run_ended":
            raise


def _locked(user: User, evaluation_id: UUID, as_admin: bool) -> Evaluation:
    evaluation = Evaluation.objects.select_for_update().get(id=evaluation_id)
    owner_check(
        evaluation, user, as_admin=as_admin, message=_("This evaluation belongs to someone else.")
    )
    return evaluation
