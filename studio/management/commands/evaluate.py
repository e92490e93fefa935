"""Evaluates methods on the tasks of a split, waits, and prints the results.

manage.py evaluate --dataset gsm8k --split dev --method direct --method mashost --limit 100
manage.py evaluate … --inline              in this process, without Celery's workers
manage.py evaluate --resume ID [--inline]  continue a stopped one, or show a finished one
"""

from pathlib import Path
from time import sleep
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import ValidationError

from apps.common.errors import ApplicationError
from apps.common.terminal import check_folder, read_object
from apps.evaluations.models import ACTIVE, Evaluation
from apps.evaluations.notices import UNANSWERED
from apps.evaluations.outcomes import unanswered
from apps.evaluations.requests import EvaluationRequest
from apps.evaluations.services import evaluation_create, evaluation_resume
from apps.evaluations.statistics import evaluation_file, evaluation_summary
from studio.management.evaluating import drive_here, left, stopped, watch
from studio.management.report import report_lines
from studio.management.users import user_named
from workers.core.evaluation.export import Format

POLL_SECONDS = 1.0
METHOD = '{"method": "direct"}'
LIMIT = '{"max_tokens": 4000}'
FORMAT_OF: dict[str, Format] = {".json": "json", ".csv": "csv", ".parquet": "parquet"}


class Command(BaseCommand):
    help = "Evaluate methods on the tasks of a dataset's split."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dataset")
        parser.add_argument("--split", default="dev", help="train, dev or test (default: dev)")
        parser.add_argument(
            "--method",
            action="append",
            default=[],
            metavar="METHOD[@CHECKPOINT]",
            help="a method to evaluate as one arm; repeat the option for more arms",
        )
        parser.add_argument(
            "--arm",
            action="append",
            default=[],
            metavar="JSON",
            help=(
                "one arm with options; repeat for more arms: "
                '{"method": …, "label": …, "method_config": {…}}'
            ),
        )
        parser.add_argument("--endpoint", help="endpoint of each arm that names none")
        parser.add_argument("--pool", help="role pool of each arm that names none")
        parser.add_argument("--limit", type=int, help="use only the first N tasks of the split")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument("--seed", type=int, default=0)
        most = (
            "answers that run at once; all evaluations together run at most "
            f"{settings.EVALUATION_MAX_ACTIVE} here"
        )
        parser.add_argument("--concurrency", type=int, default=4, help=most)
        parser.add_argument("--budget", default="{}", metavar="JSON", help="limits of one answer")
        parser.add_argument("--name")
        parser.add_argument(
            "--out", type=Path, help="write the results to a .json, .csv or .parquet file"
        )
        parser.add_argument(
            "--inline",
            action="store_true",
            help="evaluate in this process, without Celery's workers",
        )
        parser.add_argument(
            "--resume",
            type=UUID,
            metavar="ID",
            help="continue this evaluation, or show its results if it is finished",
        )
        parser.add_argument("--user", help="owner of the evaluation (default: the admin)")

    def handle(self, **options: Any) -> None:
        form = _format(options["out"])
        try:
            evaluation = _evaluation(options)
        except ApplicationError as error:
            raise CommandError(error.lines()) from error
        self.stderr.write(f"Evaluation {evaluation.id}: {evaluation.name}")
        for warning in evaluation.warnings:
            self.stderr.write(f"Warning: {warning['message']}")
        again = f"manage.py evaluate --resume {evaluation.id}"
        try:
            self._wait(evaluation, inline=options["inline"])
        except KeyboardInterrupt as error:
            raise CommandError(left(again, inline=options["inline"]), returncode=130) from error
        for line in report_lines(evaluation_summary(evaluation)):
            self.stdout.write(line)
        for warning in evaluation.warnings:
            if warning["code"] == UNANSWERED:
                self.stderr.write(f"Warning: {warning['message']}\n{again}")
        if options["out"]:
            with options["out"].open("wb") as file:
                file.writelines(evaluation_file(evaluation, form, "cells"))
        if evaluation.status != Evaluation.Status.SUCCEEDED:
            raise CommandError(stopped(evaluation, again))

    def _wait(self, evaluation: Evaluation, *, inline: bool) -> None:
        if evaluation.status not in ACTIVE:
            return
        if inline:
            drive_here(evaluation)
            return
        draw = watch(evaluation)
        running = Evaluation.objects.filter(id=evaluation.id, status__in=ACTIVE)
        while running.exists():
            draw(False)
            sleep(POLL_SECONDS)
        draw(True)
        evaluation.refresh_from_db()


def _evaluation(options: dict[str, Any]) -> Evaluation:
    user, enqueue = user_named(options["user"]), not options["inline"]
    if not options["resume"]:
        request = _request(options)
        return evaluation_create(user=user, request=request, enqueue=enqueue).row
    try:
        found = Evaluation.objects.get(id=options["resume"])
    except Evaluation.DoesNotExist as error:
        raise CommandError(f"There is no evaluation with the id {options['resume']}.") from error
    ended = found.status == Evaluation.Status.SUCCEEDED and not unanswered(found).exists()
    if found.status in ACTIVE or ended:
        # Its process was killed: it continues from what is stored, if anything is left to do.
        return found
    return evaluation_resume(user=user, evaluation_id=found.id, as_admin=True, enqueue=enqueue)


def _request(options: dict[str, Any]) -> EvaluationRequest:
    if not options["dataset"]:
        raise CommandError("Name the dataset: --dataset KEY.")
    arms = [_method_arm(method) for method in options["method"]]
    arms += [read_object(arm, "--arm", METHOD) for arm in options["arm"]]
    defaults = {key: options[key] for key in ("endpoint", "pool") if options[key]}
    named = ("dataset", "split", "limit", "repeats", "seed", "concurrency", "name")
    try:
        return EvaluationRequest.model_validate(
            {
                **{key: options[key] for key in named},
                "arms": [{**defaults, **arm} for arm in arms],
                "budget": read_object(options["budget"], "--budget", LIMIT),
            }
        )
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error


def _method_arm(text: str) -> dict[str, Any]:
    method, _, checkpoint = text.partition("@")
    return {"method": method, **({"checkpoint": checkpoint} if checkpoint else {})}


def _format(out: Path | None) -> Format:
    if out is None:
        return "json"
    if out.suffix not in FORMAT_OF:
        raise CommandError(
            f"--out must end in one of {', '.join(FORMAT_OF)}, not in {out.suffix or out}."
        )
    check_folder("--out", out)
    return FORMAT_OF[out.suffix]
