"""Checkpoints that no training left: shipped with the code, or brought by people."""

import logging
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import DataError, transaction

from apps.checkpoints import folders
from apps.checkpoints.models import Checkpoint
from apps.checkpoints.services import checkpoint_promote, told_by
from apps.common.errors import ApplicationError
from workers.core.checkpoints import CheckpointError, CheckpointInfo, ensure_shipped, read_info
from workers.core.methods.base import AsksOwnModels, BeginsUntrained
from workers.core.methods.registry import METHODS

log = logging.getLogger(__name__)

MAX_STEP = 2**31


def checkpoints_register() -> list[str]:
    """Makes rows for folders without one: the untrained policy, and what people brought.

    Returns the new names. A folder that is not a checkpoint is left alone, and so is one that
    cannot be read or stored. The log says why, and the studio starts without it.
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
            message = "the checkpoint %r is left alone; rename it, repair it or move it away: %s"
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
                **told_by(info),
                "step": _step(info),
                "size_bytes": folders.size_of(folder),
            },
        )
    return created


def _read_again() -> None:
    """For rows of an older version: the settings that runs with them get."""
    for checkpoint in Checkpoint.objects.filter(run_config__isnull=True):
        with suppress(CheckpointError):
            checkpoint.run_config = read_info(folders.checkpoint_folder(checkpoint.name)).run
            checkpoint.save(update_fields=["run_config"])


def _step(info: CheckpointInfo) -> int:
    """The seed of the training that made it, as the checkpoint says; 0 if it says nothing
    useful."""
    step = info.recipe.get("step")
    return step if type(step) is int and 0 <= step < MAX_STEP else 0  # True is an int, too


def checkpoints_ship() -> None:
    """The untrained policies and the checkpoints that come with the code, on disk and as rows.

    If a method has no default, the trained checkpoint whose name is last becomes the default. Later
    updates never change a default: a newer one waits until it is promoted. A method whose
    checkpoints are language models has no default from here: a run that names none asks those of
    its endpoint.
    """
    root = settings.DATA_DIR / "checkpoints"
    for method in METHODS.values():
        if isinstance(method, BeginsUntrained):
            method.untrained(root)
    shipped = ensure_shipped(root)
    checkpoints_register()
    brought = Checkpoint.objects.filter(name__in=shipped, trained=True, job=None)
    models = [key for key, method in METHODS.items() if isinstance(method, AsksOwnModels)]
    for checkpoint in brought.exclude(method__in=models).order_by("-name"):
        chosen = Checkpoint.objects.filter(method=checkpoint.method, is_default=True)
        if chosen.exists():
            continue
        try:
            checkpoint_promote(checkpoint=checkpoint)
        except ApplicationError as error:
            log.warning("%s has no default checkpoint: %s", checkpoint.method, error.message)
