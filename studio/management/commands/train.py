"""Trains a method in this process, without Celery's workers. The job is the same as on the page.

manage.py train --method mashost --dataset gsm8k --split train --limit 500 --set steps=50
manage.py train --resume JOB        continue one that was paused, failed or was killed

Ctrl-C pauses after the step. A second Ctrl-C leaves at once; then only that step is repeated.
"""

from typing import Any, TextIO, cast
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.training.models import TrainingJob
from apps.training.selectors import job_row
from apps.training.services import training_create
from studio.management.training import Drive, add_request_arguments, read_request, take_up
from studio.management.training_display import Display
from studio.management.users import user_named
from workers.core.specs import TrainingBudget

Status = TrainingJob.Status


class Command(BaseCommand):
    help = "Train a method on the tasks of a split."

    def add_arguments(self, parser: CommandParser) -> None:
        add_request_arguments(parser)
        parser.add_argument("--name")
        parser.add_argument("--resume", type=UUID, metavar="JOB")

    def handle(self, **options: Any) -> None:
        user = user_named(options["user"])
        try:
            job = _resumed(user, options) if options["resume"] else _created(user, options)
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        display = Display(cast("TextIO", self.stdout._out))
        display.say(f"Training {job.id}: {job.name}")
        with display.shown():
            Drive(job, user, display).run()
        job.refresh_from_db()
        display.draw(job_row(job.id), last=True)
        _close(job, display)


def _created(user: User, options: dict[str, Any]) -> TrainingJob:
    return training_create(user=user, request=read_request(options), enqueue=False).row


def _resumed(user: User, options: dict[str, Any]) -> TrainingJob:
    try:
        job = TrainingJob.objects.get(id=options["resume"])
    except TrainingJob.DoesNotExist as error:
        raise CommandError(f"There is no training with the id {options['resume']}.") from error
    return take_up(job, user, budget=_budget(job, options))


def _budget(job: TrainingJob, options: dict[str, Any]) -> TrainingBudget | None:
    """The given limits over the job's: raising one limit does not remove the other."""
    options_of = {"max_tokens": "budget_tokens", "max_cost": "budget_cost"}
    given = {name: options[option] for name, option in options_of.items()}
    given = {name: limit for name, limit in given.items() if limit is not None}
    try:
        return TrainingBudget.model_validate({**job.budget, **given}) if given else None
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="budget") from error


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
        display.say(f"Paused at step {job.step:,}. To continue: {again}")
    elif job.end_reason == TrainingJob.EndReason.BUDGET:
        display.say(f"The budget is spent. To continue: {again} {_spent_limits(job)}")


def _spent_limits(job: TrainingJob) -> str:
    budget = TrainingBudget.model_validate(job.budget)
    limits = (
        ("--budget-tokens", budget.max_tokens, job.charged_tokens),
        ("--budget-cost", budget.max_cost, job.charged_cost),
    )
    return " ".join(
        f"{option} MORE"
        for option, limit, charged in limits
        if limit is not None and charged >= limit
    )
