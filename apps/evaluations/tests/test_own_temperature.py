"""Answers for which a server used its own temperature: what cells, arms, report and files tell."""

from __future__ import annotations

import csv
import io

import pytest

from apps.evaluations.coordinator import advance
from apps.evaluations.statistics import evaluation_file, evaluation_summary
from apps.evaluations.tests.conftest import MakeEvaluation, end_run, under_way
from apps.runs.models import Run, RunEvent
from studio.management.report import report_lines

SENTENCE = "direct: 2 at the server's own temperature"


def finished(run: Run, attempt: int, own: bool | None) -> None:
    payload = {"event": "agent_finished"} | ({} if own is None else {"own_temperature": own})
    last = RunEvent.objects.filter(run=run, attempt=attempt).count()
    RunEvent.objects.create(
        run=run,
        attempt=attempt,
        seq=last + 1,
        kind="agent_finished",
        payload=payload,
        at=run.created_at,
    )


@pytest.mark.django_db
def test_only_the_last_attempt_counts_and_old_events_do_not_say(
    make_evaluation: MakeEvaluation,
) -> None:
    evaluation = make_evaluation(concurrency=12)
    advance(evaluation.id)
    said: dict[tuple[str, int], list[tuple[int, bool | None]]] = {
        ("direct", 0): [(2, False), (2, True)],
        ("direct", 1): [(2, True)],
        ("direct", 2): [(1, True), (2, False)],
        ("direct", 3): [(2, None)],
    }
    for run in under_way(evaluation):
        end_run(run, attempt=2)
        for attempt, own in said.get((run.result.arm.label, run.result.task.index), ()):
            finished(run, attempt, own)
    advance(evaluation.id)
    cells = evaluation.results.filter(arm__label="direct").order_by("task__index")
    told = [cell.own_temperature for cell in cells]
    assert told[:4] == [True, True, False, None]
    summary = evaluation_summary(evaluation)
    assert [arm["own_temperature"] for arm in summary["arms"]] == [2, 0]
    assert SENTENCE in list(report_lines(summary))
    body = b"".join(evaluation_file(evaluation, "csv", "cells")).decode()
    rows = [row for row in csv.DictReader(io.StringIO(body, newline="")) if row["arm"] == "direct"]
    assert [row["own_temperature"] for row in rows][:4] == ["true", "true", "false", ""]
