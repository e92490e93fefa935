"""Copies the files of checkpoints, trainings and tasks while they may still change.

    checkpoints/<name>/     never changes once it exists
    files/<digest>/         never changes while it exists
    training/<job id>/      state, tasks and TensorBoard files; each file is renamed into place

The files are copied before the database is dumped. So a restored training continues from older
state: it repeats steps that the database has, and these are stored once. Folders that appear during
the dump are copied after it, so every checkpoint of the dump has its folder.
"""

import hashlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from studio.launcher.errors import LauncherError

TREES = ("checkpoints", "files", "training")
LEFT_OUT = frozenset({".lock", ".staging", "lock"})
TRIES, PAUSE_SECONDS = 20, 0.5


def copy_trees(source: Path, target: Path) -> None:
    """Copy what `target` lacks, folder by folder. Raises LauncherError, OSError."""
    for tree in TREES:
        for folder in folders(source / tree):
            copy_folder(folder, target / folder.relative_to(source))


def folders(top: Path, above: tuple[Path, ...] = ()) -> Iterator[Path]:
    """`top` and the folders below it, linked ones too, without temporary files. A link to a folder
    `above` it is left out: the walk would not end."""
    if not top.is_dir():
        return
    real = top.resolve()
    if any(folder.is_relative_to(real) for folder in above):
        return
    yield top
    for entry in sorted(top.iterdir()):
        if entry.name not in LEFT_OUT:
            yield from folders(entry, (*above, real))


def copy_folder(source: Path, target: Path) -> None:
    """Copy the files of one folder as of one moment: again if they changed."""
    if target.exists():
        return
    for _ in range(TRIES):
        shutil.rmtree(target, ignore_errors=True)
        before = listing(source)
        try:
            target.mkdir(parents=True)
            for name in before:
                shutil.copy2(source / name, target / name)
        except FileNotFoundError:
            time.sleep(PAUSE_SECONDS)
            continue
        if listing(source) == before:
            return
        time.sleep(PAUSE_SECONDS)
    if source.exists():
        raise LauncherError(
            f"{source} changes faster than the backup can copy it. Try again later."
        )
    shutil.rmtree(target, ignore_errors=True)


def listing(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Name → inode, size and change time of each file."""
    found = {}
    try:
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name not in LEFT_OUT:
                status = path.stat()
                found[path.name] = (status.st_ino, status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        return found
    return found


def digests(folder: Path) -> dict[str, str]:
    """Path below `folder` → SHA-256, for all its files."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): digest(path) for path in paths}


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def size_mb(*places: Path) -> int:
    files = (path for place in places for each in folders(place) for path in each.iterdir())
    return sum(path.stat().st_size for path in files if path.is_file()) // 1_000_000
