"""Runs a training in this process and shows it in the terminal; also the command's options."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import InterfaceError, OperationalError, connection, transaction
from pydantic import ValidationError

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.common.terminal import read_object, read_setting
from apps.training.lifecycle import training_release
from apps.training.models import TrainingJob
from apps.training.requests import TrainingRequest
from apps.training.selectors import job_row
from apps.training.services import training_pause, training_resume
from studio.management.training_display import Display
from workers.core.methods.registry import DEFAULT_METHOD
from workers.core.specs import TrainingBudget
from workers.tasks.training import give_trainings_back, train

LOOK_SECONDS = 0.5
COPIED = (
    *("method", "preset", "dataset", "split", "limit", "endpoint", "pool", "seed", "name"),
    *("start_from", "keep_checkpoints"),
)


def take_up(job: TrainingJob, user: User, *, budget: TrainingBudget | None = None) -> TrainingJob:
    """Continue here a training that waits, was paused, failed, or whose process was killed.

    A `budget` replaces the job's. Raises ApplicationError (409) if another process trains the job,
    or if it has ended.
    """
    if training_release(job.id):
        job.refresh_from_db()
    waits = job.status == TrainingJob.Status.QUEUED
    if waits and budget is None:
        return job
    with transaction.atomic():
        if waits:  # a worker that has taken it since would use the old budget
            training_pause(user=user, job_id=job.id, as_admin=True)
        return training_resume(
            user=user, job_id=job.id, as_admin=True, budget=budget, enqueue=False
        )


class Drive:
    """Runs the training in a separate thread. This thread draws and handles Ctrl-C."""

    def __init__(self, job: TrainingJob, user: User, display: Display) -> None:
        self._job = job
        self._user = user
        self._display = display
        self._taken = True
        self._done = threading.Event()
        self._interrupts = 0

    def run(self) -> None:
        thread = threading.Thread(target=self._train, name="training")
        with self._interrupts_counted():
            thread.start()
            heard = 0
            while not self._done.wait(LOOK_SECONDS):
                self._draw()
                if self._interrupts > heard:
                    heard = self._interrupts
                    self._pause_or_leave()
            thread.join()
        if not self._taken:
            raise CommandError(
                "Another process trains this job, or it was stopped. See the job's page."
            )

    def _draw(self) -> None:
        """Draw, or skip it while the database is away: the training survives that, too."""
        try:
            self._display.draw(job_row(self._job.id))
        except (OperationalError, InterfaceError):
            connection.close()

    @contextmanager
    def _interrupts_counted(self) -> Iterator[None]:
        """Count Ctrl-C instead of raising: the exception could come anywhere."""

        def count(*_: object) -> None:
            self._interrupts += 1

        before = signal.signal(signal.SIGINT, count)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _train(self) -> None:
        try:
            self._taken = train(self._job.id)
        finally:
            connection.close()
            self._done.set()

    def _pause_or_leave(self) -> None:
        try:
            training_pause(user=self._user, job_id=self._job.id, as_admin=True)
            self._display.say("Pausing after this step. Press Ctrl-C again to leave at once.")
        except ApplicationError as error:
            if self._interrupts == 1:
                self._display.say(error.message)
        except (OperationalError, InterfaceError):
            connection.close()
            self._display.say(
                "The database does not answer, so the pause was not saved. Press Ctrl-C again "
                "to leave."
            )
        if self._interrupts > 1:
            give_trainings_back()


def add_request_arguments(parser: CommandParser) -> None:
    """Add the options of a `TrainingRequest`, except the name."""
    parser.add_argument(
        "--method", default=DEFAULT_METHOD, help="method to train (default: %(default)s)"
    )
    parser.add_argument("--preset", help="named configuration (default: the method's first)")
    parser.add_argument("--dataset")
    parser.add_argument("--split", default="train", help="train, dev or test (default: train)")
    parser.add_argument("--limit", type=int, help="use only the first N tasks of the split")
    parser.add_argument("--endpoint")
    parser.add_argument("--pool")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--start-from", metavar="CHECKPOINT")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a setting of the preset; VALUE is read as JSON, or else as text",
    )
    parser.add_argument("--budget-tokens", type=int, help="token limit of the whole training")
    parser.add_argument(
        "--budget-cost", type=float, help="cost limit of the whole training, in USD"
    )
    parser.add_argument(
        "--per-system", default="{}", metavar="JSON", help="limits of one team's run"
    )
    parser.add_argument("--keep-checkpoints", type=int, default=5)
    parser.add_argument("--user", help="owner of the training (default: the admin)")


def read_request(options: dict[str, Any]) -> TrainingRequest:
    """Raises CommandError, ApplicationError."""
    if not options["dataset"]:
        raise CommandError("Name the dataset: --dataset KEY.")
    budget = {"max_tokens": options["budget_tokens"], "max_cost": options["budget_cost"]}
    try:
        return TrainingRequest.model_validate(
            {
                **{key: options[key] for key in COPIED},
                "config": dict(read_setting(text) for text in options["set"]),
                "budget": budget,
                "per_system": read_object(
                    options["per_system"], "--per-system", '{"max_tokens": 4000}'
                ),
            }
        )
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error
