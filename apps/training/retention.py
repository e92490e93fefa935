"""Which checkpoints of a training stay: the best, the last, promoted ones, and those in use."""

from collections.abc import Sequence

from apps.checkpoints.models import Checkpoint
from apps.checkpoints.services import checkpoint_remove
from apps.checkpoints.uses import uses
from apps.training.models import TrainingJob

BEST_BY = "held_out_reward"
"""The metric that is highest for the best checkpoint. A single step's reward is no measure: it
comes from a handful of queries, and from before that step's update."""


def checkpoints_retain(*, job: TrainingJob) -> list[str]:
    """Removes checkpoints, except the best, the last, promoted ones, those in use, and the newest
    others up to `keep_checkpoints`. Returns the removed names. Call it in a transaction."""
    found = sorted(_locked(job), key=lambda checkpoint: checkpoint.step, reverse=True)
    kept = {checkpoint.pk for checkpoint in (*found[:1], *best(found)[:1])}
    kept |= {c.pk for c in found if c.promoted or c.is_default}
    for checkpoint in found:
        if len(kept) < job.keep_checkpoints:
            kept.add(checkpoint.pk)
    spare = [c for c in found if c.pk not in kept and not uses(c)]
    for checkpoint in spare:
        checkpoint_remove(checkpoint)
    return [checkpoint.name for checkpoint in spare]


def checkpoints_forget(*, job: TrainingJob) -> None:
    """Removes the checkpoints of a job that is deleted, in its transaction; promoted ones and those
    in use stay."""
    for checkpoint in _locked(job):
        if not (checkpoint.promoted or checkpoint.is_default or uses(checkpoint)):
            checkpoint_remove(checkpoint)


def best(found: Sequence[Checkpoint]) -> list[Checkpoint]:
    """Best first, and the later of equals first; if no task was held out, latest first."""
    judged = [c for c in found if BEST_BY in c.metrics] or list(found)
    return sorted(judged, key=lambda c: (c.metrics.get(BEST_BY, 0.0), c.step or 0), reverse=True)


def _locked(job: TrainingJob) -> list[Checkpoint]:
    """Locks them, so that no one can promote or begin to use one of them until the transaction
    ends."""
    return list(job.checkpoints.select_for_update())
