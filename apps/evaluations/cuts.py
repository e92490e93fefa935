"""Which arms of an evaluation had answers cut at their token limit, and which limit avoids it."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Count, Q, Sum

from apps.evaluations.models import Evaluation, EvaluationArm
from workers.core.evaluation.cuts import CutCounts, CutWarning, cut_warning

CODE = "cut_answers"
COUNTS = ("replies", "cut_replies", "finals", "cut_finals")

Notice = dict[str, str | None]
"""`{code, message, arm}`; `arm` None: concerns all arms."""


def summary_warnings(evaluation: Evaluation, summary: Mapping[str, Any]) -> Iterator[CutWarning]:
    """The warnings that follow from the counts of a summary."""
    arms = {arm.label: arm for arm in evaluation.arms.all()}
    for told in summary["arms"]:
        counts = CutCounts(**{name: told[name] for name in COUNTS})
        if warning := _warning(evaluation, arms[told["label"]], counts):
            yield warning


def cut_notices(evaluation: Evaluation) -> list[Notice]:
    """The same warnings for an ended evaluation without its summary, counted in SQL."""
    recorded = Q(results__recorded_at__isnull=False)
    arms = evaluation.arms.annotate(
        replies=Sum("results__replies", filter=recorded, default=0),
        cut_replies=Sum("results__cut_replies", filter=recorded, default=0),
        finals=Count("results", filter=recorded & Q(results__final_cut__isnull=False)),
        cut_finals=Count("results", filter=recorded & Q(results__final_cut=True)),
    )
    found = (
        _warning(evaluation, arm, CutCounts(**{name: getattr(arm, name) for name in COUNTS}))
        for arm in arms.order_by("index")
    )
    return [
        {"code": CODE, "message": warning.message, "arm": warning.label}
        for warning in found
        if warning
    ]


def _warning(evaluation: Evaluation, arm: EvaluationArm, counts: CutCounts) -> CutWarning | None:
    limit = arm.reply_tokens(evaluation)
    return cut_warning(arm.label, counts, limit=limit, most=arm.most_reply_tokens or limit)
