"""A job's folder: its lock for one process, and the tasks, and the runs that it may show, as they
were when the training began."""

import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from apps.runs.traces import right_traces
from apps.setups.learning import learns
from apps.tasks.models import Task
from apps.training.lifecycle import held, notice_add
from apps.training.models import TrainingJob
from apps.training.plan import training_tasks
from workers.core.errors import MethodError
from workers.core.methods.base import ReadsRuns, ReadsSingleReplies
from workers.core.methods.registry import METHODS
from workers.core.specs import Spec, TaskSpec
from workers.core.training.traces import Trace

TASKS = "tasks.jsonl"
TRACES = "traces.jsonl"
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
    return _frozen(folder / TASKS, TaskSpec, lambda: (t.spec() for t in _from_database(job)))


def traces_of(job: TrainingJob, folder: Path, tasks: Sequence[TaskSpec]) -> tuple[Trace, ...]:
    """The right runs that the training may show: the same in every attempt."""
    method = METHODS.get(job.method)
    if method is None or not learns(method):
        return ()
    config = method.training_schema.model_validate(job.config)
    if not isinstance(config, ReadsRuns) or not config.reads_runs():
        return ()
    options = config.shown_runs()
    single = isinstance(config, ReadsSingleReplies) and config.reads_single_replies()

    def found() -> Iterator[Trace]:
        return right_traces(job.method, tasks, options, single=single)

    return tuple(_frozen(folder / TRACES, Trace, found))


S = TypeVar("S", bound=Spec)


def _frozen(file: Path, of: type[S], found: Callable[[], Iterable[S]]) -> list[S]:
    """What the file has, a line each; it is written if it isn't there."""
    if not file.exists():
        written = file.with_suffix(".new")
        written.write_text("\n".join(each.model_dump_json() for each in found()), encoding="utf-8")
        written.replace(file)
    lines = file.read_text(encoding="utf-8").split("\n")
    return [of.model_validate_json(line) for line in lines if line]


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
