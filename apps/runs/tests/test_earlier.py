"""An attempt continues after what the lost one had finished."""

from collections.abc import Callable

import pytest

from apps.runs.lifecycle import runs_recover
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from apps.runs.tests.attempts import USED, claim, tell
from workers.core.specs import AttemptSpent, ToolSpent

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_watchdog")]

MakeRun = Callable[..., Run]


def agent(run: Run, agent_id: str, second: float, *, ends: bool = True) -> None:
    tell(run, "agent_started", second, agent_id=agent_id)
    if ends:
        tell(run, "agent_finished", second + 1, agent_id=agent_id, usage=USED)


def lost(run: Run) -> Run:
    """Claimed again after its worker was lost."""
    assert runs_recover().requeued == 1
    return claim(run)


def kinds(run: Run) -> list[str] | None:
    earlier = run_spec(run).earlier
    return [event["event"] for event in earlier.events] if earlier else None


def test_up_to_the_last_finished_stage(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    agent(run, "a1", 1)
    tell(run, "stage_ended", 3, stage=1)
    agent(run, "a2", 4)
    tell(run, "stage_ended", 6, stage=2)
    agent(run, "a3", 7, ends=False)
    assert run_spec(run).earlier is None
    again = lost(run)
    turn = ["agent_started", "agent_finished", "stage_ended"]
    assert kinds(again) == ["run_started", *turn, *turn]
    earlier = run_spec(again).earlier
    assert earlier is not None
    assert earlier.attempt == 1


def test_an_attempt_that_finished_nothing_is_begun_again(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    agent(run, "a1", 1)
    assert kinds(lost(run)) is None


def test_the_attempt_that_came_furthest_counts(make_run: MakeRun) -> None:
    """The second one was lost before it had stored all that it took over."""
    run = claim(make_run())
    tell(run, "run_started")
    for stage in (1, 2):
        tell(run, "stage_ended", stage, stage=stage)
    run = lost(run)
    tell(run, "run_started", 8)
    tell(run, "stage_ended", 9, stage=1)
    run = lost(run)
    earlier = run_spec(run).earlier
    assert earlier is not None
    assert (earlier.attempt, len(earlier.events)) == (1, 3)


def test_what_was_taken_over_counts_once_in_the_budget(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    agent(run, "a1", 1)
    tell(run, "stage_ended", 2, stage=1)
    agent(run, "a2", 2)
    run = lost(run)
    assert run_spec(run).spent == AttemptSpent(tokens=84, cost=1.0, seconds=3)
    tell(run, "run_started", 100)
    agent(run, "a1", 100)
    tell(run, "stage_ended", 102, stage=1)
    tell(run, "run_taken_up", 102)
    agent(run, "a2", 105)
    run = lost(run)
    assert run_spec(run).spent == AttemptSpent(tokens=126, cost=1.5, seconds=7)


def test_tool_calls_count_also_those_of_the_stage_that_was_lost(make_run: MakeRun) -> None:
    run = claim(make_run())
    tell(run, "run_started")
    of = {"agent_id": "a1", "tool": "web_search"}
    tell(run, "tool_called", 1, **of)
    tell(run, "tool_returned", 2, **of, seconds=1.5, fetched=900)
    tell(run, "stage_ended", 3, stage=1)
    tell(run, "tool_called", 4, **of)
    run = lost(run)
    used = ToolSpent(calls=2, seconds=1.5, fetched=900)
    assert run_spec(run).spent.tools == {"web_search": used}
    tell(run, "run_started", 10)
    tell(run, "tool_called", 11, **of)
    tell(run, "tool_returned", 12, **of, seconds=1.5)  # as older versions told it
    tell(run, "stage_ended", 13, stage=1)
    tell(run, "run_taken_up", 13)
    run = lost(run)
    assert run_spec(run).spent.tools == {"web_search": used}
