"""Whether a worker's process has surely ended, without waiting for missed heartbeats.

Each worker locks a file with its name in the data folder. The kernel frees the lock when the
process ends, however it ends. So a file that can be locked belongs to a dead worker. A missing file
proves nothing, because that worker may have another data folder.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from django.conf import settings

UNNAMED = "."


def folder() -> Path:
    return Path(settings.DATA_DIR / "workers")


def lifeline_hold(name: str) -> int | None:
    """An open file to keep while the worker lives; None if the disk refuses.

    The file gets its name after it is locked: a named file without a lock would mean a dead worker.
    """
    unnamed = folder() / f"{UNNAMED}{name}"
    try:
        folder().mkdir(parents=True, exist_ok=True)
        descriptor = os.open(unnamed, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(folder() / name)
    except OSError:
        return None
    return descriptor


def dead_workers() -> list[str]:
    """The names of workers whose processes have ended and whose files are still there."""
    found = sorted(folder().iterdir()) if folder().is_dir() else []
    named = [path for path in found if not path.name.startswith(UNNAMED)]
    return [path.name for path in named if not _is_held(path)]


def lifelines_forget(names: list[str]) -> None:
    for name in names:
        with suppress(OSError):
            (folder() / name).unlink()


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return True  # gone meanwhile, or not ours to judge
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
