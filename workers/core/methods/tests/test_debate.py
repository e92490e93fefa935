"""Debate against the stub LLM: who reads whom, and whose votes count."""

import pytest

from workers.core.graph import generations, predecessors
from workers.core.methods.debate import DebateConfig, debate_graph, debater, round_ids
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import kinds, only, ran_by
from workers.core.testing.stub_settings import Fault, Rule

METHOD = METHODS["debate"]
FIRST = debater(1, first=True).prompt


def later(number: int, reply: str) -> Rule:
    return Rule(debater(number, first=False).prompt, reply=reply)


async def test_each_round_reads_the_one_before_and_the_last_one_votes() -> None:
    rules = (
        Rule(FIRST, reply="Answer: 1"),
        later(1, "Answer: 7"),
        later(2, "Answer: 8"),
        later(3, "Answer: 8.0"),
    )
    events, requests = await ran_by(METHOD, rules)
    [planned] = only(events, "graph_planned")
    assert predecessors(planned.graph) == {
        **dict.fromkeys(("a1", "a2", "a3"), ()),
        **dict.fromkeys(("a4", "a5", "a6"), ("a1", "a2", "a3")),
    }
    spoken = [(node.role.name, node.round) for node in planned.graph.nodes]
    assert spoken == [(f"Debater {number}", turn) for turn in (1, 2) for number in (1, 2, 3)]
    given = [(e.step, e.answer, e.agent_id) for e in only(events, "intermediate_answer")]
    assert given == [(1, "1", "a1"), (2, "8", "a5")]
    first_vote = kinds(events).index("intermediate_answer")
    assert kinds(events)[:first_vote].count("agent_finished") == 3
    assert kinds(events)[-1] == "intermediate_answer"
    assert len({request["seed"] for request in requests}) == 6
    assert {request["temperature"] for request in requests} == {0.7}
    assert len({request["messages"][0]["content"] for request in requests[:3]}) == 1
    for request in requests[3:]:
        read = request["messages"][-1]["content"]
        assert all(f'<message from="Debater {number}">' in read for number in (1, 2, 3))


async def test_who_fails_is_heard_again_in_the_next_round() -> None:
    rules = (Rule(FIRST, reply="Answer: 5", fault=Fault("401", times=1)), later(2, "Answer: 6"))
    events, _ = await ran_by(METHOD, rules, config={"agents": 2})
    [failed] = only(events, "agent_failed")
    assert failed.agent_id in {"a1", "a2"}
    started = {event.agent_id: event.reads for event in only(events, "agent_started")}
    assert set(started) == {"a1", "a2", "a3", "a4"}
    assert len(started["a3"]) == len(started["a4"]) == 1
    assert only(events, "intermediate_answer")[0].answer == "5"


async def test_programs_are_voted_on_by_what_they_say() -> None:
    rules = (
        later(1, "```python\nprint(1)\n```"),
        later(2, "```python\nprint(2)  # two\n```"),
        later(3, "```python\nprint( 2 )\n```"),
        Rule(FIRST, reply="```python\nprint(0)\n```"),
    )
    events, _ = await ran_by(METHOD, rules, answer_form="code")
    assert [e.answer for e in only(events, "intermediate_answer")] == [
        "print(0)",
        "print(2)  # two",
    ]


@pytest.mark.parametrize(("agents", "rounds"), [(2, 1), (3, 2), (8, 5)])
def test_the_graph_has_a_wave_for_each_round(agents: int, rounds: int) -> None:
    ids = round_ids(DebateConfig(agents=agents, rounds=rounds))
    graph = debate_graph(ids)
    assert generations(graph) == tuple(tuple(wave) for wave in ids)
    assert len(graph.edges) == agents * agents * (rounds - 1)
