"""Designs run as they were drawn."""

from __future__ import annotations

from typing import Any

import pytest

from workers.core.designs.spec import graph_of
from workers.core.designs.tests.support import design
from workers.core.methods.base import MethodError
from workers.core.methods.design import in_order
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import context_for, events_of, kinds, only
from workers.core.testing.stub_process import RunningStub

METHOD = METHODS["design"]
DIAMOND = graph_of(design("dcba", "ab ac bd cd"))


def config(**more: Any) -> dict[str, Any]:
    return {"graph": DIAMOND.model_dump(mode="json"), **more}


async def test_each_agent_reads_what_was_drawn(stub: RunningStub) -> None:
    async with context_for(stub.url, config=config()) as context:
        events = await events_of(METHOD, context)
    assert kinds(events)[0] == "graph_planned"
    assert kinds(events)[-1] == "intermediate_answer"
    reads = {event.agent_id: set(event.reads) for event in only(events, "agent_started")}
    assert reads == {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
    [answer] = only(events, "intermediate_answer")
    assert (answer.agent_id, answer.answer is not None) == ("d", True)


async def test_the_chosen_one_answers(stub: RunningStub) -> None:
    async with context_for(stub.url, config=config(answer_from="b")) as context:
        events = await events_of(METHOD, context)
    assert only(events, "intermediate_answer")[0].agent_id == "b"


async def test_a_summary_agent_reads_all_of_them(stub: RunningStub) -> None:
    async with context_for(stub.url, config=config(summary=True)) as context:
        events = await events_of(METHOD, context)
    last = only(events, "agent_started")[-1]
    assert (last.summary, set(last.reads)) == (True, set("abcd"))
    assert only(events, "intermediate_answer")[0].agent_id == "summary"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"graph": {"nodes": []}}, "no agent"),
        (config(answer_from="x"), "answer_from names no agent"),
        ({}, "no agent"),
        ({"graph": [1]}, "graph"),
        ({"graph": {"nodes": [], "edges": [{"source": "a", "target": "b"}]}}, "unknown agent"),
    ],
)
async def test_what_cannot_run(stub: RunningStub, wrong: dict[str, Any], said: str) -> None:
    async with context_for(stub.url, config=wrong) as context:
        with pytest.raises(MethodError, match=said):
            await events_of(METHOD, context)


def test_agents_stand_in_the_order_in_which_they_speak() -> None:
    assert [node.id for node in in_order(DIAMOND, last=None).nodes] == ["a", "c", "b", "d"]
    assert [node.id for node in in_order(DIAMOND, last="a").nodes] == ["c", "b", "d", "a"]
    assert in_order(DIAMOND, last="a").edges == DIAMOND.edges
