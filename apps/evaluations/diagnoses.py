"""Which answers of an evaluation need a diagnosis, and what was found, in the database."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from pydantic import ValidationError

from apps.evaluations.models import Diagnosis, EvaluationResult
from apps.evaluations.selectors import result_list
from apps.roles.models import PoolVersion
from apps.runs.models import Run, RunEvent
from workers.core.evaluation.diagnosis import EVENTS_READ, Trace
from workers.core.evaluation.diagnosis import Diagnosis as Found
from workers.core.evaluation.failures import FailureCategory
from workers.core.events import EVENT_ADAPTER, Event
from workers.core.plain_text import clean
from workers.core.specs import PoolSpec, RoleSpec, TaskSpec

WRONG = Q(correct=False, failed=False)
"""Answered, and wrong. If an error prevented the answer, the error is the reason."""

READ = ("correct", "failed", "task__spec", "arm__pool_version_id", "run__graph", "run__attempt")


def undiagnosed(evaluation_id: UUID, limit: int) -> list[EvaluationResult]:
    """Recorded cells whose run has no diagnosis, in the order in which they were started."""
    results = result_list(evaluation_id).filter(run__isnull=False, run__diagnosis__isnull=True)
    return list(
        results.select_related("arm", "task", "run").only(*READ).order_by("position")[:limit]
    )


def undecided(evaluation_id: UUID, *, after: int, limit: int) -> list[EvaluationResult]:
    """Wrong answers that no rule and no judge decided, with a position above `after`."""
    results = result_list(evaluation_id).filter(
        WRONG, run__diagnosis__by=Diagnosis.By.UNJUDGED, position__gt=after
    )
    rows = results.select_related("arm", "task", "run").only("position", *READ)
    return list(rows.order_by("position")[:limit])


def undecided_count(evaluation_id: UUID) -> int:
    unjudged = Q(run__diagnosis__by=Diagnosis.By.UNJUDGED)
    return result_list(evaluation_id).filter(WRONG & unjudged).count()


def traces_of(results: Sequence[EvaluationResult]) -> list[Trace]:
    """What to diagnose, in the order of `results`."""
    wrong = [result for result in results if is_wrong(result)]
    events = events_of([result.run for result in wrong if result.run is not None])
    return [
        Trace(
            task=TaskSpec.model_validate(result.task.spec),
            roles=_roles(result),
            wrong=is_wrong(result),
            events=events.get(result.run_id, ()) if result.run_id else (),
        )
        for result in results
    ]


def events_of(runs: Sequence[Run]) -> dict[UUID, tuple[Event, ...]]:
    """What a diagnosis reads of each run's last attempt. Leaves out a trace that an older version
    wrote in another form."""
    attempts = {run.pk: run.attempt for run in runs}
    rows = RunEvent.objects.filter(run__in=list(attempts), kind__in=EVENTS_READ)
    payloads: dict[UUID, list[object]] = defaultdict(list)
    for run_id, attempt, payload in rows.order_by("run", "seq").values_list(
        "run_id", "attempt", "payload"
    ):
        if attempt == attempts[run_id]:
            payloads[run_id].append(payload)
    return {run_id: _read(told) for run_id, told in payloads.items()}


def diagnoses_store(results: Sequence[EvaluationResult], found: Sequence[Found]) -> None:
    """Stores one diagnosis per run, however often it is made. Leaves out runs that no longer
    exist."""
    rows = [
        _row(result.run_id, diagnosis)
        for result, diagnosis in zip(results, found, strict=True)
        if result.run_id is not None
    ]
    with transaction.atomic():
        there = _held([row.run_id for row in rows])
        Diagnosis.objects.bulk_create(
            (row for row in rows if row.run_id in there), ignore_conflicts=True
        )


def judgements_store(
    results: Sequence[EvaluationResult], found: Sequence[FailureCategory], *, model: str
) -> None:
    """Stores what a judge said; for an answer that it left undecided, the reason."""
    rows = [
        Diagnosis(
            run_id=result.run_id,
            category=judgement.category or "",
            by=judgement.by,
            judge=model if judgement.by == "judge" else "",
            reason=clean(judgement.reason),
        )
        for result, judgement in zip(results, found, strict=True)
        if result.run_id is not None
    ]
    Diagnosis.objects.bulk_update(rows, ["category", "by", "judge", "reason"])


def is_wrong(result: EvaluationResult) -> bool:
    return result.correct is False and not result.failed


def _row(run_id: UUID, found: Found) -> Diagnosis:
    roles, failure = found.roles, found.failure
    return Diagnosis(
        run_id=run_id,
        role_similarity=roles.mean_similarity if roles else None,
        role_share=roles.share if roles else None,
        category=(failure.category or "") if failure else "",
        by=failure.by if failure else "",
        reason=clean(failure.reason) if failure else "",
    )


def _held(run_ids: Sequence[UUID]) -> set[UUID]:
    """The existing ones, which stay until the transaction ends."""
    runs = Run.objects.select_for_update(no_key=True).filter(pk__in=run_ids).order_by("pk")
    return set(runs.values_list("pk", flat=True))


def _roles(result: EvaluationResult) -> tuple[RoleSpec, ...] | None:
    """Roles of the run's agents, as the pool described them; None if there was no pool."""
    version = result.arm.pool_version_id
    if version is None:
        return None
    nodes = ((result.run.graph if result.run else None) or {}).get("nodes", [])
    pool = _pool_roles(version)
    return tuple(pool[key] for node in nodes if (key := node["role_key"]) in pool)


@lru_cache(maxsize=16)
def _pool_roles(pool_version_id: int) -> dict[str, RoleSpec]:
    """Cached, because a snapshot never changes."""
    spec = PoolSpec.model_validate(PoolVersion.objects.get(pk=pool_version_id).spec)
    return {role.key: role for role in spec.roles}


def _read(payloads: Sequence[object]) -> tuple[Event, ...]:
    try:
        return tuple(EVENT_ADAPTER.validate_python(payload) for payload in payloads)
    except ValidationError:
        return ()
