"""Program against the stub LLM, with the real sandbox."""

from __future__ import annotations

import pytest

from workers.core.methods.program import ROLE
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


@pytest.mark.parametrize("model", ["stub", "coder-0.5b"])
@pytest.mark.parametrize(
    ("program", "answer"),
    [("print('sum')\nprint(14 * 3 + 5 * 12)", "102"), ("print(loaves)", None), ("x = 102", None)],
)
async def test_its_output_is_the_answer(program: str, answer: str | None, model: str) -> None:
    rule = Rule(ROLE.prompt, reply=f"```python\n{program}\n```")
    with running_stub(rules=(rule,), models=()) as stub:
        async with context_for(stub.url, model=model) as context:
            events = await events_of(METHODS["program"], context)
    assert kinds(events) == RAN
    [called] = only(events, "tool_called")
    assert (called.tool, called.arguments) == ("program", {"code": program})
    [given] = only(events, "intermediate_answer")
    assert (given.answer, given.agent_id) == (answer, "a1")


async def test_the_answer_of_a_code_task_is_the_program_itself() -> None:
    program = "def double(x):\n    return 2 * x"
    rule = Rule(ROLE.prompt, reply=f"```python\n{program}\n```")
    with running_stub(rules=(rule,)) as stub:
        async with context_for(stub.url, answer_form="code") as context:
            events = await events_of(METHODS["program"], context)
    assert kinds(events) == RAN
    assert only(events, "intermediate_answer")[0].answer == program
