"""What is learned from: whose plans and answers, what is rejected, and what is kept."""

import json
from pathlib import Path

import pytest

from workers.core.benchmarks.compositional import TASK_GRAPH
from workers.core.errors import MethodError
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded, ChatRequest
from workers.core.mas.tests.support import Script, ScriptedClient, down
from workers.core.methods.reso.planner import read_plan
from workers.core.methods.reso.tuning.gathering import (
    EXAMPLES,
    Gathered,
    agents_of,
    answers,
    gather,
    plans,
    read_kept,
)
from workers.core.methods.reso.tuning.tests.support import SEARCH, TASKS, context_in, half_right
from workers.core.specs import TaskSpec

PLAN = '{"subtasks": [{"id": "a", "text": "Add.", "depends_on": []}]}'
BARE = [TaskSpec(query=f"How many are {number}?") for number in range(4)]


async def gathered_plans(
    folder: Path, script: object, tasks: list[TaskSpec]
) -> tuple[list[Gathered], ScriptedClient]:
    context = context_in(folder, script)
    found = await gather(tasks, context, plans(context, SEARCH))
    assert found is not None
    assert isinstance(context.llm, ScriptedClient)
    return found, context.llm


async def answered(
    folder: Path, tasks: list[TaskSpec], script: Script = half_right, *, k: int = 2
) -> list[Gathered]:
    context = context_in(folder, script)
    database = await agents_of(context, SEARCH)
    found = await gather(tasks, context, answers(context, SEARCH, database, k=k, room=None))
    assert found is not None
    return found


async def test_a_composed_task_s_own_graph_is_what_the_planner_should_write(
    tmp_path: Path,
) -> None:
    found, client = await gathered_plans(tmp_path, lambda _: PLAN, TASKS)
    assert client.requests == []
    (example,) = found[3].plans
    assert example.query == TASKS[3].query
    assert "at most 5" in example.instructions
    graph = read_plan(example.plan, most=5)
    assert [(each.id, each.depends_on) for each in graph.subtasks] == [("s1", ()), ("s2", ("s1",))]
    assert "reference" not in example.plan


async def test_other_tasks_plans_are_asked_for_and_bad_ones_are_rejected(tmp_path: Path) -> None:
    def script(request: ChatRequest) -> str:
        return "I would add." if "are 2" in request.messages[1].content else PLAN

    found, _ = await gathered_plans(tmp_path, script, BARE)
    assert [bool(each.plans) for each in found] == [True, True, False, True]
    assert "not a JSON object" in found[2].rejected


async def test_a_graph_that_is_too_large_for_the_planner_is_rejected(tmp_path: Path) -> None:
    subtasks = [{"id": f"p{n}", "text": "Add."} for n in range(6)]
    large = BARE[0].model_copy(update={"metadata": {TASK_GRAPH: {"subtasks": subtasks}}})
    found, _ = await gathered_plans(tmp_path, lambda _: PLAN, [large])
    assert found[0].rejected == "there are 6 subtasks, more than 5."


async def test_answers_to_subtasks_are_right_or_wrong_by_the_rule(tmp_path: Path) -> None:
    found = await answered(tmp_path, TASKS)
    # Odd numbers are answered wrongly, and nothing is asked after that.
    verdicts = [[example.right for example in each.rewards] for each in found]
    assert verdicts == [[True, True, False, False], [False, False]] * 3
    record = json.loads(found[0].rewards[2].record)
    assert record["answers_before"] == [{"subtask": "What is 0 and 1?", "answer": "1"}]
    assert record["agent"]["role"] in {"Adder", "Poet"}


async def test_a_task_that_nobody_can_divide_has_no_answers_to_judge(tmp_path: Path) -> None:
    found = await answered(tmp_path, BARE[:1])
    assert "wrote no usable task graph" in found[0].rejected


async def test_a_spent_budget_passes_on_and_what_was_gathered_is_not_asked_again(
    tmp_path: Path,
) -> None:
    asked = 0

    def spent(_: ChatRequest) -> str | BaseException:
        nonlocal asked
        asked += 1
        return PLAN if asked <= 2 else BudgetExceeded(limit=JOB, message="All spent.")

    with pytest.raises(BudgetExceeded):
        await gathered_plans(tmp_path, spent, BARE)
    assert len(read_kept(tmp_path)) == 2
    found, client = await gathered_plans(tmp_path, lambda _: PLAN, BARE)
    assert len(client.requests) == 2
    assert [each.task for each in found] == [0, 1, 2, 3]


async def test_a_dead_endpoint_stops_it_and_loses_nothing(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match="The server is down") as caught:
        await gathered_plans(tmp_path, lambda _: down(), BARE)
    assert caught.value.code == "endpoint_failing"
    found, _ = await gathered_plans(tmp_path, lambda _: PLAN, BARE)
    assert all(each.plans for each in found)


async def test_agents_on_a_dead_endpoint_stop_it_too(tmp_path: Path) -> None:
    with pytest.raises(MethodError) as caught:
        await answered(tmp_path, TASKS, lambda _: down())
    assert caught.value.code == "endpoint_failing"
    assert read_kept(tmp_path) == {}


async def test_a_line_that_was_torn_is_asked_for_again(tmp_path: Path) -> None:
    await gathered_plans(tmp_path, lambda _: PLAN, BARE)
    path = tmp_path / EXAMPLES
    path.write_bytes(path.read_bytes()[:-20])
    found, client = await gathered_plans(tmp_path, lambda _: PLAN, BARE)
    assert len(client.requests) == 1
    assert all(each.plans for each in found)


async def test_of_a_plan_that_a_model_wrote_the_last_answer_is_judged(tmp_path: Path) -> None:
    def script(request: ChatRequest) -> str:
        return PLAN if request.response_schema else "It is 7.\nAnswer: 7"

    task = TaskSpec(query="What is 3 and 4?", reference="7", verifier="numeric")
    found = await answered(tmp_path, [task], script, k=1)
    assert [example.right for example in found[0].rewards] == [True]


async def test_one_task_s_spent_budget_is_its_own(tmp_path: Path) -> None:
    def script(request: ChatRequest) -> str | BaseException:
        spent = BudgetExceeded(limit="tokens", message="This one's is spent.")
        return spent if "are 1" in request.messages[1].content else PLAN

    found, _ = await gathered_plans(tmp_path, script, BARE)
    assert [each.rejected for each in found] == ["", "This one's is spent.", "", ""]


async def test_without_a_pool_nobody_can_answer(tmp_path: Path) -> None:
    with pytest.raises(MethodError) as caught:
        await agents_of(context_in(tmp_path, pool=None), SEARCH)
    assert caught.value.code == "empty_pool"
