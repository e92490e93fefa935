"""The folder of the checkpoints that runs and evaluations use, `checkpoints/<name>/` below the data
folder, and moving checkpoints in and out.

A checkpoint is first copied to `.staging` and then renamed into place, so half a checkpoint is
never visible.
"""

import errno
import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from django.conf import settings

from workers.core.checkpoints import CONFIG_NAME, CheckpointError, CheckpointInfo, read_info
from workers.core.errors import Failure

STAGING = ".staging"
STALE_SECONDS = 3_600.0
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class NotPublished(Exception):
    """A checkpoint could not be copied to where runs find it. No part of it is there."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Staged:
    folder: Path
    info: CheckpointInfo
    size_bytes: int


def checkpoint_folder(name: str) -> Path:
    return Path(settings.DATA_DIR / "checkpoints" / name)


def stage(saved: Path) -> Staged:
    """A copy of what a training saved, synced to disk. Raises NotPublished."""
    target = checkpoint_folder(STAGING) / uuid4().hex
    try:
        info = read_info(saved)
        sweep()
        target.mkdir(parents=True)
        size = sum(_copy(saved / file, target / file) for file in (info.weights, CONFIG_NAME))
        _sync(target)
    except CheckpointError as error:
        raise NotPublished(Failure(code="checkpoint_unreadable", message=error.message)) from error
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        raise NotPublished(_refused(saved, error)) from error
    return Staged(target, info, size)


def place(staged: Staged, name: str) -> None:
    """Raises NotPublished. Replaces an orphan with that name, which has no row."""
    target = checkpoint_folder(name)
    try:
        remove(name)
        staged.folder.rename(target)
        _sync(target.parent)
    except OSError as error:
        raise NotPublished(_refused(target, error)) from error


def remove(name: str) -> None:
    """Hides it at once. What cannot be deleted now is deleted later."""
    folder = checkpoint_folder(name)
    if folder.is_dir():
        trash = checkpoint_folder(STAGING) / uuid4().hex
        trash.parent.mkdir(exist_ok=True)
        folder.rename(trash)
        shutil.rmtree(trash, ignore_errors=True)


def discard(staged: Staged) -> None:
    shutil.rmtree(staged.folder, ignore_errors=True)


def sweep() -> None:
    """Deletes what killed processes left in `.staging`."""
    before = time.time() - STALE_SECONDS
    for left in checkpoint_folder(STAGING).glob("*"):
        with suppress(OSError):
            if left.stat().st_mtime < before:
                shutil.rmtree(left, ignore_errors=True)


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.is_file())


def _copy(source: Path, target: Path) -> int:
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written)
        written.flush()
        os.fsync(written.fileno())
        return written.tell()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> Failure:
    if error.errno in DISK_FULL:
        return Failure(
            code="disk_full",
            message=f"The disk is full: the checkpoint {path.name} could not be published.",
            remedy="Free some space, for example by deleting checkpoints. Then resume; nothing "
            "is lost.",
        )
    return Failure(
        code="checkpoint_not_written",
        message=f"The checkpoint {path.name} could not be published: {error.strerror or error}.",
        remedy="Repair the data folder. Then resume; nothing is lost.",
    )
