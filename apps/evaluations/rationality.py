"""Role match and failure categories of an evaluation: computed once, stored, then read as one
row."""

from dataclasses import asdict
from typing import Any, cast
from uuid import UUID

from django.db.models import Max

from apps.common.serializers import Row
from apps.evaluations.dispatch import diagnosis_ask
from apps.evaluations.models import Evaluation, RationalityReport
from apps.evaluations.selectors import result_list
from workers.core.evaluation.rationality_report import By, Diagnosed, arm_rationality

FOUND = ("pk", "role_similarity", "role_share", "category", "by", "judge")
COLUMNS = (
    *("arm__label", "task__index", "failed", "correct", "run_id"),
    *(f"run__diagnosis__{name}" for name in FOUND),
)


def evaluation_rationality(evaluation: Evaluation) -> Row:
    """The stored report. It is `pending` while it misses recorded answers; a worker then does the
    rest."""
    report = RationalityReport.objects.filter(evaluation=evaluation).first()
    ready = not evaluation.done or (report is not None and _is_whole(report, evaluation))
    if not ready:
        diagnosis_ask(evaluation.id)
    return {
        "status": "ready" if ready else "pending",
        "answers": evaluation.done,
        "looked_at": min(report.looked_at, evaluation.done) if report else 0,
        "arms": report.arms if report else [],
        "structure": report.structure if report else None,
    }


def report_store(evaluation_id: UUID) -> RationalityReport | None:
    """Adds up all diagnoses so far. None: the evaluation no longer exists."""
    evaluation = Evaluation.objects.filter(id=evaluation_id).first()
    if evaluation is None:
        return None
    latest = _latest(evaluation)
    rows = list(result_list(evaluation_id).order_by("position").values(*COLUMNS))
    known = [row for row in rows if row["run_id"] is None or row["run__diagnosis__pk"] is not None]
    labels = evaluation.arms.values_list("label", flat=True)
    arms = [
        asdict(arm_rationality(label, [_diagnosed(row) for row in known if _arm(row) == label]))
        for label in labels
    ]
    values = {"done": len(rows), "latest": latest, "looked_at": len(known), "arms": arms}
    report, _ = RationalityReport.objects.update_or_create(evaluation=evaluation, defaults=values)
    return report


def structure_store(evaluation_id: UUID, structure: Row) -> None:
    """Replaces the previous comparison."""
    RationalityReport.objects.update_or_create(
        evaluation_id=evaluation_id, defaults={"structure": structure}
    )


def _is_whole(report: RationalityReport, evaluation: Evaluation) -> bool:
    recorded = (report.done, report.looked_at, report.latest)
    return recorded == (evaluation.done, evaluation.done, _latest(evaluation))


def _latest(evaluation: Evaluation) -> Any:
    return evaluation.results.aggregate(latest=Max("recorded_at"))["latest"]


def _arm(row: Row) -> str:
    return str(row["arm__label"])


def _diagnosed(row: Row) -> Diagnosed:
    """A wrong answer without a trace stays undecided."""
    return Diagnosed(
        arm=_arm(row),
        task=f"{row['task__index']:06}",
        similarity=row["run__diagnosis__role_similarity"],
        share=row["run__diagnosis__role_share"],
        failed=row["failed"],
        wrong=row["correct"] is False and not row["failed"],
        category=row["run__diagnosis__category"] or None,
        by=cast("By", row["run__diagnosis__by"] or "unjudged"),
        judge=row["run__diagnosis__judge"] or None,
    )
