"""Checks the roles and explains wrong answers, from an evaluation's traces.

manage.py rationality EVALUATION                       by rules alone, without a model
manage.py rationality EVALUATION --judge ENDPOINT      a model decides what no rule decides
manage.py rationality EVALUATION --structure 100       compares M, M− and M+ on 100 tasks per arm

M is the method's own graph, M− has one agent less and M+ one more. If the command is stopped, start
it again: it continues where it was.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.common.progress import Progress
from apps.common.terminal import check_folder
from apps.evaluations.diagnoses import undecided_count
from apps.evaluations.models import Evaluation
from apps.evaluations.rationality import evaluation_rationality, report_store
from apps.evaluations.subjects import arms_with_graphs
from apps.llms.models import Endpoint
from studio.management.rationality_report import rationality_lines
from workers.core.evaluation.structure_trial import EndpointAway
from workers.core.llm.probe import probe_endpoint
from workers.core.specs import EndpointSpec
from workers.tasks.rationality import judge_answers, look_until_all_are_seen, try_structures


class Command(BaseCommand):
    help = (
        "Report how well roles match, why answers are wrong, and whether one agent less (M−) or "
        "more (M+) is better."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("evaluation", type=UUID, metavar="EVALUATION")
        parser.add_argument(
            "--judge",
            metavar="ENDPOINT",
            help="key of the endpoint whose model decides what no rule decides",
        )
        parser.add_argument(
            "--structure",
            type=int,
            metavar="N",
            help=(
                "compare the graph (M) with one agent less (M−) and one more (M+), on N tasks "
                "per arm"
            ),
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=0,
            help="random seed that draws the tasks and the agent that M− loses",
        )
        parser.add_argument(
            "--json", type=Path, metavar="FILE", help="also write the report to this file"
        )

    def handle(self, **options: Any) -> None:
        evaluation = Evaluation.objects.filter(id=options["evaluation"]).first()
        if evaluation is None:
            raise CommandError(f"There is no evaluation with the id {options['evaluation']}.")
        _check(options)
        judge = _judge(options["judge"])
        look_until_all_are_seen(evaluation.id, _progress(evaluation.done))
        if judge is not None:
            judge_answers(
                evaluation.id, judge, on_progress=_progress(undecided_count(evaluation.id))
            )
        if options["structure"]:
            _try_structures(evaluation, options["structure"], options["seed"])
        report_store(evaluation.id)
        evaluation.refresh_from_db()
        report = evaluation_rationality(evaluation)
        for line in rationality_lines(report):
            self.stdout.write(line)
        if options["json"]:
            body = {"evaluation": str(evaluation.id), "name": evaluation.name, **report}
            options["json"].write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def _check(options: dict[str, Any]) -> None:
    if options["structure"] is not None and options["structure"] < 1:
        raise CommandError("--structure needs at least one task.")
    if options["json"] is not None:
        check_folder("--json", options["json"])


def _judge(key: str | None) -> EndpointSpec | None:
    """The endpoint to judge with. Tries it first: an hour of failed calls would be lost."""
    if key is None:
        return None
    endpoint = Endpoint.objects.filter(key=key, enabled=True).first()
    if endpoint is None:
        known = ", ".join(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
        raise CommandError(
            f"There is no endpoint “{key}”. Use one of: {known or 'none; add an endpoint first'}."
        )
    probe = asyncio.run(probe_endpoint(endpoint.spec()))
    if probe.failure is not None:
        raise CommandError(f"--judge: {probe.failure.message} {probe.failure.remedy}".rstrip())
    return endpoint.spec()


def _try_structures(evaluation: Evaluation, tasks: int, seed: int) -> None:
    arms = len(arms_with_graphs(evaluation))
    if not arms:
        raise CommandError(
            "No arm of this evaluation chooses roles from a pool, so no agent can be removed "
            "(M−) or added (M+). Evaluate a method that needs a pool."
        )
    try:
        try_structures(evaluation.id, tasks=tasks, seed=seed, on_progress=_progress(arms * tasks))
    except EndpointAway as error:
        told = f"{error.failure.message} {error.failure.remedy}".rstrip()
        raise CommandError(f"The comparison of M, M− and M+ stopped. {told}") from error


def _progress(total: int) -> Callable[[int], None]:
    bar, done = Progress(total, sys.stderr), 0

    def draw(more: int) -> None:
        nonlocal done
        done += more
        bar.draw(done, None, last=done >= total)

    return draw
