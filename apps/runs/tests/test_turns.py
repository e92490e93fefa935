"""One person's many runs leave threads to everybody else's."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django import Settings

from apps.common.tests.at_once import at_once
from apps.evaluations.models import Evaluation
from apps.runs import lifecycle
from apps.runs.lifecycle import run_claim, run_fail, runs_recover
from apps.runs.models import Run
from workers.core.errors import Failure
from workers.tasks import inference

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]
LATER = datetime(2999, 1, 1, tzinfo=UTC)
OVER = Failure(code="over", message="It is over.")


@pytest.fixture(autouse=True)
def six(settings: Settings) -> None:
    settings.RUN_MAX_RUNNING = 6


def claims(runs: list[Run]) -> list[bool]:
    return [run_claim(run_id=run.id, worker="w") is not None for run in runs]


def test_one_person_has_half_of_all(make_run: MakeRun) -> None:
    assert claims([make_run() for _ in range(5)]) == [True] * 3 + [False] * 2


def test_the_next_person_begins_at_once(make_run: MakeRun) -> None:
    """And takes no thread of the third one, for whom a share is left as well."""
    slow = [make_run() for _ in range(56)]
    claims(slow)
    assert claims([make_run("curator") for _ in range(4)]) == [True, True, False, False]
    assert claims([make_run("admin")]) == [True]
    assert not any(claims(slow[3:]))


def test_shares_shrink_with_each_person_to_one_run_and_no_further(
    settings: Settings, make_run: MakeRun
) -> None:
    settings.RUN_MAX_RUNNING = 2
    people = ("operator", "curator", "admin")
    runs = [[make_run(person) for _ in range(2)] for person in people]
    assert [claims(theirs) for theirs in runs] == [[True, False]] * 3


def test_what_had_no_turn_follows_the_oldest_first(make_run: MakeRun, sent: list[str]) -> None:
    runs = [make_run() for _ in range(6)]
    claims(runs)
    sent.clear()
    first = runs[0]
    run_fail(run_id=first.id, attempt=1, failure=OVER)
    lifecycle.runs_follow(first)
    assert sent == [str(runs[3].id)]
    assert claims([runs[3], runs[4]]) == [True, False]


def test_a_worker_that_ends_a_run_hands_the_next_one_on(
    make_run: MakeRun, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(run: Run, _: object) -> None:
        run_fail(run_id=run.id, attempt=run.attempt, failure=OVER)

    class Motor:
        stopping, name = False, "w"

    monkeypatch.setattr(inference, "_execute", ends)
    monkeypatch.setattr("workers.tasks.engine.engine", Motor)
    runs = [make_run() for _ in range(5)]
    claims(runs[:2])
    sent.clear()
    inference.run_execute(str(runs[2].id))
    assert sent == [str(runs[3].id)]
    others = make_run("curator")
    sent.clear()
    inference.run_execute(str(others.id))
    assert sent == []


def test_cells_of_evaluations_neither_wait_nor_count(make_run: MakeRun) -> None:
    cells = [make_run() for _ in range(9)]
    Run.objects.update(evaluation=Evaluation.objects.create(name="Five at once"))
    assert all(claims(cells))
    assert claims([make_run() for _ in range(4)]) == [True] * 3 + [False]


def test_runs_of_people_who_are_gone_are_one_person_s(make_run: MakeRun) -> None:
    runs = [make_run() for _ in range(4)]
    Run.objects.update(created_by=None)
    assert claims(runs) == [True] * 3 + [False]


@pytest.mark.usefixtures("quick_watchdog")
def test_the_watchdog_sends_what_may_begin_of_each_person(
    make_run: MakeRun, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many older ones of another person wait."""
    monkeypatch.setattr(lifecycle, "pending_messages", lambda queue: 0)
    many = [make_run() for _ in range(9)]
    lost = make_run("curator")
    claims(many[:2])
    Run.objects.filter(status="running").update(heartbeat_at=LATER)
    sent.clear()
    assert runs_recover(limit=5).enqueued == 1
    assert sent == [str(lost.id)]


@pytest.mark.django_db(transaction=True)
def test_claims_at_the_same_moment_take_no_more_than_the_share(make_run: MakeRun) -> None:
    runs = [make_run() for _ in range(12)]

    def claim(number: int) -> Any:
        return run_claim(run_id=runs[number].id, worker=f"w{number}")

    assert sum(claimed is not None for claimed in at_once(claim, 12)) == 3
