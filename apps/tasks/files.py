"""Keeps the files of tasks once, instead of in every task and run that has them."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from workers.core.specs import TaskSpec
from workers.core.tools.attachments import (
    AttachedFile,
    attached_files,
    files_stored,
    names_apart,
)


def with_files(details: dict[str, Any], given: Iterable[AttachedFile]) -> dict[str, Any]:
    """What a run keeps of its task (`TaskSpec` without the query), with further files. Those of the
    same name get a number."""
    added = files_stored(given, settings.DATA_DIR / "files")
    if not added:
        return details
    metadata = details.get("metadata", {})
    files = [*metadata.get("files", ()), *added]
    names = names_apart(str(file["name"]) for file in files)
    named = [{**file, "name": name} for file, name in zip(files, names, strict=True)]
    return {**details, "metadata": {**metadata, "files": named}}


def files_kept(task: TaskSpec, *, store: bool = True) -> TaskSpec:
    """The task with its files named by their digests. Without `store` nothing is written."""
    files = attached_files(task.metadata)
    if not files:
        return task
    named = files_stored(files.values(), settings.DATA_DIR / "files" if store else None)
    return task.model_copy(update={"metadata": {**task.metadata, "files": named}})
