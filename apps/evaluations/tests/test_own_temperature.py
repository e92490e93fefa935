"""Answers for which a server used its own temperature: what cells, arms, report and files tell."""

import csv
import io
from typing import Any

import pytest

from apps.evaluations.statistics import evaluation_file, evaluation_summary
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, one_round
from apps.runs.models import Run
from apps.runs.tests.traces import tell
from studio.management.report import report_lines

SENTENCE = "direct: 2 at the server's own temperature"


@pytest.mark.django_db
def test_only_the_last_attempt_counts_and_old_events_do_not_say(
    make_evaluation: MakeEvaluation,
) -> None:
    said: dict[tuple[str, int], list[tuple[int, bool | None]]] = {
        ("direct", 0): [(2, False), (2, True)],
        ("direct", 1): [(2, True)],
        ("direct", 2): [(1, True), (2, False)],
        ("direct", 3): [(2, None)],
    }

    def end(run: Run) -> None:
        end_run(run, attempt=2)
        for attempt, own in said.get((run.result.arm.label, run.result.task.index), ()):
            told: dict[str, Any] = {} if own is None else {"own_temperature": own}
            tell(run, "agent_finished", attempt=attempt, **told)

    evaluation = make_evaluation(concurrency=12)
    one_round(evaluation, end)
    cells = evaluation.results.filter(arm__label="direct").order_by("task__index")
    told = [cell.own_temperature for cell in cells]
    assert told[:4] == [True, True, False, None]
    summary = evaluation_summary(evaluation)
    assert [arm["own_temperature"] for arm in summary["arms"]] == [2, 0]
    assert SENTENCE in list(report_lines(summary))
    body = b"".join(evaluation_file(evaluation, "csv", "cells")).decode()
    rows = [row for row in csv.DictReader(io.StringIO(body, newline="")) if row["arm"] == "direct"]
    assert [row["own_temperature"] for row in rows][:4] == ["true", "true", "false", ""]
