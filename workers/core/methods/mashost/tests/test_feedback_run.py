"""Feedback edges at work: the event sequence on the stub LLM, the graph, and what is asked."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import EVENT_ADAPTER, Event
from workers.core.mas.record import RunRecord
from workers.core.methods.mashost.build import Construction
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Decision, EdgeDecision
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.prepared import prepare
from workers.core.methods.mashost.state import ConstructionState
from workers.core.methods.mashost.weights import PolicyCache
from workers.core.methods.tests.support import (
    QUERY,
    HashEmbedder,
    context_for,
    kinds,
    only,
    ran,
    shown,
    small_pool,
)
from workers.core.specs import GraphSpec, TaskSpec
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import Rule

ROLES = [role.key for role in small_pool().roles]
SPOKE = ["node_sampled", "edges_sampled", "agent_started", "agent_finished"]
REVISED = ["revision_asked", "agent_started", "agent_finished"]
ANSWERED = ["intermediate_answer"]


def adds(role: str, *, reads: Sequence[int] = (), sends: Sequence[int] = (), agents: int) -> Any:
    """The decision to add the role beside so many agents."""
    chosen = [place in reads for place in range(agents)] + [p in sends for p in range(agents)]
    edges = EdgeDecision.of([0.5] * (2 * agents), chosen, agents, -1.0)
    return _decided("add", ROLES.index(role), edges)


def _decided(kind: Any, action: int, edges: EdgeDecision | None = None) -> Decision:
    count = len(ROLES) + 2
    return Decision(kind, action, (1 / count,) * count, (True,) * count, -1.0, edges)


DELETES, EXITS = _decided("delete", len(ROLES)), _decided("exit", len(ROLES) + 1)


class Scripted:
    """Takes these decisions, and keeps the states that they were taken in."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        self._left = list(decisions)
        self.states: list[ConstructionState] = []

    async def decide(self, state: ConstructionState) -> Decision:
        self.states.append(state)
        return self._left.pop(0)


async def built(
    url: str, *decisions: Decision, **options: Any
) -> tuple[list[Event], list[ConstructionState]]:
    config = MasHostConfig(feedback_edges=True, **options)
    task, scripted = TaskSpec(query=QUERY), Scripted([*decisions, EXITS])
    async with context_for(url, pool=small_pool(), embedder=HashEmbedder()) as context:
        prepared = await prepare(PolicyCache(), small_pool(), config, task=task, context=context)
        construction = Construction(prepared, task=task, context=context, decider=scripted)
        async with aclosing(construction.events()) as events:
            return [event async for event in events], scripted.states


def graph_of(events: Sequence[Event]) -> GraphSpec:
    """As the driver of a run builds it, from events that were stored."""
    record = RunRecord(small_pool())
    for event in events:
        record.take(EVENT_ADAPTER.validate_python(event.model_dump(mode="json")))
    return record.graph


def edges_of(graph: GraphSpec) -> set[str]:
    return {f"{edge.source}>{edge.target}" for edge in graph.edges}


TWO_AND_CRITIC = (
    adds("word-problems", agents=0),
    adds("arithmetic", reads=(0,), agents=1),
    adds("critic", reads=(0, 1), sends=(1,), agents=2),
)


async def test_an_earlier_agent_that_is_sent_a_message_revises_once(stub: RunningStub) -> None:
    events, states = await built(stub.url, *TWO_AND_CRITIC, final_answer="agent")
    assert kinds(events) == [
        *(SPOKE + ANSWERED) * 2,
        *(SPOKE + REVISED + ANSWERED),
        *("node_sampled", "intermediate_answer"),
    ]
    [asked] = only(events, "revision_asked")
    assert (asked.agent_id, asked.revises, asked.sender) == ("a2-2", "a2", "a3")
    assert (asked.reads, asked.round, asked.step) == (("a1", "a2", "a3"), 2, 3)
    started = next(e for e in only(events, "agent_started") if e.agent_id == "a2-2")
    assert (started.role_key, started.reads) == ("arithmetic", asked.reads)
    sampled = only(events, "edges_sampled")[-1]
    assert [(each.target, each.chosen) for each in sampled.back] == [("a1", False), ("a2", True)]
    graph = graph_of(events)
    assert edges_of(graph) == {"a1>a2", "a1>a3", "a2>a3", "a1>a2-2", "a2>a2-2", "a3>a2-2"}
    assert [(node.id, node.round) for node in graph.nodes][-1] == ("a2-2", 2)
    assert [agent.said for agent in states[-1].agents] == ["a1", "a2-2", "a3"]


async def test_the_revision_speaks_last_and_is_what_later_agents_read(stub: RunningStub) -> None:
    events, _ = await built(
        stub.url,
        *TWO_AND_CRITIC,
        adds("planner", reads=(1,), agents=3),
        final_answer="summary",
    )
    after_critic = [event.agent_id for event in only(events, "intermediate_answer")][2]
    assert after_critic == "a2-2"
    assert [c.source for c in only(events, "edges_sampled")[-1].candidates] == ["a1", "a2-2", "a3"]
    started = {event.agent_id: event.reads for event in only(events, "agent_started")}
    assert started["a4"] == ("a2-2",)
    assert started["summary"] == ("a1", "a3", "a2-2", "a4")
    assert "a2-2>a4" in edges_of(graph_of(events))


PAIR = adds("word-problems", agents=0), adds("critic", sends=(0,), agents=1)
ANSWERS_42 = Rule("You are the word-problems.", reply="It is 42.\nAnswer: 42")


async def pair_by(*rules: Rule) -> tuple[list[Event], list[ConstructionState]]:
    """An expert, and a critic that sends its message back to it."""
    with running_stub(rules=rules) as stub:
        return await built(stub.url, *PAIR, final_answer="agent")


async def test_the_revision_is_asked_with_its_own_message_and_the_sender_s() -> None:
    events, _ = await pair_by(
        Rule("You are the critic.", reply="The cakes are missing."), ANSWERS_42
    )
    started = only(events, "agent_started")[-1]
    told = started.prompt[-1]["content"]
    assert started.prompt[0]["content"].startswith("You are the word-problems.")
    assert told.index("It is 42.") < told.index("The cakes are missing.")


async def test_each_message_sent_back_is_answered_by_one_revision(stub: RunningStub) -> None:
    events, states = await built(
        stub.url,
        adds("word-problems", agents=0),
        adds("critic", reads=(0,), sends=(0,), agents=1),
        adds("planner", sends=(0, 1), agents=2),
        final_answer="agent",
    )
    asked = only(events, "revision_asked")
    assert [(e.agent_id, e.revises, e.round) for e in asked] == [
        ("a1-2", "a1", 2),
        ("a1-3", "a1-2", 3),
        ("a2-2", "a2", 2),
    ]
    assert asked[2].reads == ("a1-3", "a2", "a3")
    assert states[-1].agents[0].revisions == ("a1-2", "a1-3")
    assert len(graph_of(events).nodes) == 6  # validated: it has no cycle


async def test_delete_takes_back_what_the_deleted_agent_had_revised(stub: RunningStub) -> None:
    events, states = await built(
        stub.url,
        adds("word-problems", agents=0),
        adds("critic", reads=(0,), sends=(0,), agents=1),
        DELETES,
        adds("arithmetic", reads=(0,), sends=(0,), agents=1),
        final_answer="agent",
    )
    assert [agent.said for agent in states[3].agents] == ["a1"]
    ids = [event.agent_id for event in only(events, "agent_started")]
    assert len(set(ids)) == len(ids)
    assert ids == ["a1", "a2", "a1-2", "a3", "a1-3"]
    assert only(events, "revision_asked")[-1].round == 2
    graph = graph_of(events)
    assert {node.id for node in graph.nodes} == {"a1", "a3", "a1-3"}
    assert edges_of(graph) == {"a1>a3", "a1>a1-3", "a3>a1-3"}


async def test_a_silent_agent_sends_nothing_back() -> None:
    refuses = Rule("You are the critic.", reply="REFUSE: outside my competence")
    events, states = await pair_by(refuses)
    assert only(events, "revision_asked") == []
    assert only(events, "edges_sampled")[-1].back[0].chosen
    assert states[-1].agents[-1].sends == ()


async def test_a_revision_that_refuses_leaves_the_message_before_it() -> None:
    events, states = await pair_by(
        Rule("The cakes are missing.", reply="REFUSE: outside my competence"),
        Rule("You are the critic.", reply="The cakes are missing."),
        ANSWERS_42,
    )
    assert only(events, "agent_finished")[-1].refused
    assert [agent.said for agent in states[-1].agents] == ["a1", "a2"]
    assert only(events, "intermediate_answer")[-1].agent_id == "a2"


async def test_who_agrees_is_told_by_the_messages_that_stand() -> None:
    _, states = await pair_by(
        Rule("The sum is off.", reply="Now I see.\nAnswer: 7"),
        Rule("You are the critic.", reply="The sum is off.\nAnswer: 7"),
        ANSWERS_42,
    )
    assert [agent.agrees for agent in states[-1].agents] == [(), (0,)]


async def test_the_untrained_policy_lets_the_critic_send_back(
    stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    given: dict[str, Any] = {"pool": small_pool(), "embedder": embedder}
    events, again = [
        await ran(MasHost(), stub.url, config={"feedback_edges": True}, **given) for _ in range(2)
    ]
    senders = {event.sender for event in only(events, "revision_asked")}
    roles = {e.agent_id: e.role_key for e in only(events, "agent_started")}
    assert {roles[sender] for sender in senders} == {"critic"}
    assert all(len(e.back) == len(e.candidates) for e in only(events, "edges_sampled"))
    assert shown(events) == shown(again)
