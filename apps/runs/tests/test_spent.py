"""What a lost attempt used counts in the run's budget, as far as its trace tells."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.runs.lifecycle import run_give_back, runs_recover
from apps.runs.models import Run, RunEvent
from apps.runs.selectors import run_spec
from apps.runs.tests.attempts import BEGAN, USED, claim, tell
from workers.core.errors import Failure
from workers.core.specs import AttemptSpent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_watchdog")]

MakeRun = Callable[..., Run]
STOPPED = Failure(code="worker_stopped", message="Stopped.")


def lose(run: Run) -> str:
    """What the trace says about the run's attempt, which is lost."""
    assert runs_recover().requeued == 1
    lost = run.events.get(attempt=run.attempt, kind="attempt_lost")
    return str(lost.payload["failure"]["message"])


def test_the_next_attempt_has_that_much_less(make_run: MakeRun) -> None:
    run = claim(make_run())
    assert run_spec(run).spent == AttemptSpent()
    tell(run, "run_started")
    tell(run, "agent_started", agent_id="a")
    tell(run, "agent_finished", 4, agent_id="a", usage=USED)
    assert "It used 42 tokens that are known, in 4.0 s." in lose(run)
    again = claim(run)
    assert run_spec(again).spent == AttemptSpent(tokens=42, cost=0.5, seconds=4)


def test_every_lost_attempt_counts_once(make_run: MakeRun) -> None:
    run = make_run()
    for _ in range(2):
        run = claim(run)
        tell(run, "run_started")
        tell(run, "agent_failed", 3, agent_id="a", usage=USED)
        lose(run)
    assert run_spec(claim(run)).spent == AttemptSpent(tokens=84, cost=1.0, seconds=6)


def test_one_that_a_worker_gave_back_counts_too(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    tell(run, "subtasks_planned", 1, usage=USED)
    assert run_give_back(run_id=run.id, attempt=1, reason=STOPPED)
    assert run_spec(claim(run)).spent.tokens == 42


def test_what_was_under_way_is_unknown_and_said(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    tell(run, "planner_asked")
    tell(run, "plan_rejected", usage=USED)
    tell(run, "planner_asked")
    for agent in ("a", "b", "c"):
        tell(run, "agent_started", agent_id=agent)
    tell(run, "agent_finished", agent_id="b", usage=USED)
    tell(run, "agent_failed", agent_id="c", usage=dict.fromkeys(USED))
    assert lose(run).endswith("What 3 more agents used is unknown.")
    assert run_spec(claim(run)).spent.unknown == 3


def test_time_runs_until_the_last_sign_of_life(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    Run.objects.filter(id=run.id).update(heartbeat_at=BEGAN + timedelta(seconds=9))
    lose(run)
    assert run_spec(claim(run)).spent.seconds == 9


def test_an_attempt_that_never_began_used_nothing(make_run: MakeRun) -> None:
    run = claim(make_run())
    lose(run)
    assert run_spec(claim(run)).spent == AttemptSpent()


def test_what_is_taken_over_from_a_pause_counts_once(make_run: MakeRun) -> None:
    """The next attempt counts kept messages itself, and begins a pause's seconds again."""
    run = claim(make_run())
    tell(run, "run_started")
    tell(run, "agent_finished", 5, agent_id="a", usage=USED)
    tell(run, "run_paused", 5, seconds=5.0)
    Run.objects.filter(id=run.id).update(status="queued", heartbeat_at=None)
    run = claim(run)
    tell(run, "run_started", -5)
    tell(run, "agent_finished", -1, agent_id="a", usage=USED)
    tell(run, "agent_finished", 2, agent_id="b", usage=USED)
    lose(run)
    assert run_spec(claim(run)).spent == AttemptSpent(tokens=42, cost=0.5, seconds=2)


def test_what_a_fork_took_over_is_not_counted_twice(make_run: MakeRun) -> None:
    run = make_run()
    kept = [{"event": "agent_failed", "agent_id": "a", "usage": USED}]
    Run.objects.filter(id=run.id).update(control={"kept": kept})
    run = claim(run)
    tell(run, "agent_failed", agent_id="a", usage=USED)
    lose(run)
    assert RunEvent.objects.get(run=run, kind="attempt_lost").payload["spent"]["tokens"] == 0


def test_traces_of_older_versions_tell_nothing(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "attempt_lost", failure={}, will_retry=True)
    Run.objects.filter(id=run.id).update(status="queued", enqueued_at=timezone.now())
    assert run_spec(claim(run)).spent == AttemptSpent()
