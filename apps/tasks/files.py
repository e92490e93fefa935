"""Keeps the files of tasks once, instead of in every task and run that has them."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from workers.core.specs import TaskSpec
from workers.core.tools.attachments import attached_files, files_stored


def with_files(details: dict[str, Any], given: Iterable[dict[str, str]]) -> dict[str, Any]:
    """What a run keeps of its task (`TaskSpec` without the query), with further files."""
    files = attached_files({"files": list(given)})
    if not files:
        return details
    metadata = details.get("metadata", {})
    named = [*metadata.get("files", ()), *files_stored(files.values(), settings.DATA_DIR / "files")]
    return {**details, "metadata": {**metadata, "files": named}}


def files_kept(task: TaskSpec, *, store: bool = True) -> TaskSpec:
    """The task with its files named by their digests. Without `store` nothing is written."""
    files = attached_files(task.metadata)
    if not files:
        return task
    named = files_stored(files.values(), settings.DATA_DIR / "files" if store else None)
    return task.model_copy(update={"metadata": {**task.metadata, "files": named}})
