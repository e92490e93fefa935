"""Files of a task, which agents open with `read_file`.

A task names them in `metadata["files"]`: `name`, and either `text`, or `content` in base64, or the
`sha256` of a file that the studio keeps: FOLDER/<sha256>/data, which never changes.
"""

import base64
import binascii
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.core.specs import TaskSpec

FILE_MAX_BYTES = 30_000_000
FILES_MAX = 20
"""Files of one task."""
FILES_MAX_BYTES = 60_000_000
"""All files that come with one question."""
NAME_CHARS = 120
DATA = "data"
STAGING = ".staging"
LOCK = ".lock"
SPARED_SECONDS = 3_600.0
"""A file that was stored this lately may belong to a row that is not written yet."""
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NOT_IN_NAMES = re.compile(r"[^\w .,()+@-]+")


class FileMissing(Exception):
    """Why a file has no content, as sentences."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    name: str
    text: str = ""
    content: str = ""
    sha256: str = ""

    def data(self, folder: Path | None) -> bytes:
        """The content; `folder` holds stored files. Raises FileMissing."""
        if self.content:
            try:
                return base64.b64decode(self.content, validate=True)
            except (binascii.Error, ValueError) as error:
                raise FileMissing(f"{self.name} was attached in no valid base64.") from error
        if not self.sha256:
            return self.text.encode(errors="replace")
        if folder is None or not _DIGEST.fullmatch(self.sha256):
            raise FileMissing(f"{self.name} is not stored here.")
        try:
            path = folder / self.sha256 / DATA
            if path.stat().st_size > FILE_MAX_BYTES:
                raise FileMissing(f"{self.name} has more than {FILE_MAX_BYTES / 1e6:.0f} MB.")
            return path.read_bytes()
        except OSError as error:
            raise FileMissing(f"{self.name} is not stored here any more.") from error

    def size(self, folder: Path) -> int | None:
        """Bytes of a stored file; None if it is not stored (any more)."""
        try:
            return (folder / self.sha256 / DATA).stat().st_size if self.sha256 else None
        except OSError:
            return None


class BadFiles(ValueError):
    """What is wrong with the list of files of a task, without a full stop."""


def attached_files(metadata: Mapping[str, Any]) -> dict[str, AttachedFile]:
    """By name. What has another shape is no file: a data set may have a field of this name."""
    listed = metadata.get("files")
    files: dict[str, AttachedFile] = {}
    for entry in listed if isinstance(listed, list) else ():
        if not isinstance(entry, dict):
            continue
        name = safe_name(str(entry.get("name") or ""))
        given = {key: entry.get(key) for key in ("text", "content", "sha256")}
        if name and any(isinstance(value, str) for value in given.values()):
            texts = {key: value for key, value in given.items() if isinstance(value, str)}
            files.setdefault(name, AttachedFile(name, **texts))
    return files


def safe_name(name: str) -> str:
    """One line without marks that a file system, a header or a model could take for more."""
    cleaned = _NOT_IN_NAMES.sub("_", name).strip()
    stem, dot, suffix = cleaned.rpartition(".")
    if len(cleaned) > NAME_CHARS and dot and len(suffix) < 10:
        return f"{stem[: NAME_CHARS - len(suffix) - 1]}.{suffix}"
    return cleaned[:NAME_CHARS]


def names_apart(names: Iterable[str]) -> list[str]:
    """The same names; a later one that exists already gets a number, such as “a (2).txt”."""
    apart: list[str] = []
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        head, tail = (stem, f".{suffix}") if dot and stem else (name, "")
        number, told = 1, name
        while told.casefold() in {each.casefold() for each in apart}:
            number += 1
            told = f"{head} ({number}){tail}"
        apart.append(told)
    return apart


def names_told(files: Mapping[str, AttachedFile]) -> str:
    """The sentence after a question that says which files come with it; empty if there is none."""
    if not files:
        return ""
    word = "file" if len(files) == 1 else "files"
    return f"\n\nAttached {word} (the tool read_file opens them): {', '.join(files)}"


def with_files_named(task: TaskSpec) -> TaskSpec:
    """The task as agents read it: the question names the files that come with it."""
    named = names_told(attached_files(task.metadata))
    return task.model_copy(update={"query": task.query + named}) if named else task


def files_checked(listed: object) -> tuple[AttachedFile, ...]:
    """The files that a person lists for a task, complete. Raises BadFiles."""
    if not isinstance(listed, list) or len(listed) > FILES_MAX:
        raise BadFiles(f"files must be a list of at most {FILES_MAX}")
    files = attached_files({"files": listed})
    if len(files) != len(listed):
        raise BadFiles("each file needs a name of its own, and text, content or sha256")
    for file in files.values():
        try:
            if len(file.data(None) if not file.sha256 else b"") > FILE_MAX_BYTES:
                raise BadFiles(f"{file.name} has more than {FILE_MAX_BYTES / 1e6:.0f} MB")
        except FileMissing as error:
            raise BadFiles(str(error).rstrip(".")) from error
        if file.sha256 and not _DIGEST.fullmatch(file.sha256):
            raise BadFiles(f"the sha256 of {file.name} has not 64 hexadecimal digits")
    return tuple(files.values())


def files_stored(files: Iterable[AttachedFile], folder: Path | None) -> list[dict[str, str]]:
    """Keeps them in the studio's folder. Returns what a task's metadata names instead. With no
    folder nothing is kept."""
    return [{"name": file.name, "sha256": _digest_stored(file, folder)} for file in files]


def _digest_stored(file: AttachedFile, folder: Path | None) -> str:
    if not file.sha256:
        return data_stored(file.data(None), folder)
    if folder is not None:
        with _alone(folder), suppress(FileNotFoundError):
            os.utime(folder / file.sha256)
    return file.sha256


def data_stored(data: bytes, folder: Path | None) -> str:
    """Keeps the content once, however many files have it. Returns its digest."""
    digest = hashlib.sha256(data).hexdigest()
    if folder is None:
        return digest
    with _alone(folder):
        if (folder / digest).exists():
            os.utime(folder / digest)
            return digest
        staged = _staged(folder, digest)
        staged.mkdir(parents=True)
        (staged / DATA).write_bytes(data)
        staged.rename(folder / digest)
    return digest


def digests_stored(folder: Path) -> set[str]:
    """Of the files that were stored, or stored again, more than an hour ago."""
    known = time.time() - SPARED_SECONDS
    entries = folder.iterdir() if folder.is_dir() else ()
    return {e.name for e in entries if _DIGEST.fullmatch(e.name) and e.stat().st_mtime < known}


def files_dropped(folder: Path, *, needed: Container[str]) -> int:
    """Deletes the stored files that nothing needs, except those of the last hour. Returns how
    many."""
    if not folder.is_dir():
        return 0
    with _alone(folder):
        shutil.rmtree(folder / STAGING, ignore_errors=True)
        unused = [digest for digest in digests_stored(folder) if digest not in needed]
        for digest in unused:
            shutil.rmtree(folder / digest)
    return len(unused)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Storing and deleting exclude each other, in all processes."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _staged(folder: Path, digest: str) -> Path:
    return folder / STAGING / f"{digest}.{secrets.token_hex(4)}"
