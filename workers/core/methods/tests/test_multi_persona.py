"""Multi-persona: one call that is told to play a team."""

from __future__ import annotations

import pytest

from workers.core.errors import MethodError
from workers.core.methods.multi_persona import MultiPersonaConfig, persona_role
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import context_for, events_of, kinds, only
from workers.core.testing.stub_process import RunningStub

METHOD = METHODS["multi_persona"]


@pytest.mark.parametrize("parameters", [None, 135_000_000])
async def test_one_call_plays_the_experts(parameters: int | None, stub: RunningStub) -> None:
    stub.clear()
    config = {"personas": 5, "rounds": 3}
    async with context_for(stub.url, parameters=parameters, config=config) as context:
        events = await events_of(METHOD, context)
    assert kinds(events) == [
        "graph_planned",
        "agent_started",
        "agent_finished",
        "intermediate_answer",
    ]
    assert only(events, "intermediate_answer")[0].agent_id == "a1"
    [request] = stub.log()["requests"]
    text = "\n".join(message["content"] for message in request["messages"])
    assert "Play 5 experts" in text
    assert ("at most 3 times" in text) is (parameters is None)
    assert request["temperature"] == 0


def test_one_round_reads_as_a_sentence() -> None:
    assert "speaks once:" in persona_role(MultiPersonaConfig(rounds=1)).prompt


@pytest.mark.parametrize("config", [{"personas": 1}, {"personas": 9}, {"rounds": 0}, {"rounds": 6}])
async def test_options_out_of_bounds(config: dict[str, int], stub: RunningStub) -> None:
    async with context_for(stub.url, config=config) as context:
        with pytest.raises(MethodError, match=next(iter(config))):
            await events_of(METHOD, context)
