"""Trainings and evaluations for the event stream: whether one has changed, and its row now."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db import connection

from apps.common.renderers import encoded
from apps.common.serializers import Row
from apps.evaluations import selectors as evaluations
from apps.evaluations.api.serializers import EvaluationSerializer
from apps.live.frames import MetricFrame, RowFrame
from apps.training import selectors as trainings
from apps.training.api.serializers import TrainingSerializer
from apps.training.models import ENDED

Kind = Literal["job", "evaluation"]


@dataclass(frozen=True, slots=True)
class Seen:
    """`token` changes when the API's row would. `step` is the last step of a job."""

    kind: Kind
    id: str
    token: str
    step: int


def watched_progress(job_ids: Iterable[str], evaluation_ids: Iterable[str]) -> list[Seen]:
    """All watched rows, in one statement; unknown ids are left out."""
    with connection.cursor() as cursor:
        cursor.execute(_PROGRESS, [list(job_ids), list(evaluation_ids)])
        return [Seen(kind, str(id), token, step) for kind, id, token, step in cursor.fetchall()]


def job_frames(seen: Sequence[Seen]) -> list[RowFrame]:
    """The rows as they are now, encoded once for all that watch."""
    found = trainings.job_list().filter(id__in=[one.id for one in seen])
    rows = [TrainingSerializer(trainings.job_values(job)).data for job in found]
    return _frames(seen, rows)


def evaluation_frames(seen: Sequence[Seen]) -> list[RowFrame]:
    found = evaluations.evaluation_list().filter(id__in=[one.id for one in seen])
    rows = [EvaluationSerializer(evaluations.evaluation_values(one)).data for one in found]
    return _frames(seen, rows)


def _frames(seen: Sequence[Seen], rows: Iterable[Row]) -> list[RowFrame]:
    tokens = {one.id: one.token for one in seen}
    return [
        RowFrame(row["id"], tokens[row["id"]], row["status"] in ENDED, encoded(row)) for row in rows
    ]


def metric_frames(job_id: str, *, after: int, limit: int) -> list[MetricFrame]:
    """Steps after `after`, in order."""
    rows = trainings.job_metrics(UUID(job_id), after=after, limit=limit)
    return [MetricFrame(job_id, row["step"], encoded({"job": job_id, **row})) for row in rows]


_PROGRESS = """
SELECT 'job', job.id, concat_ws(
    ':', job.status, job.attempt, job.step, round(job.step_share * 100), job.tokens, job.cost,
    job.charged_tokens, job.charged_cost, job.total_steps,
    job.cancel_requested_at, job.finished_at, jsonb_array_length(job.notices), job.budget,
    (SELECT string_agg(c.id::text, ',' ORDER BY c.id)
     FROM training_checkpoint c WHERE c.job_id = job.id)
), job.step
FROM training_trainingjob job WHERE job.id = ANY(%s::uuid[])
UNION ALL
SELECT 'evaluation', evaluation.id, concat_ws(
    ':', evaluation.status, evaluation.done, evaluation.total, evaluation.finished_at
), 0
FROM evaluations_evaluation evaluation WHERE evaluation.id = ANY(%s::uuid[])
"""
