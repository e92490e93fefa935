"""Cascade against the stub LLM, with the real sandbox: when it asks again, whose answer counts."""

from __future__ import annotations

import pytest

from workers.core.errors import MethodError
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import context_for, events_of, only
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Fault, Rule
from workers.core.tools.sandbox import sandbox_status

METHOD = METHODS["cascade"]

pytestmark = pytest.mark.skipif(
    not sandbox_status()[0], reason=f"no sandbox here: {sandbox_status()[1]}"
)


def writes(program: str) -> Rule:
    return Rule(PROGRAM_WRITER.prompt, reply=f"```python\n{program}\n```")


async def test_an_answer_ends_it() -> None:
    with running_stub(rules=(writes("print(6 * 7)"),)) as stub:
        async with context_for(stub.url, config={"tries": 8}) as context:
            events = await events_of(METHOD, context)
        [asked] = stub.log()["requests"]
    assert asked["temperature"] == 0
    assert [(e.answer, e.agent_id) for e in only(events, "intermediate_answer")] == [("42", "a1")]


@pytest.mark.parametrize("program", ["print(loaves)", "x = 102", "import time\nprint()"])
async def test_without_one_another_program_is_sampled(program: str) -> None:
    with running_stub(rules=(writes(program),)) as stub:
        async with context_for(stub.url, config={"tries": 3, "temperature": 0.4}) as context:
            events = await events_of(METHOD, context)
        asked = stub.log()["requests"]
    assert [request["temperature"] for request in asked] == [0, 0.4, 0.4]
    assert len({request.get("seed") for request in asked}) == 3
    [given] = only(events, "intermediate_answer")
    assert (given.answer, given.agent_id) == (None, "a3")
    plan = only(events, "graph_planned")[-1].graph
    assert [node.id for node in plan.nodes] == ["a1", "a2", "a3"]
    assert plan.edges == ()


async def test_an_endpoint_that_is_away_is_the_run_s_failure() -> None:
    with running_stub(rules=(Rule(PROGRAM_WRITER.prompt, fault=Fault("401")),)) as stub:
        async with context_for(stub.url) as context:
            with pytest.raises(MethodError, match="key"):
                await events_of(METHOD, context)
