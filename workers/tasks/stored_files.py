"""Deletes the files of tasks that nothing needs any more."""

import re
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from apps.evaluations.models import EvaluationTask
from apps.runs.models import Run
from apps.tasks.models import Task, Upload
from apps.tasks.uploads import uploads_prune
from workers.core.tools.attachments import digests_stored, files_dropped

_NAMED = re.compile(r'"sha256": ?"([0-9a-f]{64})"')


def files_prune() -> int:
    """Those that no run, task, evaluation, training or upload names, and that were not stored in
    the last hour. Returns how many."""
    uploads_prune()
    folder = settings.DATA_DIR / "files"
    if not digests_stored(folder):
        return 0
    return files_dropped(folder, needed=set(_needed()))


def _needed() -> Iterator[str]:
    yield from Upload.objects.values_list("sha256", flat=True)
    for rows, place in (
        (Run.objects.all(), "task_details__metadata__files"),
        (Task.objects.all(), "metadata__files"),
        (EvaluationTask.objects.all(), "spec__metadata__files"),
    ):
        yield from _named_by(rows, place)
    for tasks in settings.DATA_DIR.glob("training/*/tasks.jsonl"):
        yield from _NAMED.findall(tasks.read_text(encoding="utf-8"))


def _named_by(rows: QuerySet[Any], place: str) -> Iterator[str]:
    listed = rows.filter(**{f"{place}__isnull": False}).values_list(place, flat=True)
    for files in listed.iterator():
        entries = files if isinstance(files, list) else ()
        yield from (str(e["sha256"]) for e in entries if isinstance(e, dict) and "sha256" in e)
