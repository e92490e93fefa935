"""Were the roles right, and why are the wrong answers wrong? Read from an evaluation's traces.

manage.py rationality EVALUATION                       by rules alone, no model is asked
manage.py rationality EVALUATION --judge ENDPOINT      a model says what no rule decides
manage.py rationality EVALUATION --structure 100       M against M− and M+ on 100 tasks per arm

Killed, it goes on where it was when it is started again.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.common.progress import Progress
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
    help = "Role match, failure categories, and M against M− and M+ of an evaluation."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("evaluation", type=UUID, metavar="EVALUATION")
        parser.add_argument(
            "--judge", metavar="ENDPOINT", help="ask its model what no rule decides"
        )
        parser.add_argument(
            "--structure", type=int, metavar="N", help="try M, M− and M+ on N tasks per arm"
        )
        parser.add_argument("--seed", type=int, default=0, help="draws the tasks and each M−")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there too")

    def handle(self, **options: Any) -> None:
        evaluation = Evaluation.objects.filter(id=options["evaluation"]).first()
        if evaluation is None:
            raise CommandError(f"There is no evaluation {options['evaluation']}.")
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
    file = options["json"]
    if file is not None and not file.absolute().parent.is_dir():
        raise CommandError(f"--json: there is no folder {file.absolute().parent}.")


def _judge(key: str | None) -> EndpointSpec | None:
    """Tried before anything else: an hour of unanswered questions helps nobody."""
    if key is None:
        return None
    endpoint = Endpoint.objects.filter(key=key, enabled=True).first()
    if endpoint is None:
        known = ", ".join(Endpoint.objects.filter(enabled=True).values_list("key", flat=True))
        raise CommandError(f"There is no endpoint “{key}”. Use one of: {known or 'none yet'}.")
    probe = asyncio.run(probe_endpoint(endpoint.spec()))
    if probe.failure is not None:
        raise CommandError(f"--judge: {probe.failure.message} {probe.failure.remedy}".rstrip())
    return endpoint.spec()


def _try_structures(evaluation: Evaluation, tasks: int, seed: int) -> None:
    arms = len(arms_with_graphs(evaluation))
    if not arms:
        raise CommandError(
            "No arm of this evaluation chooses roles from a pool, so there is no M− and no M+. "
            "Evaluate one whose method needs a pool."
        )
    try:
        try_structures(evaluation.id, tasks=tasks, seed=seed, on_progress=_progress(arms * tasks))
    except EndpointAway as error:
        told = f"{error.failure.message} {error.failure.remedy}".rstrip()
        raise CommandError(f"The trial of structure stopped. {told}") from error


def _progress(total: int) -> Callable[[int], None]:
    bar, done = Progress(total, sys.stderr), 0

    def draw(more: int) -> None:
        nonlocal done
        done += more
        bar.draw(done, None, last=done >= total)

    return draw
