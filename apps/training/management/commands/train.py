"""Trains a method here, without Celery's workers: the same job as on the page.

manage.py train --method mashost --dataset gsm8k --split train --limit 500 --set steps=50
manage.py train --resume JOB        go on with one that was paused, failed, or was killed

Ctrl-C pauses after the step; a second one leaves at once, and only that step is done again.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from pydantic import ValidationError

from apps.accounts.models import User
from apps.accounts.services import admin_ensure
from apps.common.errors import ApplicationError
from apps.training.dispatch import training_drive, trainings_leave
from apps.training.management.display import Display
from apps.training.models import TrainingJob
from apps.training.requests import TrainingRequest
from apps.training.selectors import job_row
from apps.training.services import training_create, training_pause, training_resume
from workers.core.specs import TrainingBudget

LOOK_SECONDS = 0.5
Status = TrainingJob.Status


class Command(BaseCommand):
    help = "Train a method on the tasks of a split."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--method", default="mashost")
        parser.add_argument("--preset", help="a named configuration (default: the first one)")
        parser.add_argument("--dataset")
        parser.add_argument("--split", default="train", help="train, dev or test (default: train)")
        parser.add_argument("--limit", type=int, help="only the first tasks of the split")
        parser.add_argument("--endpoint")
        parser.add_argument("--pool")
        parser.add_argument("--seed", type=int)
        parser.add_argument("--name")
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
        parser.add_argument("--resume", type=UUID, metavar="JOB")
        parser.add_argument("--user", help="whose training it is (default: the admin)")

    def handle(self, **options: Any) -> None:
        user = _user(options["user"])
        try:
            job = _resumed(user, options) if options["resume"] else _created(user, options)
        except ApplicationError as error:
            raise CommandError(_told(error)) from error
        display = Display(cast("TextIO", self.stdout._out))
        display.say(f"Training {job.id}: {job.name}")
        with display.shown():
            Drive(job, user, display).run()
        job.refresh_from_db()
        display.draw(job_row(job.id), last=True)
        _close(job, display)


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
                self._display.draw(job_row(self._job.id))
                if self._interrupts > heard:
                    heard = self._interrupts
                    self._pause_or_leave()
            thread.join()
        if not self._taken:
            raise CommandError("Another process trains this job, or it was stopped: see its page.")

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
            self._taken = training_drive(self._job.id)
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
        if self._interrupts > 1:
            trainings_leave()


def _created(user: User, options: dict[str, Any]) -> TrainingJob:
    if not options["dataset"]:
        raise CommandError("Name the data set: --dataset KEY.")
    copied = ("method", "preset", "dataset", "split", "limit", "endpoint", "pool", "seed", "name")
    try:
        request = TrainingRequest.model_validate(
            {
                **{key: options[key] for key in (*copied, "start_from", "keep_checkpoints")},
                "config": dict(_setting(text) for text in options["set"]),
                "budget": {
                    "max_tokens": options["budget_tokens"],
                    "max_cost": options["budget_cost"],
                },
                "per_system": _json(options["per_system"]),
            }
        )
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error
    return training_create(user=user, request=request, enqueue=False)


def _resumed(user: User, options: dict[str, Any]) -> TrainingJob:
    try:
        job = TrainingJob.objects.get(id=options["resume"])
    except TrainingJob.DoesNotExist as error:
        raise CommandError(f"There is no training {options['resume']}.") from error
    if job.status == Status.QUEUED:
        return job  # nobody took it up yet: it goes on here
    budget = None
    if options["budget_tokens"] or options["budget_cost"]:
        budget = TrainingBudget(
            max_tokens=options["budget_tokens"], max_cost=options["budget_cost"]
        )
    return training_resume(user=user, job_id=job.id, as_admin=True, budget=budget, enqueue=False)


def _close(job: TrainingJob, display: Display) -> None:
    names = list(job.checkpoints.order_by("step").values_list("name", flat=True))
    if names:
        display.say(f"Checkpoints: {', '.join(names)}")
    again = f"manage.py train --resume {job.id}"
    if job.status == Status.FAILED:
        cause = job.failure or {}
        told = f"{cause.get('message', '')} {cause.get('remedy', '')}".strip()
        raise CommandError(f"The training failed. {told}\n{again}")
    if job.status in (Status.PAUSED, Status.QUEUED):
        display.say(f"Paused at step {job.step:,}. To go on: {again}")
    elif job.end_reason == TrainingJob.EndReason.BUDGET:
        display.say(f"The budget is spent. To go on: {again} --budget-tokens MORE")


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise CommandError(f"--set needs KEY=VALUE, not {text!r}.")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise CommandError(f"--per-system is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError('--per-system must be a JSON object, such as {"max_tokens": 4000}.')
    return value


def _user(name: str | None) -> User:
    if name is None:
        return admin_ensure()[0]
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user “{name}”.")
    return user


def _told(error: ApplicationError) -> str:
    fields = [f"{field.field}: {field.message}" for field in error.fields]
    return "\n".join(fields) or f"{error.message} {error.remedy}"
