"""Program against the stub LLM, with the real sandbox."""

from __future__ import annotations

import pytest

from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import context_for, events_of, kinds, only
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule
from workers.core.tools.sandbox import sandbox_status

RAN = [
    "graph_planned",
    "agent_started",
    "tool_called",
    "tool_returned",
    "agent_finished",
    "intermediate_answer",
]

pytestmark = pytest.mark.skipif(
    not sandbox_status()[0], reason=f"no sandbox here: {sandbox_status()[1]}"
)


@pytest.mark.parametrize("parameters", [None, 500_000_000])
@pytest.mark.parametrize(
    ("program", "answer"),
    [("print('sum')\nprint(14 * 3 + 5 * 12)", "102"), ("print(loaves)", None), ("x = 102", None)],
)
async def test_its_output_is_the_answer(
    program: str, answer: str | None, parameters: int | None
) -> None:
    rule = Rule(PROGRAM_WRITER.prompt, reply=f"```python\n{program}\n```")
    with running_stub(rules=(rule,), models=()) as stub:
        async with context_for(stub.url, parameters=parameters) as context:
            events = await events_of(METHODS["program"], context)
    assert kinds(events) == RAN
    [called] = only(events, "tool_called")
    assert (called.tool, called.arguments) == ("program", {"code": program})
    [given] = only(events, "intermediate_answer")
    assert (given.answer, given.agent_id) == (answer, "a1")


async def test_the_answer_of_a_code_task_is_the_program_itself() -> None:
    program = "def double(x):\n    return 2 * x"
    rule = Rule(PROGRAM_WRITER.prompt, reply=f"```python\n{program}\n```")
    with running_stub(rules=(rule,)) as stub:
        async with context_for(stub.url, answer_form="code") as context:
            events = await events_of(METHODS["program"], context)
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
    with running_stub(rules=(Rule("", reply="```python\nprint(14 * 3)\n```"),)) as stub:
        async with context_for(stub.url, config=config) as context:
            events = await events_of(METHODS[method], context)
        prompts = [request["messages"][0]["content"] for request in stub.log()["requests"]]
    assert len(only(events, "tool_called")) == len(prompts) == calls
    assert only(events, "intermediate_answer")[-1].answer == "42"
    assert all("Python program" in prompt for prompt in prompts)
    assert not any("numbered steps" in prompt for prompt in prompts)
