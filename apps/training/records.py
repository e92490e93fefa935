"""What a training's worker stores: metrics, samples, checkpoints. The attempt fences each of them,
and each is stored once, however often it is reported."""

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
        selections = [each.model_dump(mode="json") for each in event.selections]
        row = Metric(
            job=job, step=event.step, values=values, selections=selections, at=_time(event.at)
        )
        Metric.objects.bulk_create(
            [row],
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
    """Stores the rewards in the agent database, besides those that the agents earned elsewhere.
    Raises Fenced."""
    with held(job_id, attempt) as job:
        if job.pool_version is not None:
            pool_key = job.pool_version.key
            profiles_record_rewards(pool_key=pool_key, job_id=job_id, event=event)


def checkpoint_record(
    *, job_id: UUID, attempt: int, event: CheckpointSaved, **_: object
) -> str | None:
    """Publishes a checkpoint and removes old ones to make room. Returns its published name, or None
    if people have deleted it. Raises Fenced, NotPublished.

    It is copied before the row is locked, so a slow disk delays neither heartbeats nor people.
    After publication the job's own copy is deleted.
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
                message = f"Removed these checkpoints to free space: {', '.join(removed)}."
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
"""What a worker does with each kind of event of a training. Each function gets `job_id`, `attempt`,
`event` and what the training has `spent`, and raises Fenced."""


def _is_deleted(job_id: UUID, attempt: int, event: CheckpointSaved) -> bool:
    """A training that continues reports its last step again. If an earlier attempt stored the
    checkpoint's step and no copy is left, the checkpoint was published then; it stays deleted."""
    if saved_folder(job_id, event.name).exists():
        return False
    with held(job_id, attempt) as job:
        if event.step > job.step_before:
            return False
        message = (
            f"The checkpoint of step {event.step:,} was published and then deleted. The training "
            "continues without it."
        )
        if message not in {notice["message"] for notice in job.notices}:
            notice_add(job, "checkpoint_deleted", message)
            job.save(update_fields=["notices"])
        return True


def _finite(job: TrainingJob, event: TrainingMetric) -> dict[str, float]:
    """JSON has no NaN. Values that are not finite are left out; the first time, a notice says
    so."""
    broken = sorted(name for name, value in event.values.items() if not math.isfinite(value))
    told = {notice["code"] for notice in job.notices}
    if broken and "not_finite" not in told:
        names = ", ".join(broken[:10])
        message = (
            f"At step {event.step} these values were not finite numbers and were left out: {names}."
        )
        notice_add(job, "not_finite", message)
    return {name: value for name, value in event.values.items() if math.isfinite(value)}


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)
