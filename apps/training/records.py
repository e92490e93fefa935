"""What a training's worker stores: metrics, samples, checkpoints. Each is fenced by the attempt,
and stored once however often it is told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from apps.agents.history import profiles_record_rewards
from apps.checkpoints.folders import discard, stage
from apps.checkpoints.services import Origin, checkpoint_publish, checkpoint_published
from apps.training.folders import saved_folder, unsave
from apps.training.lifecycle import held, notice_add, spending
from apps.training.models import Metric, TrainingJob
from apps.training.models import TrainingSample as SampleRow
from apps.training.retention import checkpoints_retain
from workers.core.events import (
    AgentsRewarded,
    CheckpointSaved,
    EventBase,
    TrainingMetric,
    TrainingSample,
)
from workers.core.llm.spending import Spent
from workers.core.plain_text import clean


def metric_record(*, job_id: UUID, attempt: int, event: TrainingMetric, spent: Spent) -> None:
    """Raises Fenced."""
    with held(job_id, attempt) as job:
        values = _finite(job, event)
        Metric.objects.bulk_create(
            [Metric(job=job, step=event.step, values=values, at=_time(event.at))],
            ignore_conflicts=True,
        )
        columns = spending(spent)
        for name, value in columns.items():
            setattr(job, name, value)
        if event.step >= job.step:
            job.step, job.latest, job.lost, job.step_share = event.step, values, 0, 0.0
        job.save(update_fields=["step", "step_share", "latest", "lost", "notices", *columns])


def sample_record(*, job_id: UUID, attempt: int, event: TrainingSample, **_: object) -> None:
    """Raises Fenced."""
    payload = clean(event.model_dump())
    columns = ("step", "index", "query", "reference", "correct", "reward", "tokens")
    kept = ("answer", "graph", "advantages", "action_rewards", "details", "trace")
    with held(job_id, attempt) as job:
        row = SampleRow(
            job=job,
            **{name: payload[name] for name in columns},
            agents=len(event.graph.nodes),
            payload={name: payload[name] for name in kept},
            at=_time(event.at),
        )
        SampleRow.objects.bulk_create([row], ignore_conflicts=True)


def rewards_record(*, job_id: UUID, attempt: int, event: AgentsRewarded, **_: object) -> None:
    """In the agent database, beside what the agents earned elsewhere. Raises Fenced."""
    with held(job_id, attempt) as job:
        if job.pool_version is not None:
            pool_key = job.pool_version.key
            profiles_record_rewards(pool_key=pool_key, job_id=job_id, event=event)


def checkpoint_record(
    *, job_id: UUID, attempt: int, event: CheckpointSaved, **_: object
) -> str | None:
    """Publishes it and makes room; returns the name it has for all, None where people have deleted
    it. Raises Fenced, NotPublished.

    Copied before the row is locked: a slow disk holds up neither heartbeats nor people. What is
    published needs no second place: the job's own copy goes.
    """
    if published := checkpoint_published(job_id, event.step):
        unsave(job_id, event.name)  # of an attempt that was killed before it came to that
        return published
    if _is_deleted(job_id, attempt, event):
        return None
    staged = stage(saved_folder(job_id, event.name))
    try:
        with held(job_id, attempt) as job:
            name = checkpoint_publish(
                origin=Origin(job.id, job.name, job.method), event=event, staged=staged
            ).name
            if removed := checkpoints_retain(job=job):
                message = f"Removed to make room: {', '.join(removed)}."
                notice_add(job, "checkpoints_removed", message)
                job.save(update_fields=["notices"])
    except BaseException:
        discard(staged)
        raise
    unsave(job_id, event.name)
    return name


RECORDERS: Mapping[type[EventBase], Callable[..., object]] = {
    TrainingMetric: metric_record,
    TrainingSample: sample_record,
    AgentsRewarded: rewards_record,
    CheckpointSaved: checkpoint_record,
}
"""What a worker does with each kind of event that a training tells: each is given `job_id`,
`attempt`, `event`, and what the training has `spent`, and raises Fenced."""


def _is_deleted(job_id: UUID, attempt: int, event: CheckpointSaved) -> bool:
    """A training that goes on tells its last step again. A checkpoint of a step that an earlier
    attempt stored, and of which no copy is left, was published then; it stays deleted."""
    if saved_folder(job_id, event.name).exists():
        return False
    with held(job_id, attempt) as job:
        if event.step > job.step_before:
            return False
        message = (
            f"The checkpoint of step {event.step:,} has been deleted since it was published; the "
            "training goes on without it."
        )
        if message not in {notice["message"] for notice in job.notices}:
            notice_add(job, "checkpoint_deleted", message)
            job.save(update_fields=["notices"])
        return True


def _finite(job: TrainingJob, event: TrainingMetric) -> dict[str, float]:
    """JSON has no NaN; a value that is none is left out, and people are told the first time."""
    broken = sorted(name for name, value in event.values.items() if not math.isfinite(value))
    told = {notice["code"] for notice in job.notices}
    if broken and "not_finite" not in told:
        names = ", ".join(broken[:10])
        message = f"At step {event.step} these were no finite numbers and are left out: {names}."
        notice_add(job, "not_finite", message)
    return {name: value for name, value in event.values.items() if math.isfinite(value)}


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)
