"""Designs run as they were drawn."""

from typing import Any

import pytest

from workers.core.designs.spec import graph_of
from workers.core.designs.tests.support import design
from workers.core.errors import MethodError
from workers.core.methods.design import speaking_order
from workers.core.methods.registry import METHODS
from workers.core.methods.seeds import sample_seed
from workers.core.methods.tests.support import kinds, only, ran, ran_by
from workers.core.testing.stub_process import RunningStub
from workers.core.testing.stub_settings import Rule

METHOD = METHODS["design"]
DIAMOND = graph_of(design("dcba", "ab ac bd cd"))


def config(**more: Any) -> dict[str, Any]:
    return {"graph": DIAMOND.model_dump(mode="json"), **more}


async def test_each_agent_reads_what_was_drawn_in_the_order_in_which_it_stands(
    stub: RunningStub,
) -> None:
    events = await ran(METHOD, stub.url, config=config())
    assert [node.id for node in only(events, "graph_planned")[0].graph.nodes] == list("dcba")
    assert kinds(events)[0] == "graph_planned"
    assert kinds(events)[-1] == "intermediate_answer"
    reads = {event.agent_id: event.reads for event in only(events, "agent_started")}
    assert reads == {"a": (), "b": ("a",), "c": ("a",), "d": ("c", "b")}
    [answer] = only(events, "intermediate_answer")
    assert (answer.agent_id, answer.answer is not None) == ("d", True)


async def test_the_chosen_one_answers(stub: RunningStub) -> None:
    events = await ran(METHOD, stub.url, config=config(answer_from="b"))
    assert only(events, "intermediate_answer")[0].agent_id == "b"


async def test_a_summary_agent_reads_all_of_them(stub: RunningStub) -> None:
    events = await ran(METHOD, stub.url, config=config(summary=True))
    last = only(events, "agent_started")[-1]
    assert (last.summary, set(last.reads)) == (True, set("abcd"))
    assert only(events, "intermediate_answer")[0].agent_id == "summary"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"graph": {"nodes": []}}, "no agent"),
        (config(answer_from="x"), "answer_from names an agent that the graph does not have"),
        (config(vote=["a", "x"]), "vote names an agent that the graph does not have"),
        (config(vote=["a", "a"]), "vote only once"),
        (config(vote=["a"], answer_from="a"), "with a vote, choose no"),
        (config(sampling={"x": {}}), "sampling names an agent that the graph does not have"),
        (config(sampling={"a": {"temperature": 3}}), "sampling"),
        ({}, "no agent"),
        ({"graph": [1]}, "graph"),
        ({"graph": {"nodes": [], "edges": [{"source": "a", "target": "b"}]}}, "unknown agent"),
    ],
)
async def test_what_cannot_run(stub: RunningStub, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(MethodError, match=said):
        await ran(METHOD, stub.url, config=wrong)


def test_whose_answer_counts_speaks_last() -> None:
    assert speaking_order(DIAMOND, last=None) == ("a", "c", "b", "d")
    assert speaking_order(DIAMOND, last="a") == ("c", "b", "d", "a")


async def test_the_most_frequent_answer_of_those_who_vote_counts() -> None:
    rules = tuple(
        Rule(f"You are {key}.", f"Answer: {said}")
        for key, said in (("a", "1"), ("b", "7"), ("c", "7.0"), ("d", "1"))
    )
    events, _ = await ran_by(METHOD, rules, config=config(vote=["a", "c", "b"]))
    [answer] = only(events, "intermediate_answer")
    assert (answer.answer, answer.agent_id) == ("7.0", "c")


async def test_each_samples_as_it_was_drawn() -> None:
    sampling = {"a": {"temperature": 0.5, "sample": 2}, "b": {"temperature": 1.5}}
    options = config(sampling=sampling, summary=True, summary_temperature=0.25)
    _, asked = await ran_by(METHOD, [], config=options, seed=5)
    told = {(request["temperature"], request.get("seed")) for request in asked}
    assert told == {(0.5, sample_seed(5, 2)), (1.5, 5), (0.25, 5), (0.0, None)}
