"""Stored files stay as long as something names them, and go when nothing does."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.evaluations.models import Evaluation, EvaluationTask
from apps.runs.models import Run
from apps.tasks.models import Dataset, Task, Upload
from workers.core.tools.attachments import data_stored
from workers.tasks.upkeep import files_prune

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
Metadata = dict[str, list[dict[str, str]]]


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path / "files"


@pytest.fixture
def stored(folder: Path) -> Callable[[str], Metadata]:
    """Stores a text two hours ago. Returns the metadata that names it."""

    def store(text: str) -> Metadata:
        digest = data_stored(text.encode(), folder)
        os.utime(folder / digest, (time.time() - 7_200,) * 2)
        return {"files": [{"name": "a.txt", "sha256": digest}]}

    return store


def texts(folder: Path) -> set[str]:
    return {path.read_text() for path in folder.glob("*/data")}


def a_run(metadata: object) -> Run:
    return Run.objects.create(
        query="?",
        method="direct",
        endpoint_key="e",
        endpoint_spec={},
        task_details={"metadata": metadata},
    )


def test_a_file_goes_with_the_last_that_names_it(
    folder: Path, stored: Callable[[str], Metadata], cast: dict[str, User]
) -> None:
    shared = stored("shared")
    digest = shared["files"][0]["sha256"]
    dataset = Dataset.objects.create(key="d", name="D")
    task = Task.objects.create(dataset=dataset, split="test", index=0, query="?", metadata=shared)
    runs = [a_run(shared), a_run(shared), a_run({"files": "no list"}), a_run({})]
    Upload.objects.create(
        created_by=cast["operator"], name="a.txt", kind="text", size=6, sha256=digest
    )
    stored("nobody's")
    assert files_prune() == 1
    assert texts(folder) == {"shared"}
    for holder in (*runs, task):
        holder.delete()
        assert files_prune() == 0
    Upload.objects.update(created_at=timezone.now() - DAY)
    assert files_prune() == 1
    assert (texts(folder), Upload.objects.count()) == (set(), 0)


def test_files_of_evaluations_and_trainings_stay(
    folder: Path,
    stored: Callable[[str], Metadata],
    settings: Settings,
) -> None:
    EvaluationTask.objects.create(
        evaluation=Evaluation.objects.create(name="e"),
        index=0,
        query="?",
        spec={"metadata": stored("evaluation")},
    )
    tasks = settings.DATA_DIR / "training" / "job" / "tasks.jsonl"
    tasks.parent.mkdir(parents=True)
    digest = stored("training")["files"][0]["sha256"]
    tasks.write_text(f'{{"metadata":{{"files":[{{"name":"a","sha256":"{digest}"}}]}}}}')
    assert files_prune() == 0
    assert texts(folder) == {"evaluation", "training"}


def test_what_was_stored_lately_waits_for_its_row(
    folder: Path, stored: Callable[[str], Metadata]
) -> None:
    stored("again")
    data_stored(b"again", folder)
    data_stored(b"new", folder)
    assert files_prune() == 0
    assert texts(folder) == {"again", "new"}
