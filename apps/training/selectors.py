"""Reads about trainings and checkpoints."""

from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.utils import timezone
from pydantic import ValidationError

from apps.common.pagination import LIST_CHARS
from apps.common.serializers import Row
from apps.setups.learning import asks_endpoint, learns
from apps.training.models import Metric, TrainingJob, TrainingSample
from workers.core.methods.base import BeginsOtherwise
from workers.core.methods.registry import METHODS

_COPIED = (
    *("id", "name", "method", "status", "attempt", "preset", "config", "seed", "code_version"),
    *("dataset_digest", "split", "limit", "budget", "per_system", "keep_checkpoints"),
    *("step", "step_share", "total_steps", "latest", "notices", "failure"),
    *("cost", "charged_tokens", "charged_cost"),
    *("created_at", "started_at", "finished_at", "cancel_requested_at"),
)


def job_list() -> QuerySet[TrainingJob]:
    related = ("created_by", "dataset", "pool_version")
    return TrainingJob.objects.select_related(*related).prefetch_related("checkpoints")


def job_row(job_id: UUID | str) -> Row:
    """One job as the API shows it. Raises TrainingJob.DoesNotExist."""
    return job_values(job_list().get(id=job_id))


def job_values(job: TrainingJob) -> Row:
    """The values of a job from `job_list`."""
    version, dataset = job.pool_version, job.dataset
    endpoint, model = model_of(job)
    checkpoints = sorted(job.checkpoints.all(), key=lambda checkpoint: checkpoint.step)
    return {
        **{name: getattr(job, name) for name in _COPIED},
        "pool": version.key if version else None,
        "pool_version": version.version if version else None,
        "dataset": dataset.key if dataset else None,
        "endpoint": endpoint,
        "model": model,
        "tokens": _tokens(job),
        "start_from": job.start_from or None,
        "end_reason": job.end_reason or None,
        "eta_seconds": eta_seconds(job, timezone.now()),
        "created_by": job.created_by.username if job.created_by else None,
        "checkpoints": [checkpoint.name for checkpoint in checkpoints],
    }


def model_of(job: TrainingJob) -> tuple[str | None, str | None]:
    """The endpoint that a training asks, and the model there; or the model that it changes."""
    if not asks_endpoint(METHODS.get(job.method)):
        return None, job.config.get("model")
    spec = job.endpoint_spec or {}
    return spec.get("key"), spec.get("model")


def _tokens(job: TrainingJob) -> int | None:
    """What the endpoint told, or what a training has sampled of the model that it changes."""
    if asks_endpoint(METHODS.get(job.method)):
        return job.tokens
    return int(job.latest.get("tokens_total", 0))


def eta_seconds(job: TrainingJob, now: datetime) -> float | None:
    """At the pace since a worker claimed it, without first steps of another kind; None if there is
    no pace yet."""
    since = job.going_since
    if job.status != TrainingJob.Status.RUNNING or since is None or not job.total_steps:
        return None
    before = max(job.step_before, _first_steps(job))
    steps = job.step + job.step_share - before
    if steps <= 0:
        return None
    if before > job.step_before:
        since = Metric.objects.get(job=job, step=before).at
    elapsed = (now - since).total_seconds()
    return max(0.0, elapsed / steps * (job.total_steps - job.step - job.step_share))


def _first_steps(job: TrainingJob) -> int:
    """How many steps it begins with are of another kind than the rest."""
    method = METHODS.get(job.method)
    if method is None or not learns(method):
        return 0
    try:
        config = method.training_schema.model_validate(job.config)
    except ValidationError:  # stored by another version
        return 0
    return config.first_steps() if isinstance(config, BeginsOtherwise) else 0


def job_metrics(job_id: UUID, *, after: int, limit: int) -> list[Row]:
    """Steps after `after`, in order: `{step, at, values}`."""
    rows = Metric.objects.filter(job_id=job_id, step__gt=after).order_by("step")
    return [dict(row) for row in rows.values("step", "at", "values")[:limit]]


def job_samples(job_id: UUID, step: int | None, *, limit: int) -> list[Row]:
    """Samples without their traces, with long texts cut in SQL; newest step first."""
    samples = TrainingSample.objects.filter(job_id=job_id)
    if step is not None:
        samples = samples.filter(step=step)
    rows = samples.order_by("-step", "index").values(
        *("id", "step", "index", "correct", "reward", "tokens", "agents"),
        query_start=Left("query", LIST_CHARS),
        reference_start=Left("reference", LIST_CHARS),
    )
    return [
        {"query": row.pop("query_start"), "reference": row.pop("reference_start"), **row}
        for row in map(dict, rows[:limit])
    ]
