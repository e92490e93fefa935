"""Which runs a training may show."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.runs.models import Run
from apps.runs.tests.traces import spoke, tell
from apps.runs.traces import MOST_OF_A_TASK, right_traces
from workers.core.specs import TaskSpec
from workers.core.training.traces import Spoken

pytestmark = pytest.mark.django_db
ONE, TWO = (TaskSpec(query=f"{n} + {n}?", reference=str(2 * n)) for n in (1, 2))
RIGHT: dict[str, Any] = {"query": ONE.query, "reference": "2", "correct": True}
SAID = (("reasoner", "So it is 2."), ("tool-user", "print(2)"))


def found(*tasks: TaskSpec) -> list[list[tuple[str, str]]]:
    traces = right_traces("at_grpo", tasks or (ONE, TWO))
    return [[(each.role, each.message) for each in trace.spoken] for trace in traces]


def test_a_right_run_is_found_with_what_its_agents_said() -> None:
    run = spoke(SAID, **RIGHT)
    assert found() == [list(SAID)]
    (trace,) = right_traces("at_grpo", [TWO, ONE])
    assert (trace.query, trace.reference) == (run.query, run.reference)
    assert [each.agent for each in trace.spoken] == ["a1", "a2"]


def test_where_an_agent_was_asked_is_told() -> None:
    """It tells two agents of one name apart."""
    run = spoke(SAID, **RIGHT)
    assert {each.place for trace in right_traces("at_grpo", [ONE]) for each in trace.spoken} == {()}
    for agent, place in (("b1", (1, 1, 2, 1)), ("b2", (1, 1, 1, 1))):
        node = {"id": agent, "role": {"key": "solver"}}
        tell(run, "block_called", agent_id=agent, node=node, place=place, line=1, call=1)
        tell(run, "agent_started", agent_id=agent, role_key="solver")
        tell(run, "agent_finished", agent_id=agent, message="2")
    (trace,) = right_traces("at_grpo", [ONE])
    assert [each.place for each in trace.spoken[2:]] == [(1, 1, 2, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize(
    "other",
    [
        {"correct": False},
        {"correct": None},
        {"status": "failed", "failure": {}},
        {"method": "direct"},
        {"query": "3 + 3?"},
        {"reference": "3"},
        {"cut_replies": 1},
        {"attempt": 2},  # what was said was said in the first
    ],
)
def test_any_other_is_not(other: dict[str, Any]) -> None:
    spoke(SAID, **RIGHT | other)
    assert found() == []


ALONE: dict[str, Any] = RIGHT | {"method": "direct", "agent_count": 1, "replies": 1}


def test_other_methods_runs_are_found_only_if_asked_for() -> None:
    spoke(SAID[:1], **ALONE)
    assert not list(right_traces("at_grpo", [ONE]))
    (trace,) = right_traces("at_grpo", [ONE], single=True)
    assert trace.spoken == (Spoken(role="reasoner", message="So it is 2.", agent="a1"),)


@pytest.mark.parametrize("other", [{"agent_count": 2}, {"replies": 2}, {"correct": False}])
def test_of_other_methods_one_agent_s_only_reply_is(other: dict[str, Any]) -> None:
    spoke(SAID[:1], **ALONE | other)
    assert not list(right_traces("at_grpo", [ONE], single=True))


def test_of_other_methods_no_run_with_tools_is() -> None:
    """Its message rests on what the tool has told."""
    run = spoke(SAID[:1], **ALONE)
    tell(run, "tool_called", agent_id="a1", tool="calculator")
    assert not list(right_traces("at_grpo", [ONE], single=True))


def test_many_runs_of_other_methods_leave_the_methods_own() -> None:
    spoke(SAID, **RIGHT)
    for _ in range(MOST_OF_A_TASK + 2):
        spoke(SAID[:1], **ALONE)
    found = [len(trace.spoken) for trace in right_traces("at_grpo", [ONE], single=True)]
    assert (found.count(2), found.count(1)) == (1, MOST_OF_A_TASK)


def test_the_last_attempt_counts() -> None:
    run = spoke(SAID[:1], **RIGHT)
    tell(run, "agent_started", attempt=2, agent_id="b", role_key="reasoner")
    tell(run, "agent_finished", attempt=2, agent_id="b", message="2!")
    Run.objects.update(attempt=2)
    assert found() == [[("reasoner", "2!")]]


def test_the_latest_of_a_task_are_enough() -> None:
    for number in range(MOST_OF_A_TASK + 2):
        spoke([("reasoner", str(number))], **RIGHT)
    expected = [[("reasoner", str(number + 2))] for number in reversed(range(MOST_OF_A_TASK))]
    assert found() == expected


def test_many_tasks_take_few_statements() -> None:
    tasks = [TaskSpec(query=f"{n}?", reference="1") for n in range(300)]
    for task in tasks[::30]:
        spoke(SAID, **RIGHT | {"query": task.query, "reference": "1"})
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert len(found(*tasks)) == 10
    assert len(asked) == 4
