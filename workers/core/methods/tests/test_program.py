"""Program and cascade against the stub LLM, with the real sandbox: when it asks again, whose answer
counts."""

import pytest

from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import kinds, only, ran, ran_by, writes
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule

METHOD, CASCADE = METHODS["program"], METHODS["cascade"]
RAN = [
    "graph_planned",
    "agent_started",
    "tool_called",
    "tool_returned",
    "agent_finished",
    "intermediate_answer",
]

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.mark.parametrize(
    ("program", "answer"),
    [("print('sum')\nprint(14 * 3 + 5 * 12)", "102"), ("print(loaves)", None), ("x = 102", None)],
)
async def test_its_output_is_the_answer(program: str, answer: str | None) -> None:
    """Of a small model, too, which is offered no other tool."""
    with running_stub(rules=(writes(program),), models=()) as stub:
        runs = [await ran(METHOD, stub.url, parameters=size) for size in (None, 500_000_000)]
    for events in runs:
        assert kinds(events) == RAN
        [called] = only(events, "tool_called")
        assert (called.tool, called.arguments) == ("program", {"code": program})
        [given] = only(events, "intermediate_answer")
        assert (given.answer, given.agent_id) == (answer, "a1")


async def test_the_answer_of_a_code_task_is_the_program_itself() -> None:
    program = "def double(x):\n    return 2 * x"
    events, _ = await ran_by(METHOD, [writes(program)], answer_form="code")
    assert kinds(events) == RAN
    assert only(events, "intermediate_answer")[0].answer == program


@pytest.mark.parametrize(
    ("method", "config", "calls"),
    [("self_consistency", {"k": 3, "program": True}, 3), ("debate", {"program": True}, 6)],
)
async def test_other_baselines_vote_on_outputs_where_asked(
    method: str, config: dict[str, object], calls: int
) -> None:
    """So that they have the tools of the teams that they are compared with."""
    rule = Rule("", reply="```python\nprint(14 * 3)\n```")
    events, requests = await ran_by(METHODS[method], [rule], config=config)
    prompts = [request["messages"][0]["content"] for request in requests]
    assert len(only(events, "tool_called")) == len(prompts) == calls
    assert only(events, "intermediate_answer")[-1].answer == "42"
    assert all("Python program" in prompt for prompt in prompts)
    assert not any("numbered steps" in prompt for prompt in prompts)


async def test_an_answer_ends_a_cascade() -> None:
    events, [asked] = await ran_by(CASCADE, [writes("print(6 * 7)")], config={"tries": 8})
    assert asked["temperature"] == 0
    assert [(e.answer, e.agent_id) for e in only(events, "intermediate_answer")] == [("42", "a1")]


@pytest.mark.parametrize("program", ["print(loaves)", "x = 102", "import time\nprint()"])
async def test_without_an_answer_a_cascade_samples_another_program(program: str) -> None:
    config = {"tries": 3, "temperature": 0.4}
    events, asked = await ran_by(CASCADE, [writes(program)], config=config)
    assert [request["temperature"] for request in asked] == [0, 0.4, 0.4]
    assert len({request.get("seed") for request in asked}) == 3
    [given] = only(events, "intermediate_answer")
    assert (given.answer, given.agent_id) == (None, "a3")
    plan = only(events, "graph_planned")[-1].graph
    assert [node.id for node in plan.nodes] == ["a1", "a2", "a3"]
    assert plan.edges == ()
