"""What happens to checkpoints: published, kept, promoted, changed, deleted."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.utils.text import slugify
from rest_framework import status

from apps.common.errors import ApplicationError
from apps.common.locking import locked
from apps.evaluations.models import EvaluationArm
from apps.runs.models import Run
from apps.training import folders
from apps.training.folders import Staged
from apps.training.models import Checkpoint, TrainingJob
from workers.core.checkpoints import (
    CheckpointError,
    CheckpointInfo,
    ensure_initial,
    ensure_shipped,
    read_info,
)
from workers.core.events import CheckpointSaved

log = logging.getLogger(__name__)

BEST_BY = "held_out_reward"
"""The metric that the best checkpoint has most of. What a single step's sample earned is no judge:
it is a handful of queries, and was sampled before that step's update."""

SLUG_CHARS = 80
MAX_STEP = 2**31


def checkpoint_publish(*, job: TrainingJob, event: CheckpointSaved, staged: Staged) -> Checkpoint:
    """A row, and the folder in its place.

    To be called in a transaction that holds the job's row. Raises NotPublished.
    """
    lost = Checkpoint.objects.filter(job=job, step=event.step).first()
    checkpoint = lost or _row(job, event, staged)
    folders.place(staged, checkpoint.name)
    return checkpoint


def checkpoint_published(job_id: UUID, step: int) -> str | None:
    """Its name, when it is there with row and folder: told twice, it is published once."""
    names = Checkpoint.objects.filter(job_id=job_id, step=step).values_list("name", flat=True)
    name = names.first()
    return name if name and folders.checkpoint_folder(name).is_dir() else None


def checkpoints_retain(*, job: TrainingJob) -> list[str]:
    """Removes all but the best, the last, the promoted, those in use, and the newest others up to
    `keep_checkpoints`; returns the removed names."""
    found = list(job.checkpoints.order_by("-step"))
    kept = {checkpoint.pk for checkpoint in (*found[:1], *best(found)[:1])}
    kept |= {c.pk for c in found if c.promoted or c.is_default}
    for checkpoint in found:
        if len(kept) < job.keep_checkpoints:
            kept.add(checkpoint.pk)
    spare = [c for c in found if c.pk not in kept and not uses(c)]
    for checkpoint in spare:
        _remove(checkpoint)
    return [checkpoint.name for checkpoint in spare]


def best(found: Sequence[Checkpoint]) -> list[Checkpoint]:
    """The best first, of equals the later; where no task was held out, the latest first."""
    judged = [c for c in found if BEST_BY in c.metrics] or list(found)
    return sorted(judged, key=lambda c: (c.metrics.get(BEST_BY, 0.0), c.step or 0), reverse=True)


def checkpoint_promote(*, checkpoint: Checkpoint) -> Checkpoint:
    """Makes it the default of its method: runs that name no checkpoint use it from now on."""
    with transaction.atomic():
        same = Checkpoint.objects.select_for_update().filter(method=checkpoint.method)
        list(same.values_list("pk", flat=True))
        same.filter(is_default=True).exclude(pk=checkpoint.pk).update(is_default=False)
        checkpoint.is_default = checkpoint.promoted = True
        checkpoint.save(update_fields=["is_default", "promoted"])
    return checkpoint


def checkpoint_update(*, checkpoint: Checkpoint, values: dict[str, Any]) -> Checkpoint:
    """`label`, and `promoted`: whether it is kept for good. Only what `values` holds: a promotion
    meanwhile stays. `checkpoint` is then as it is stored."""
    given = {name: value for name, value in values.items() if name in ("label", "promoted")}
    with transaction.atomic():
        stored = locked(checkpoint)
        if stored.is_default and given.get("promoted") is False:
            raise _conflict(
                "checkpoint_is_default",
                f"“{checkpoint.name}” is the default of {checkpoint.method}.",
                "Promote another one first.",
            )
        for field, value in given.items():
            setattr(stored, field, value)
        stored.save(update_fields=list(given))
    for name in ("label", "promoted", "is_default"):
        setattr(checkpoint, name, getattr(stored, name))
    return checkpoint


def checkpoint_delete(*, checkpoint: Checkpoint) -> None:
    """Raises ApplicationError (409) for a default, and for one that something names."""
    with transaction.atomic():
        checkpoint = locked(checkpoint)
        if checkpoint.is_default:
            raise _conflict(
                "checkpoint_is_default",
                f"“{checkpoint.name}” is the default of {checkpoint.method}.",
                "Promote another one first.",
            )
        if used := uses(checkpoint):
            raise _conflict(
                "checkpoint_in_use",
                f"“{checkpoint.name}” is used by {', '.join(used)}.",
                "It has to stay as long as they do, so that they can be understood and repeated.",
            )
        _remove(checkpoint)


def uses(checkpoint: Checkpoint) -> list[str]:
    """Who names it, as words for people; [] for nobody."""
    name = checkpoint.name
    # Ended ones too, and what they left: only by this one do they know what it was trained on.
    jobs = TrainingJob.objects.filter(start_from=name)
    later = Checkpoint.objects.filter(recipe__start_from=name).exclude(pk=checkpoint.pk)
    named = {
        "runs": Run.objects.filter(checkpoint=name).exists(),
        "evaluations": EvaluationArm.objects.filter(checkpoint=name).exists(),
        "trainings that start from it": jobs.exists(),
        "checkpoints that began with it": later.exists(),
    }
    return [what for what, there in named.items() if there]


def checkpoints_register() -> list[str]:
    """Rows for the folders that have none: the untrained policy, and what people brought along.

    Returns the new names. A folder that is no checkpoint is left alone, and so is one that cannot
    be read or stored: the log tells why, and the studio starts without it.
    """
    root = settings.DATA_DIR / "checkpoints"
    known = set(Checkpoint.objects.values_list("name", flat=True))
    added = []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if folder.name.startswith(".") or folder.name in known:
            continue
        try:
            created = _register(folder)
        except CheckpointError as error:
            if error.code != "missing":
                log.warning("the folder %r is left alone: %s", folder.name, error.message)
        except (DataError, ValueError, OSError) as error:  # ValueError: a name that is no UTF-8
            message = "the checkpoint %r is left alone; rename it, mend it or move it away: %s"
            log.warning(message, folder.name, error)
        else:
            added += [folder.name] if created else []
    return added


def _register(folder: Path) -> bool:
    """Whether the row is new. Raises CheckpointError, DataError, ValueError, OSError."""
    info = read_info(folder)
    with transaction.atomic():  # what cannot be stored leaves the other rows of the transaction
        _, created = Checkpoint.objects.get_or_create(
            name=folder.name,
            defaults={
                **_told(info),
                "step": _step(info),
                "size_bytes": folders.size_of(folder),
            },
        )
    return created


def _step(info: CheckpointInfo) -> int:
    """Of the training that made it, as it says itself; 0 where it says nothing of use."""
    step = info.recipe.get("step")
    return step if type(step) is int and 0 <= step < MAX_STEP else 0  # True is an int, too


def checkpoints_ship() -> None:
    """The untrained policy and the checkpoints that come with the code, on disk and as rows.

    A trained one becomes its method's default where none was chosen; that is never changed again.
    """
    root = settings.DATA_DIR / "checkpoints"
    ensure_initial(root, seed=0)
    shipped = ensure_shipped(root)
    checkpoints_register()
    for checkpoint in Checkpoint.objects.filter(name__in=shipped, trained=True, job=None):
        chosen = Checkpoint.objects.filter(method=checkpoint.method, is_default=True)
        if not chosen.exists():
            checkpoint_promote(checkpoint=checkpoint)


def _row(job: TrainingJob, event: CheckpointSaved, staged: Staged) -> Checkpoint:
    """Named after the job; when another has that name, after the job's id too."""
    slug = slugify(job.name)[:SLUG_CHARS].strip("-_") or job.method
    for prefix in (slug, f"{slug}-{job.id.hex[:8]}"):
        name = f"{prefix}-step-{event.step:06d}"
        try:
            with transaction.atomic():
                return Checkpoint.objects.create(
                    **_told(staged.info),
                    name=name,
                    job=job,
                    step=event.step,
                    path=f"checkpoints/{name}",
                    metrics={k: v for k, v in event.metrics.items() if isfinite(v)},
                    size_bytes=staged.size_bytes,
                )
        except IntegrityError:
            continue
    raise IntegrityError(f"{name} is taken twice")


def _told(info: CheckpointInfo) -> dict[str, Any]:
    return {
        "method": info.method,
        "label": info.label,
        "digest": info.sha256,
        "trained": info.trained,
        "recipe": info.recipe,
    }


def _remove(checkpoint: Checkpoint) -> None:
    name = checkpoint.name
    checkpoint.delete()
    transaction.on_commit(partial(folders.remove, name), robust=True)


def _conflict(code: str, message: str, remedy: str) -> ApplicationError:
    return ApplicationError(
        code=code, message=message, remedy=remedy, status_code=status.HTTP_409_CONFLICT
    )
