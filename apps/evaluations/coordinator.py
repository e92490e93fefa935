"""Moves an evaluation on: records ended runs as results, starts the next cells, ends it.

`advance` may be called anywhere, at any time, any number of times at once: it holds the row's lock,
reads the state and does what is missing. A cell's run and the cell's pointer to it are written
together, so that after a crash no cell is lost and none has two runs. It is called when a run of
the evaluation ends, and by beat every few seconds.

    queued ──▶ running ──▶ succeeded
                 │  ▲
                 ▼  └── resume
          failed | cancelled

If this version cannot read an evaluation's stored rows, the evaluation fails with the cause and
delays no other. An endpoint that is away does not use up the cells: after `streak_limit` failed
connections in a row the evaluation fails with the cause, and the cells of that streak wait again.
The answers of all arms on an endpoint count as one row. So do the answers of an arm with further
endpoints, because other arms cannot show that one of these is away.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import takewhile
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, FloatField, Func, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Extract, Greatest, Least, Now
from pydantic import ValidationError

from apps.evaluations.dispatch import cell_enqueue, evaluation_enqueue
from apps.evaluations.models import ACTIVE, Evaluation, EvaluationResult
from apps.evaluations.notices import end_notices
from apps.evaluations.outcomes import ENDPOINT_AWAY, forget, record
from apps.evaluations.services import cell_seed
from apps.runs.models import TERMINAL, Run
from workers.core.errors import Failure

log = logging.getLogger(__name__)

ENDPOINT_STREAK = 5
HANDOVER_SECONDS = 5.0
"""Allowed time between an answer and the start of the next one while workers are busy."""
SLOTS_LOCK = 0x6576616C
"""One of Postgres's advisory locks: its holder gives slots to cells of all evaluations."""


UNREADABLE = "unreadable_evaluation"


def unsettled() -> QuerySet[Evaluation]:
    """Evaluations that may need a round, oldest first."""
    unreadable = Q(status=Evaluation.Status.FAILED, failure__code=UNREADABLE)
    under_way = Q(results__run__isnull=False, results__recorded_at__isnull=True)
    ids = Evaluation.objects.filter(Q(status__in=ACTIVE) | under_way).values("id")
    return Evaluation.objects.filter(id__in=ids).exclude(unreadable).order_by("created_at")


def advance(evaluation_id: UUID) -> bool:
    """One round. False if there is nothing left to wait for, or no such evaluation."""
    with transaction.atomic():
        evaluation = Evaluation.objects.select_for_update().filter(id=evaluation_id).first()
        if evaluation is None:
            return False
        try:
            with transaction.atomic():
                return _round(evaluation)
        except ValidationError as error:
            log.exception("evaluation %s cannot be read", evaluation_id)
            _stop_unreadable(evaluation_id, error)
            return False


def run_ended(run: Run) -> None:
    """Starts the next cell at once instead of at the next beat."""
    if run.evaluation_id is not None:
        advance(run.evaluation_id)


def _round(evaluation: Evaluation) -> bool:
    if evaluation.status == Evaluation.Status.QUEUED:
        _start(evaluation)
    harvested = _harvest(evaluation)
    if harvested and evaluation.status == Evaluation.Status.RUNNING:
        _stop_at_dead_endpoint(evaluation)
    if evaluation.status == Evaluation.Status.RUNNING:
        _take_up(evaluation, freed=harvested)
        _finish_if_done(evaluation)
    return evaluation.status in ACTIVE or _under_way(evaluation).exists()


def _stop_unreadable(evaluation_id: UUID, error: ValidationError) -> None:
    """An evaluation that had ended keeps its cause, and waits for nothing more."""
    evaluation = Evaluation.objects.get(id=evaluation_id)  # as it was before the round
    if evaluation.status not in ACTIVE:
        _under_way(evaluation).update(run=None)
        return
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    failure = Failure(
        code=UNREADABLE,
        message=f"This version cannot read the stored evaluation: {error.title}: {where}: "
        f"{first['msg']}",
        remedy="Resume it, which reads its endpoints again, or make a new evaluation.",
    )
    evaluation.status, evaluation.finished_at = Evaluation.Status.FAILED, Now()
    evaluation.failure = failure.model_dump()
    evaluation.save(update_fields=["status", "finished_at", "failure"])


def streak_limit(evaluation: Evaluation) -> int:
    """How many failures in a row cannot be chance: one outage fails all cells in progress."""
    return max(ENDPOINT_STREAK, evaluation.concurrency)


def _start(evaluation: Evaluation) -> None:
    evaluation.status = Evaluation.Status.RUNNING
    evaluation.started_at = evaluation.going_since = Now()
    evaluation.save(update_fields=["status", "started_at", "going_since"])


def _harvest(evaluation: Evaluation) -> bool:
    """Records ended runs as results; whether there were any.

    Cells that were stopped with the evaluation wait again. So do cells that failed at an endpoint
    that was away before the last resume.
    """
    ended = list(
        _under_way(evaluation)
        .filter(run__status__in=TERMINAL)
        .select_related("run", "arm", "task")
        .order_by("run__finished_at")
    )
    if not ended:
        return False
    again = [result for result in ended if _waits_again(evaluation, result)]
    released = {result.pk for result in again}
    done = [result for result in ended if result.pk not in released]
    record(done)
    forget(again)
    evaluation.done += len(done)
    seconds = _worked_seconds(done) if done else 0.0
    Evaluation.objects.filter(id=evaluation.id).update(
        done=evaluation.done,
        worked_seconds=F("worked_seconds") + seconds,
        timed=F("timed") + len(done),
        freed_at=Now(),
    )
    return True


def _worked_seconds(done: Iterable[EvaluationResult]) -> Func:
    """Wall time since the answers before these, as far as these were in progress or waited for
    their turn. It uses Postgres's clock, because the gaps are often shorter than clocks agree."""
    epoch = Extract(Now() - Greatest("freed_at", "going_since"), "epoch", output_field=FloatField())
    passed = Greatest(epoch, Value(0.0))
    if _running() > settings.EVALUATION_MAX_ACTIVE:
        return passed
    return Least(passed, Value(max(result.seconds or 0.0 for result in done) + HANDOVER_SECONDS))


def _running() -> int:
    """Evaluations in progress. If there are more of them than slots, they take turns."""
    return Evaluation.objects.filter(status=Evaluation.Status.RUNNING).count()


def _waits_again(evaluation: Evaluation, result: EvaluationResult) -> bool:
    run = result.run
    if run is None:
        return True
    stopped = evaluation.status != Evaluation.Status.RUNNING
    if run.status == Run.Status.CANCELLED:
        return stopped
    away = run.status == Run.Status.FAILED and _endpoint_away(run.failure)
    if stopped:
        return away and evaluation.status == Evaluation.Status.FAILED
    return away and _began_before_resume(evaluation, run)


def _began_before_resume(evaluation: Evaluation, run: Run) -> bool:
    """Both times are Postgres's own, and a run that another worker claims keeps its first time."""
    since = evaluation.going_since
    return since is not None and run.started_at is not None and run.started_at < since


def _stop_at_dead_endpoint(evaluation: Evaluation) -> None:
    limit = streak_limit(evaluation)
    for whose, results in _in_a_row(evaluation):
        streak = _streak(results, limit)
        if not streak:
            continue
        cause = streak[0].failure or {}
        failure = Failure(
            code="endpoint_away",
            message=f"The last {len(streak)} answers {whose} failed: {cause.get('message', '')}",
            remedy=f"{cause.get('remedy', '')} Then resume; it continues where it stopped.".strip(),
        )
        forget(streak)
        evaluation.done -= len(streak)
        evaluation.status, evaluation.failure = Evaluation.Status.FAILED, failure.model_dump()
        evaluation.finished_at = Now()
        evaluation.save(update_fields=["done", "status", "failure", "finished_at"])
        return


def _in_a_row(evaluation: Evaluation) -> Iterator[tuple[str, QuerySet[EvaluationResult]]]:
    """Checks arms with several endpoints first; otherwise the arm's own endpoint would be blamed.
    Cells that only the cache answered are left out, because they do not show whether an endpoint is
    there."""
    recorded = evaluation.results.filter(recorded_at__isnull=False)
    recorded = recorded.exclude(failed=False, cached_share=1)
    arms = list(evaluation.arms.all())
    for arm in arms:
        if arm.endpoint_specs:
            keys = [arm.endpoint_key, *(spec["key"] for spec in arm.endpoint_specs)]
            yield f"of “{arm.label}” from the endpoints {', '.join(keys)}", recorded.filter(arm=arm)
    for key in sorted({arm.endpoint_key for arm in arms}):
        yield f"from the endpoint “{key}”", recorded.filter(arm__endpoint_key=key)


def _streak(results: QuerySet[EvaluationResult], limit: int) -> list[EvaluationResult]:
    """From the latest back to the last one that was answered; none if fewer than `limit`."""
    latest = results.order_by("-run__finished_at", "-position")
    newest = latest[:limit]  # all that is read as long as answers come
    if len(newest) < limit or not all(map(_away, newest)):
        return []
    return list(takewhile(_away, latest[:1_000]))


def _away(result: EvaluationResult) -> bool:
    return result.failed and _endpoint_away(result.failure)


def _endpoint_away(failure: dict[str, str] | None) -> bool:
    return failure is not None and failure.get("code") in ENDPOINT_AWAY


def _take_up(evaluation: Evaluation, *, freed: bool) -> None:
    """Starts as many cells as there are slots. One transaction at a time counts and gives out
    slots.

    If runs of this evaluation were `freed`, it also wakes the evaluations whose turn it is.
    Otherwise their slots would stay empty until the next beat.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SLOTS_LOCK])
    slots, next_in_line = _slots(evaluation)
    for other in next_in_line if freed else ():
        transaction.on_commit(partial(evaluation_enqueue, other), robust=True)
    waiting = _waiting(evaluation.results.all())
    results = list(waiting.select_related("arm", "task").order_by("position")[: max(0, slots)])
    runs = Run.objects.bulk_create(_run(evaluation, result) for result in results)
    for result, run in zip(results, runs, strict=True):
        result.run = run
        transaction.on_commit(partial(cell_enqueue, evaluation.id, run.id), robust=True)
    EvaluationResult.objects.bulk_update(results, ["run"])


def _slots(evaluation: Evaluation) -> tuple[int, list[UUID]]:
    """The number of free slots: its concurrency, its fair share of all slots, and what is left of
    them. Also the other evaluations that have a turn before it.

    If more evaluations run than there are slots, they take turns. Otherwise an evaluation whose
    cell ends would take the slot again, and a later one would wait for all of its cells.
    """
    active = Run.objects.filter(
        evaluation__isnull=False, status__in=(Run.Status.QUEUED, Run.Status.RUNNING)
    )
    served = list(active.values_list("evaluation_id", flat=True))
    left = max(0, settings.EVALUATION_MAX_ACTIVE - len(served))
    running = _running()
    own = _under_way(evaluation).count()
    if running > settings.EVALUATION_MAX_ACTIVE:
        turns = _longest_waiting(left, served)
        mine = evaluation.id in turns and not own
        return int(mine), [turn for turn in turns if turn != evaluation.id]
    share = max(1, settings.EVALUATION_MAX_ACTIVE // max(1, running))
    return min(min(evaluation.concurrency, share) - own, left), []


def _longest_waiting(count: int, served: Collection[UUID]) -> list[UUID]:
    """Running evaluations with waiting cells and none in progress, longest waiting first."""
    waiting = _waiting(EvaluationResult.objects.filter(evaluation=OuterRef("pk")))
    line = Evaluation.objects.filter(Exists(waiting), status=Evaluation.Status.RUNNING)
    line = line.exclude(id__in=set(served))
    line = line.order_by(Greatest("freed_at", "going_since"), "created_at", "id")
    return list(line.values_list("id", flat=True)[:count])


@transaction.atomic
def slots_release(evaluation_id: UUID) -> None:
    """Makes cells that no worker has begun wait again, without a run: the process that answered
    them was stopped, and their slots belong to all evaluations."""
    Evaluation.objects.select_for_update().filter(id=evaluation_id).first()  # no round meanwhile
    queued = Run.objects.filter(evaluation_id=evaluation_id, status=Run.Status.QUEUED)
    runs = list(queued.select_for_update(of=("self",)).values_list("id", flat=True))
    forget(EvaluationResult.objects.filter(run_id__in=runs))
    Run.objects.filter(id__in=runs).delete()


def turn_pass(evaluation_id: UUID) -> None:
    """Moves it to the end of the line: an evaluation whose round fails would delay all that wait
    behind it."""
    Evaluation.objects.filter(id=evaluation_id).update(freed_at=Now())


def _run(evaluation: Evaluation, result: EvaluationResult) -> Run:
    arm, task = result.arm, result.task
    details = {key: value for key, value in task.spec.items() if key not in ("query", "reference")}
    return Run(
        evaluation=evaluation,
        **arm.set_up(),
        seed=cell_seed(evaluation.seed, task.index, result.repeat),
        query=task.query,
        reference=task.reference,
        task_details=details,
        budget=arm.budget_in(evaluation),
        created_by_id=evaluation.created_by_id,
        max_attempts=settings.RUN_MAX_ATTEMPTS,
        enqueued_at=Now(),
    )


def _finish_if_done(evaluation: Evaluation) -> None:
    if evaluation.results.filter(recorded_at__isnull=True).exists():
        return
    evaluation.status, evaluation.finished_at = Evaluation.Status.SUCCEEDED, Now()
    evaluation.warnings = [*evaluation.warnings, *end_notices(evaluation)]
    evaluation.save(update_fields=["status", "finished_at", "warnings"])


def _waiting(results: QuerySet[EvaluationResult]) -> QuerySet[EvaluationResult]:
    return results.filter(run__isnull=True, recorded_at__isnull=True)


def _under_way(evaluation: Evaluation) -> QuerySet[EvaluationResult]:
    return evaluation.results.filter(run__isnull=False, recorded_at__isnull=True)
