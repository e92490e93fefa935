"""Reads about evaluations."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Left

from apps.common.pagination import LIST_CHARS
from apps.common.serializers import Row
from apps.evaluations.models import Evaluation, EvaluationArm, EvaluationResult
from workers.core.extra_body import spelled


def evaluation_list() -> QuerySet[Evaluation]:
    return (
        Evaluation.objects.select_related("created_by")
        .prefetch_related("arms__pool_version")
        .annotate(task_count=Count("tasks"))
    )


def evaluation_row(evaluation_id: UUID | str) -> Row:
    """One evaluation as the API shows it. Raises Evaluation.DoesNotExist."""
    return evaluation_values(evaluation_list().get(id=evaluation_id))


def evaluation_values(evaluation: Evaluation) -> Row:
    """The values of an evaluation from `evaluation_list`."""
    copied = ("id", "name", "status", "split", "limit", "repeats", "seed", "budget", "concurrency")
    told = ("done", "total", "warnings", "failure", "created_at", "started_at", "finished_at")
    arms = list(evaluation.arms.all())
    return {
        **{name: getattr(evaluation, name) for name in copied},
        "dataset": evaluation.dataset_key,
        "task_count": vars(evaluation)["task_count"],  # annotated by `evaluation_list`
        "arms": [_arm_values(arm, evaluation) for arm in arms],
        "differences": arm_differences(arms, evaluation),
        **{name: getattr(evaluation, name) for name in told},
        "eta_seconds": eta_seconds(evaluation),
        "created_by": evaluation.created_by.username if evaluation.created_by else None,
    }


def eta_seconds(evaluation: Evaluation) -> float | None:
    """At the pace so far, without pauses and outages; None if there is no pace yet."""
    if evaluation.status != Evaluation.Status.RUNNING or not evaluation.timed:
        return None
    return evaluation.worked_seconds / evaluation.timed * (evaluation.total - evaluation.done)


def result_list(evaluation_id: UUID | str) -> QuerySet[EvaluationResult]:
    """Recorded cells, in the order in which they were started."""
    return EvaluationResult.objects.filter(
        evaluation_id=evaluation_id, recorded_at__isnull=False
    ).select_related("arm")


def result_rows(results: QuerySet[EvaluationResult]) -> QuerySet[EvaluationResult, Row]:
    """Cells as the API shows them, with long texts cut in SQL."""
    rows: QuerySet[EvaluationResult, Row] = results.values(
        *RESULT_COLUMNS,
        query=Left("task__query", LIST_CHARS),
        reference_start=Left("task__reference", LIST_CHARS),
        answer_start=Left("answer", LIST_CHARS),
        tokens=F("prompt_tokens") + F("completion_tokens"),
        label=F("arm__label"),
        task_pk=F("task__task_id"),
        index=F("task__index"),
        category=F("run__diagnosis__category"),
        by=F("run__diagnosis__by"),
        judge=F("run__diagnosis__judge"),
        reason=F("run__diagnosis__reason"),
    )
    return rows


def of_category(results: QuerySet[EvaluationResult], category: str) -> QuerySet[EvaluationResult]:
    """The wrong answers of a failure category, or the `UNDECIDED` ones."""
    if category == UNDECIDED:
        decided = Q(run__diagnosis__by__in=("rule", "judge"))
        return results.filter(correct=False, failed=False).exclude(decided)
    return results.filter(run__diagnosis__category=category)


UNDECIDED = "undecided"

RESULT_COLUMNS = (
    *("id", "position", "repeat", "run_id", "failed", "failure", "correct", "reward"),
    *("explanation", "prompt_tokens", "completion_tokens", "cost", "seconds", "cached_share"),
    *("replies", "cut_replies", "final_cut", "own_temperature"),
)


def compared_list(
    left: EvaluationArm, right: EvaluationArm, outcome: str | None = None
) -> QuerySet[EvaluationResult]:
    """The left arm's recorded cells that the right arm has, too; or only those of one of
    `OUTCOMES`.

    Each has the right arm's cell as `right_pk` and its verdict as `right_correct`.
    """
    same = EvaluationResult.objects.filter(
        arm=right, task=OuterRef("task"), repeat=OuterRef("repeat"), recorded_at__isnull=False
    )
    cells = (
        EvaluationResult.objects.filter(arm=left, recorded_at__isnull=False)
        .annotate(
            right_pk=Subquery(same.values("pk")),
            right_correct=Subquery(same.values("correct"), output_field=BooleanField(null=True)),
        )
        .filter(right_pk__isnull=False)
    )
    if outcome is None:
        return cells
    left_right, right_right = OUTCOMES[outcome]
    return cells.filter(correct=left_right, right_correct=right_right)


OUTCOMES: dict[str, tuple[bool, bool]] = {
    "both": (True, True),
    "only_left": (True, False),
    "only_right": (False, True),
    "neither": (False, False),
}


def outcome_of(left: bool | None, right: bool | None) -> str | None:
    """None: one of the two was not judged."""
    return next((name for name, both in OUTCOMES.items() if both == (left, right)), None)


def rows_by_pk(ids: Sequence[int]) -> dict[int, Row]:
    found = result_rows(EvaluationResult.objects.filter(pk__in=ids))
    return {row["id"]: row for row in found}


def arm_differences(arms: Sequence[EvaluationArm], evaluation: Evaluation) -> list[str]:
    """How arms differ apart from their methods, as some of `DIFFERENCES`. What an older evaluation
    did not store of an arm counts as no difference."""
    asked = [_asked(arm) for arm in arms]
    values: dict[str, list[Any]] = {
        "limit": [arm.reply_tokens(evaluation) for arm in arms],
        "endpoint": asked,
        "tools": [sorted(arm.tools) for arm in arms if arm.tools is not None],
    }
    return [name for name in DIFFERENCES if any(v != values[name][0] for v in values[name][1:])]


def _asked(arm: EvaluationArm) -> list[tuple[str, str, bytes]]:
    """Every endpoint that it asks, with its model and its extra request fields."""
    specs = [arm.endpoint_spec, *arm.endpoint_specs]
    return sorted(
        (spec.get("key", ""), spec.get("model", ""), spelled(spec.get("extra_body", {})))
        for spec in specs
    )


DIFFERENCES = ("limit", "endpoint", "tools")


def _arm_values(arm: EvaluationArm, evaluation: Evaluation) -> Row:
    version = arm.pool_version
    return {
        "label": arm.label,
        "method": arm.method,
        "method_config": {
            k: v for k, v in arm.method_config.items() if k not in ("graph", "sampling")
        },
        "checkpoint": arm.checkpoint or None,
        "endpoint": arm.endpoint_key,
        "model": arm.endpoint_spec.get("model", ""),
        "further_endpoints": [spec.get("key", "") for spec in arm.endpoint_specs],
        "max_completion_tokens_per_call": arm.max_completion_tokens_per_call,
        "reply_tokens": arm.reply_tokens(evaluation),
        "tools": arm.tools,
        "pool": version.key if version else None,
        "pool_version": version.version if version else None,
        "design": arm.design_id,
        "design_version": arm.design_version,
    }
