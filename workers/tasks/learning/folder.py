"""A job's folder: one process at a time, and the tasks as they were when the training began."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from apps.tasks.models import Task
from apps.training.lifecycle import held, notice_add
from apps.training.models import TrainingJob
from apps.training.plan import training_tasks
from workers.core.errors import MethodError
from workers.core.specs import TaskSpec

TASKS = "tasks.jsonl"
LOCK = "lock"
LOCK_SECONDS = 30.0
LOOK_SECONDS = 0.2


@contextmanager
def locked(folder: Path, *, seconds: float | None = None) -> Iterator[None]:
    """The kernel gives the lock free when its holder dies. A worker that was given up for dead and
    is not (stopped, cut off) may still hold it: it leaves once it learns that it lost the job.

    Raises MethodError `training_folder_in_use`; OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _wait(descriptor, LOCK_SECONDS if seconds is None else seconds)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{socket.gethostname()}:{os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                holder = os.pread(descriptor, 200, 0).decode(errors="replace")
                raise MethodError(
                    code="training_folder_in_use",
                    message=f"The process {holder or '(unknown)'} still trains in this job's "
                    "folder, although it lost the job.",
                    remedy="End that process, then resume: nothing is lost.",
                ) from error
            time.sleep(LOOK_SECONDS)


def tasks_of(job: TrainingJob, folder: Path) -> list[TaskSpec]:
    """The same tasks in every attempt, whatever becomes of the dataset.

    Raises MethodError when there are none; Fenced.
    """
    file = folder / TASKS
    if not file.exists():
        lines = [task.spec().model_dump_json() for task in _from_database(job)]
        written = file.with_suffix(".new")
        written.write_text("\n".join(lines), encoding="utf-8")
        written.replace(file)
    text = file.read_text(encoding="utf-8")
    return [TaskSpec.model_validate_json(line) for line in text.split("\n")]


def _from_database(job: TrainingJob) -> list[Task]:
    dataset = job.dataset
    tasks = list(training_tasks(dataset, job.split, job.limit)) if dataset else []
    if dataset is None or not tasks:
        raise MethodError(
            code="dataset_empty",
            message=f"The split “{job.split}” of the dataset has no tasks with a verifier.",
            remedy="Import tasks, then resume.",
        )
    if dataset.digest != job.dataset_digest:
        _tell_of_change(job, dataset.digest)
    return tasks


def _tell_of_change(job: TrainingJob, digest: str) -> None:
    with held(job.id, job.attempt) as row:
        message = "The dataset was changed before the training began; it learns from it as it is."
        notice_add(row, "dataset_changed", message)
        row.dataset_digest = digest
        row.save(update_fields=["dataset_digest", "notices"])
    job.dataset_digest = digest
