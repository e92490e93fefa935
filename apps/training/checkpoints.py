"""What happens to checkpoints: published, promoted, changed, deleted."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError
from apps.common.locking import copy_stored, locked
from apps.training import folders
from apps.training.folders import Staged
from apps.training.models import Checkpoint, TrainingJob
from apps.training.uses import uses
from workers.core.checkpoints import (
    CheckpointError,
    CheckpointInfo,
    ensure_shipped,
    read_info,
)
from workers.core.events import CheckpointSaved
from workers.core.methods.base import BeginsUntrained, ChoosesCheckpoints
from workers.core.methods.registry import METHODS
from workers.core.plain_text import clean

log = logging.getLogger(__name__)

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


def checkpoint_place(*, staged: Staged, name: str, metrics: dict[str, float]) -> Checkpoint:
    """One that no training has left: a row, and the folder in its place.

    To be called in a transaction. Raises IntegrityError where the name is taken, NotPublished.
    """
    checkpoint = Checkpoint.objects.create(
        **clean(_told(staged.info)), name=name, metrics=metrics, size_bytes=staged.size_bytes
    )
    folders.place(staged, name)
    return checkpoint


def checkpoint_published(job_id: UUID, step: int) -> str | None:
    """Its name, when it is there with row and folder: told twice, it is published once."""
    names = Checkpoint.objects.filter(job_id=job_id, step=step).values_list("name", flat=True)
    name = names.first()
    return name if name and folders.checkpoint_folder(name).is_dir() else None


def checkpoint_promote(*, checkpoint: Checkpoint) -> Checkpoint:
    """Makes it the default of its method: runs that name no checkpoint use it from now on.
    `checkpoint` is then as it is stored.

    Raises ApplicationError: 404 where it was deleted meanwhile, 409 where its folder is of no use.
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
    """`label`, and `promoted`: whether it is kept for good. Only what `values` holds: a promotion
    meanwhile stays. `checkpoint` is then as it is stored."""
    given = {name: value for name, value in values.items() if name in ("label", "promoted")}
    with transaction.atomic():
        stored = locked(checkpoint)
        if stored.is_default and given.get("promoted") is False:
            raise _conflict(
                "checkpoint_is_default",
                _("“%(name)s” is the default of %(method)s.")
                % {"name": checkpoint.name, "method": checkpoint.method},
                _("Promote another one first."),
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
                _("“%(name)s” is the default of %(method)s.")
                % {"name": checkpoint.name, "method": checkpoint.method},
                _("Promote another one first."),
            )
        if used := uses(checkpoint):
            raise _conflict(
                "checkpoint_in_use",
                _("“%(name)s” is used by %(users)s.")
                % {"name": checkpoint.name, "users": ", ".join(used)},
                _(
                    "It has to stay as long as they do, so that they can be understood and "
                    "repeated."
                ),
            )
        checkpoint_remove(checkpoint)


def checkpoint_remove(checkpoint: Checkpoint) -> None:
    """Of one that the transaction has locked and that nobody needs: its row, then its folder."""
    name = checkpoint.name
    checkpoint.delete()
    transaction.on_commit(partial(folders.remove, name), robust=True)


def checkpoints_register() -> list[str]:
    """Rows for the folders that have none: the untrained policy, and what people brought along.

    Returns the new names. A folder that is no checkpoint is left alone, and so is one that cannot
    be read or stored: the log tells why, and the studio starts without it.
    """
    root = settings.DATA_DIR / "checkpoints"
    _read_again()
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
        _row, created = Checkpoint.objects.get_or_create(
            name=folder.name,
            defaults={
                **_told(info),
                "step": _step(info),
                "size_bytes": folders.size_of(folder),
            },
        )
    return created


def _read_again() -> None:
    """Of rows of an older version: the settings that runs with them have."""
    for checkpoint in Checkpoint.objects.filter(run_config__isnull=True):
        with suppress(CheckpointError):
            checkpoint.run_config = read_info(folders.checkpoint_folder(checkpoint.name)).run
            checkpoint.save(update_fields=["run_config"])


def _step(info: CheckpointInfo) -> int:
    """Of the training that made it, as it says itself; 0 where it says nothing of use."""
    step = info.recipe.get("step")
    return step if type(step) is int and 0 <= step < MAX_STEP else 0  # True is an int, too


def checkpoints_ship() -> None:
    """The untrained policies and the checkpoints that come with the code, on disk and as rows.

    A trained one, of several the last by name, becomes its method's default where none was chosen;
    that is never changed again: a newer one that comes with an update waits to be promoted.
    """
    root = settings.DATA_DIR / "checkpoints"
    for method in METHODS.values():
        if isinstance(method, BeginsUntrained):
            method.untrained(root)
    shipped = ensure_shipped(root)
    checkpoints_register()
    brought = Checkpoint.objects.filter(name__in=shipped, trained=True, job=None)
    for checkpoint in brought.order_by("-name"):
        chosen = Checkpoint.objects.filter(method=checkpoint.method, is_default=True)
        if chosen.exists():
            continue
        try:
            checkpoint_promote(checkpoint=checkpoint)
        except ApplicationError as error:
            log.warning("%s has no default checkpoint: %s", checkpoint.method, error.message)


def _row(job: TrainingJob, event: CheckpointSaved, staged: Staged) -> Checkpoint:
    """Named after the job; when another has that name, after the job's id too."""
    slug = slugify(job.name)[:SLUG_CHARS].strip("-_") or job.method
    for prefix in (slug, f"{slug}-{job.id.hex[:8]}"):
        name = f"{prefix}-step-{event.step:06d}"
        try:
            with transaction.atomic():
                return Checkpoint.objects.create(
                    **clean(_told(staged.info)),
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
        "run_config": info.run,
    }


def _check_usable(checkpoint: Checkpoint) -> None:
    try:
        info = read_info(folders.checkpoint_folder(checkpoint.name), method=checkpoint.method)
    except CheckpointError as error:
        raise _conflict(
            f"checkpoint_{error.code}",
            error.message,
            _("Bring its folder back, or promote another."),
        ) from error
    method = METHODS.get(checkpoint.method)
    if isinstance(method, ChoosesCheckpoints) and not method.runs_with(info):
        raise _conflict(
            "not_for_runs",
            _("“%(name)s” is nothing that runs of %(method)s begin with.")
            % {"name": checkpoint.name, "method": method.key},
            _("Promote another one."),
        )


def _conflict(code: str, message: str, remedy: str) -> ApplicationError:
    return ApplicationError(
        code=code, message=message, remedy=remedy, status_code=status.HTTP_409_CONFLICT
    )
