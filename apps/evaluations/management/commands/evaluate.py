"""Evaluates methods on the tasks of a split, waits, and prints what came out.

manage.py evaluate --dataset gsm8k --split dev --method direct --method mashost --limit 100
manage.py evaluate … --inline              without Celery's workers, in this process
manage.py evaluate --resume ID [--inline]  go on with one that was stopped
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import sleep
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from apps.accounts.models import User
from apps.accounts.services import admin_ensure
from apps.common.errors import ApplicationError
from apps.evaluations.dispatch import evaluation_drive
from apps.evaluations.management.progress import Progress
from apps.evaluations.management.report import report_lines
from apps.evaluations.models import Evaluation
from apps.evaluations.requests import EvaluationRequest
from apps.evaluations.selectors import evaluation_row
from apps.evaluations.services import ACTIVE, evaluation_create, evaluation_resume
from apps.evaluations.statistics import evaluation_file, evaluation_summary
from workers.core.evaluation.export import Format

POLL_SECONDS = 1.0
FORMAT_OF: dict[str, Format] = {".json": "json", ".csv": "csv", ".parquet": "parquet"}


class Command(BaseCommand):
    help = "Evaluate methods on the tasks of a data set's split."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dataset")
        parser.add_argument("--split", default="dev", help="train, dev or test (default: dev)")
        parser.add_argument(
            "--method",
            action="append",
            default=[],
            metavar="METHOD[@CHECKPOINT]",
            help="an arm; may be given several times",
        )
        parser.add_argument(
            "--arm",
            action="append",
            default=[],
            metavar="JSON",
            help='an arm with options: {"method": …, "label": …, "method_config": {…}}',
        )
        parser.add_argument("--endpoint", help="of every arm that names none")
        parser.add_argument("--pool", help="of every arm that names none")
        parser.add_argument("--limit", type=int, help="only the first tasks of the split")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--concurrency", type=int, default=4, help="answers at once")
        parser.add_argument("--budget", default="{}", metavar="JSON", help="of one answer")
        parser.add_argument("--name")
        parser.add_argument("--out", type=Path, help="results as .json, .csv or .parquet")
        parser.add_argument("--inline", action="store_true", help="answer in this process")
        parser.add_argument("--resume", type=UUID, metavar="ID", help="go on with a stopped one")
        parser.add_argument("--user", help="whose evaluation it is (default: the admin)")

    def handle(self, **options: Any) -> None:
        form = _format(options["out"])
        try:
            evaluation = _evaluation(options)
        except ApplicationError as error:
            raise CommandError(_told(error)) from error
        self.stderr.write(f"Evaluation {evaluation.id}: {evaluation.name}")
        for warning in evaluation.warnings:
            self.stderr.write(f"Warning: {warning['message']}")
        self._wait(evaluation, inline=options["inline"])
        evaluation.refresh_from_db()
        for line in report_lines(evaluation_summary(evaluation)):
            self.stdout.write(line)
        if options["out"]:
            options["out"].write_bytes(evaluation_file(evaluation, form, "cells"))
        if evaluation.status != Evaluation.Status.SUCCEEDED:
            raise CommandError(_stopped(evaluation))

    def _wait(self, evaluation: Evaluation, *, inline: bool) -> None:
        progress = Progress(evaluation.total, sys.stderr)

        def draw(*, last: bool = False) -> None:
            row = evaluation_row(evaluation.id)
            progress.draw(row["done"], row["eta_seconds"], last=last)

        if inline:
            evaluation_drive(evaluation.id, draw)
        else:
            running = Evaluation.objects.filter(id=evaluation.id, status__in=ACTIVE)
            while running.exists():
                draw()
                sleep(POLL_SECONDS)
        draw(last=True)


def _evaluation(options: dict[str, Any]) -> Evaluation:
    user, enqueue = _user(options["user"]), not options["inline"]
    if not options["resume"]:
        return evaluation_create(user=user, request=_request(options), enqueue=enqueue)
    try:
        found = Evaluation.objects.get(id=options["resume"])
    except Evaluation.DoesNotExist as error:
        raise CommandError(f"There is no evaluation {options['resume']}.") from error
    if found.status in ACTIVE:
        return found  # whoever drove it was killed: it goes on from what is stored
    return evaluation_resume(user=user, evaluation_id=found.id, as_admin=True, enqueue=enqueue)


def _request(options: dict[str, Any]) -> EvaluationRequest:
    if not options["dataset"]:
        raise CommandError("Name the data set: --dataset KEY.")
    arms = [_method_arm(method) for method in options["method"]]
    arms += [_json(arm, "--arm") for arm in options["arm"]]
    defaults = {key: options[key] for key in ("endpoint", "pool") if options[key]}
    named = ("dataset", "split", "limit", "repeats", "seed", "concurrency", "name")
    try:
        return EvaluationRequest.model_validate(
            {
                **{key: options[key] for key in named},
                "arms": [{**defaults, **arm} for arm in arms],
                "budget": _json(options["budget"], "--budget"),
            }
        )
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error


def _method_arm(text: str) -> dict[str, Any]:
    method, _, checkpoint = text.partition("@")
    return {"method": method, **({"checkpoint": checkpoint} if checkpoint else {})}


def _json(text: str, option: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise CommandError(f"{option} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CommandError(f'{option} must be a JSON object, such as {{"method": "direct"}}.')
    return value


def _format(out: Path | None) -> Format:
    if out is None:
        return "json"
    if out.suffix not in FORMAT_OF:
        raise CommandError(f"--out must end in {', '.join(FORMAT_OF)}, not {out.suffix or out}.")
    if not out.absolute().parent.is_dir():
        raise CommandError(f"--out: there is no folder {out.absolute().parent}.")
    return FORMAT_OF[out.suffix]


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


def _stopped(evaluation: Evaluation) -> str:
    cause = evaluation.failure or {}
    told = f" {cause.get('message', '')} {cause.get('remedy', '')}".rstrip()
    return f"The evaluation {evaluation.status}.{told}\nmanage.py evaluate --resume {evaluation.id}"
