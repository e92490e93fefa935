"""Writes about checkpoints: publish, promote, change, delete."""

from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from apps.checkpoints import folders
from apps.checkpoints.folders import Staged
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.uses import uses
from apps.common.errors import ApplicationError, conflict
from apps.common.locking import copy_stored, locked
from workers.core.checkpoints import CheckpointError, CheckpointInfo, read_info
from workers.core.events import CheckpointSaved
from workers.core.methods.base import ChoosesCheckpoints
from workers.core.methods.registry import METHODS
from workers.core.plain_text import clean

SLUG_CHARS = 80


@dataclass(frozen=True, slots=True)
class Origin:
    """The training that saved a checkpoint."""

    job_id: UUID
    name: str
    method: str


def checkpoint_publish(*, origin: Origin, event: CheckpointSaved, staged: Staged) -> Checkpoint:
    """Makes a row, and puts the folder in its place.

    Call it in a transaction that holds the job's row. Raises NotPublished.
    """
    lost = Checkpoint.objects.filter(job_id=origin.job_id, step=event.step).first()
    checkpoint = lost or _row(origin, event, staged)
    folders.place(staged, checkpoint.name)
    return checkpoint


def checkpoint_place(*, staged: Staged, name: str, metrics: dict[str, float]) -> Checkpoint:
    """For a checkpoint that no training left: makes a row, and puts the folder in its place.

    Call it in a transaction. Raises IntegrityError if the name is taken, NotPublished.
    """
    checkpoint = Checkpoint.objects.create(
        **clean(told_by(staged.info)), name=name, metrics=metrics, size_bytes=staged.size_bytes
    )
    folders.place(staged, name)
    return checkpoint


def checkpoint_published(job_id: UUID, step: int) -> str | None:
    """Its name, if both row and folder are there: a checkpoint that is reported twice is published
    once."""
    names = Checkpoint.objects.filter(job_id=job_id, step=step).values_list("name", flat=True)
    name = names.first()
    return name if name and folders.checkpoint_folder(name).is_dir() else None


def checkpoint_promote(*, checkpoint: Checkpoint) -> Checkpoint:
    """Makes it the default of its method: runs without a named checkpoint use it from now on.
    Afterwards `checkpoint` is as stored.

    Raises ApplicationError: 404 if it was deleted since it was read, 409 if its folder cannot be
    used.
    """
    with transaction.atomic():
        same = Checkpoint.objects.select_for_update().filter(method=checkpoint.method)
        list(same.values_list("pk", flat=True))
        stored = locked(checkpoint)
        _check_usable(stored)
        same.filter(is_default=True).exclude(pk=stored.pk).update(is_default=False)
        stored.is_default = stored.promoted = True
        stored.save(update_fields=["is_default", "promoted"])
    return copy_stored(stored, checkpoint)


def checkpoint_update(*, checkpoint: Checkpoint, values: dict[str, Any]) -> Checkpoint:
    """Changes `label`, and `promoted`: whether it is kept for good. It writes only `values`, so a
    promotion since the read stays. Afterwards `checkpoint` is as stored."""
    given = {name: value for name, value in values.items() if name in ("label", "promoted")}
    with transaction.atomic():
        stored = locked(checkpoint)
        if stored.is_default and given.get("promoted") is False:
            raise _is_default(checkpoint)
        for field, value in given.items():
            setattr(stored, field, value)
        stored.save(update_fields=list(given))
    return copy_stored(stored, checkpoint)


def checkpoint_delete(*, checkpoint: Checkpoint) -> None:
    """Raises ApplicationError (409) for a default, and for a checkpoint that something uses."""
    with transaction.atomic():
        checkpoint = locked(checkpoint)
        if checkpoint.is_default:
            raise _is_default(checkpoint)
        if used := uses(checkpoint):
            raise conflict(
                "checkpoint_in_use",
                _("“%(name)s” is used by %(users)s.")
                % {"name": checkpoint.name, "users": ", ".join(used)},
                _(
                    "Keep it as long as they exist, so that their results can be understood and "
                    "repeated."
                ),
            )
        checkpoint_remove(checkpoint)


def checkpoint_remove(checkpoint: Checkpoint) -> None:
    """Deletes a checkpoint that the transaction has locked and that nothing uses: its row, then its
    folder."""
    name = checkpoint.name
    checkpoint.delete()
    transaction.on_commit(partial(folders.remove, name), robust=True)


def _row(origin: Origin, event: CheckpointSaved, staged: Staged) -> Checkpoint:
    """Named after the job; if another checkpoint has that name, with the job's id too."""
    slug = slugify(origin.name)[:SLUG_CHARS].strip("-_") or origin.method
    for prefix in (slug, f"{slug}-{origin.job_id.hex[:8]}"):
        name = f"{prefix}-step-{event.step:06d}"
        try:
            with transaction.atomic():
                return Checkpoint.objects.create(
                    **clean(told_by(staged.info)),
                    name=name,
                    job_id=origin.job_id,
                    step=event.step,
                    path=f"checkpoints/{name}",
                    metrics={k: v for k, v in event.metrics.items() if isfinite(v)},
                    size_bytes=staged.size_bytes,
                )
        except IntegrityError:
            continue
    raise IntegrityError(f"{name} is taken twice")


def told_by(info: CheckpointInfo) -> dict[str, Any]:
    """The columns of a row that the checkpoint itself provides."""
    return {
        "method": info.method,
        "label": info.label,
        "digest": info.sha256,
        "trained": info.trained,
        "recipe": info.recipe,
        "run_config": info.run,
    }


def _is_default(checkpoint: Checkpoint) -> ApplicationError:
    return conflict(
        "checkpoint_is_default",
        _("“%(name)s” is the default of %(method)s.")
        % {"name": checkpoint.name, "method": checkpoint.method},
        _("Promote another checkpoint first."),
    )


def _check_usable(checkpoint: Checkpoint) -> None:
    try:
        info = read_info(folders.checkpoint_folder(checkpoint.name), method=checkpoint.method)
    except CheckpointError as error:
        raise conflict(
            f"checkpoint_{error.code}",
            error.message,
            _("Restore its folder, or promote another checkpoint."),
        ) from error
    method = METHODS.get(checkpoint.method)
    if isinstance(method, ChoosesCheckpoints) and not method.runs_with(info):
        raise conflict(
            "not_for_runs",
            _("Runs of %(method)s cannot start from “%(name)s”.")
            % {"name": checkpoint.name, "method": method.key},
            _("Promote another checkpoint."),
        )
