"""Files of a task, which agents open with `read_file`.

A task names them in `metadata["files"]`: `name`, and either `text`, or `content` in base64, or the
`sha256` of a file that the studio keeps: FOLDER/<sha256>/data, which never changes.
"""

import base64
import binascii
import hashlib
import re
import secrets
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.core.specs import TaskSpec

FILE_MAX_BYTES = 30_000_000
FILES_MAX = 20
"""Files of one task."""
DATA = "data"
STAGING = ".staging"
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


class BadFiles(ValueError):
    """What is wrong with the list of files of a task, without a full stop."""


def attached_files(metadata: Mapping[str, Any]) -> dict[str, AttachedFile]:
    """By name. What has another shape is no file: a data set may have a field of this name."""
    listed = metadata.get("files")
    files: dict[str, AttachedFile] = {}
    for entry in listed if isinstance(listed, list) else ():
        if not isinstance(entry, dict):
            continue
        name = _NOT_IN_NAMES.sub("_", str(entry.get("name") or "")).strip()[:120]
        given = {key: entry.get(key) for key in ("text", "content", "sha256")}
        if name and any(isinstance(value, str) for value in given.values()):
            texts = {key: value for key, value in given.items() if isinstance(value, str)}
            files.setdefault(name, AttachedFile(name, **texts))
    return files


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
    return [
        {"name": file.name, "sha256": file.sha256 or _stored(file.data(None), folder)}
        for file in files
    ]


def _stored(data: bytes, folder: Path | None) -> str:
    digest = hashlib.sha256(data).hexdigest()
    if folder is None or (folder / digest).exists():
        return digest
    staged = folder / STAGING / f"{digest}.{secrets.token_hex(4)}"
    staged.mkdir(parents=True)
    (staged / DATA).write_bytes(data)
    try:
        staged.rename(folder / digest)
    except OSError:  # another process stored it first
        shutil.rmtree(staged)
    return digest
