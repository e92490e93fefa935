"""A job's folder: its lock for one process, and the tasks as they were when the training began."""

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
def locked(folder: Path) -> Iterator[None]:
    """Hold the job's folder. The kernel frees the lock when its holder dies. A worker that was
    wrongly given up for dead (stopped, cut off) may still hold it. It leaves once it learns that it
    lost the job.

    Raises MethodError `training_folder_in_use`; OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _wait(descriptor)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{socket.gethostname()}:{os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                holder = os.pread(descriptor, 200, 0).decode(errors="replace")
                raise MethodError(
                    code="training_folder_in_use",
                    message=(
                        f"The process {holder or '(unknown)'} lost this job but still trains in "
                        "its folder."
                    ),
                    remedy="End that process, then resume. Nothing is lost.",
                ) from error
            time.sleep(LOOK_SECONDS)


def tasks_of(job: TrainingJob, folder: Path) -> list[TaskSpec]:
    """The training's tasks: the same in every attempt, even if the dataset changes.

    Raises MethodError if there are none, and Fenced.
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
            remedy="Import tasks with a verifier, then resume.",
        )
    if dataset.digest != job.dataset_digest:
        _tell_of_change(job, dataset.digest)
    return tasks


def _tell_of_change(job: TrainingJob, digest: str) -> None:
    with held(job.id, job.attempt) as row:
        message = (
            "The dataset changed before the training began. The training uses its current tasks."
        )
        notice_add(row, "dataset_changed", message)
        row.dataset_digest = digest
        row.save(update_fields=["dataset_digest", "notices"])
    job.dataset_digest = digest
