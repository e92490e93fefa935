"""A training in this process, watched from its terminal; and what such commands read alike."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.db import connection

from apps.accounts.models import User
from apps.accounts.services import admin_ensure
from apps.common.errors import ApplicationError
from apps.training.dispatch import training_drive, trainings_leave
from apps.training.management.display import Display
from apps.training.models import TrainingJob
from apps.training.selectors import job_row
from apps.training.services import training_pause

LOOK_SECONDS = 0.5


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


def read_setting(text: str) -> tuple[str, Any]:
    """`KEY=VALUE`; VALUE is JSON, or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise CommandError(f"--set needs KEY=VALUE, not {text!r}.")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def user_named(name: str | None) -> User:
    """The admin where none is named."""
    if name is None:
        return admin_ensure()[0]
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no user “{name}”.")
    return user


def error_lines(error: ApplicationError) -> str:
    """Every field in error on a line, or the one sentence."""
    fields = [f"{field.field}: {field.message}" for field in error.fields]
    return "\n".join(fields) or f"{error.message} {error.remedy}"
