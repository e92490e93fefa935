"""A training in this process, watched from its terminal; and what such a command is asked."""

from __future__ import annotations

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
    "method",
    "preset",
    "dataset",
    "split",
    "limit",
    "endpoint",
    "pool",
    "seed",
    "name",
    "start_from",
    "keep_checkpoints",
)


def take_up(job: TrainingJob, user: User, *, budget: TrainingBudget | None = None) -> TrainingJob:
    """One that waits, was paused, failed, or whose process was killed, to go on with here.

    A `budget` replaces the one it has. Raises ApplicationError (409) for one that another process
    trains, and for one that has ended.
    """
    if training_release(job.id):
        job.refresh_from_db()
    waits = job.status == TrainingJob.Status.QUEUED
    if waits and budget is None:
        return job
    with transaction.atomic():
        if waits:  # a worker that took it up meanwhile would go on with the budget from before
            training_pause(user=user, job_id=job.id, as_admin=True)
        return training_resume(
            user=user, job_id=job.id, as_admin=True, budget=budget, enqueue=False
        )


class Drive:
    """The training in a thread of its own; this one draws, and hears Ctrl-C."""

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
            raise CommandError("Another process trains this job, or it was stopped: see its page.")

    def _draw(self) -> None:
        """The training outlives a database that is away, and so does its picture."""
        try:
            self._display.draw(job_row(self._job.id))
        except (OperationalError, InterfaceError):
            connection.close()

    @contextmanager
    def _interrupts_counted(self) -> Iterator[None]:
        """Counted, not raised: the exception would come in the middle of anything."""

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
            self._display.say("Pausing after this step. Ctrl-C again leaves at once.")
        except ApplicationError as error:
            if self._interrupts == 1:
                self._display.say(error.message)
        except (OperationalError, InterfaceError):
            connection.close()
            self._display.say("The database is away, so nobody could be told. Ctrl-C again leaves.")
        if self._interrupts > 1:
            give_trainings_back()


def add_request_arguments(parser: CommandParser) -> None:
    """What a `TrainingRequest` says, but for the name."""
    parser.add_argument("--method", default=DEFAULT_METHOD, help="(default: %(default)s)")
    parser.add_argument("--preset", help="a named configuration (default: the first one)")
    parser.add_argument("--dataset")
    parser.add_argument("--split", default="train", help="train, dev or test (default: train)")
    parser.add_argument("--limit", type=int, help="only the first tasks of the split")
    parser.add_argument("--endpoint")
    parser.add_argument("--pool")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--start-from", metavar="CHECKPOINT")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting over the preset's; VALUE is JSON, or else text",
    )
    parser.add_argument("--budget-tokens", type=int, help="of the whole training")
    parser.add_argument("--budget-cost", type=float, help="of the whole training, USD")
    parser.add_argument("--per-system", default="{}", metavar="JSON", help="of one system")
    parser.add_argument("--keep-checkpoints", type=int, default=5)
    parser.add_argument("--user", help="whose training it is (default: the admin)")


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
