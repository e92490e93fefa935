"""What a run's events add up to."""

import pytest

from workers.core.errors import Failure
from workers.core.events import (
    EVENTS,
    AgentFailed,
    AgentFinished,
    AgentStarted,
    EdgeProbability,
    EdgesSampled,
    Event,
    GraphPlanned,
    IntermediateAnswer,
    NodeSampled,
    PlannerAsked,
    PlanRejected,
    RevisionAsked,
)
from workers.core.mas.record import RunRecord
from workers.core.mas.tests.support import role
from workers.core.specs import AgentNode, GraphSpec, PoolSpec, Usage

POOL = PoolSpec(key="p", name="P", roles=(role("solver"), role("critic")))
USED = Usage(prompt_tokens=3, completion_tokens=2, cost=0.5)
DOWN = Failure(code="down", message="Nobody answers.")


def sampled(kind: str, agent_id: str, choice: str = "DELETE") -> NodeSampled:
    said = {"kind": kind, "choice": choice, "agent_id": agent_id}
    fixed = {"step": 1, "candidates": (), "log_probability": 0, "greedy": True}
    return NodeSampled.model_validate({**fixed, **said})


def reads(agent_id: str, *sources: str) -> EdgesSampled:
    """It was also asked about `left`, and does not read it."""
    chances = [*((source, True) for source in sources), ("left", False)]
    candidates = tuple(EdgeProbability(source=s, probability=0.5, chosen=c) for s, c in chances)
    return EdgesSampled(step=1, agent_id=agent_id, candidates=candidates, log_probability=0)


def started(agent_id: str) -> AgentStarted:
    return AgentStarted(
        agent_id=agent_id, role_key="solver", role_name="S", family="maths", endpoint="e"
    )


def record(*events: Event) -> RunRecord:
    found = RunRecord(POOL)
    for event in events:
        found.take(event)
    return found


BUILT = (
    sampled("add", "a1", "solver"),
    sampled("add", "a2", "critic"),
    reads("a2", "a1"),
    RevisionAsked(step=2, agent_id="a1-2", revises="a1", sender="a2", reads=("a1", "a2"), round=2),
)


def test_a_graph_grows_by_nodes_edges_and_revisions() -> None:
    graph = record(*BUILT).graph
    assert [(node.id, node.role.key, node.round) for node in graph.nodes] == [
        ("a1", "solver", None),
        ("a2", "critic", None),
        ("a1-2", "solver", 2),
    ]
    assert [(edge.source, edge.target) for edge in graph.edges] == [
        ("a1", "a2"),
        ("a1", "a1-2"),
        ("a2", "a1-2"),
    ]


def test_a_deleted_agent_goes_with_the_revisions_that_it_asked_for() -> None:
    graph = record(*BUILT, sampled("delete", "a2")).graph
    assert [node.id for node in graph.nodes] == ["a1"]
    assert not graph.edges


def test_what_agents_used_adds_up_and_is_unknown_while_one_is_at_work() -> None:
    ended = AgentFinished(agent_id="a1", message="18", answer="18", usage=USED, seconds=1.5)
    said = IntermediateAnswer(step=1, answer="18", agent_id="a1")
    whole = record(*BUILT, started("a1"), ended, said)
    assert whole.usage() == USED
    assert (whole.message(), whole.agents["a1"].outcome) == ("18", "answered")
    assert record(*BUILT, started("a1"), ended, started("a2")).usage() == Usage()


def test_what_a_method_asks_itself_counts_too() -> None:
    asked = PlannerAsked(endpoint="e", model="m")
    assert record(asked).usage() == Usage()
    rejected = PlanRejected(endpoint="e", reply="?", problem="no plan", usage=USED)
    assert record(asked, rejected).usage() == USED


def test_an_agent_that_failed_before_it_began_has_the_role_of_its_graph() -> None:
    node = AgentNode(id="a1", role=role("critic"), endpoint="other")
    failed = AgentFailed(agent_id="a1", failure=DOWN)
    found = record(GraphPlanned(graph=GraphSpec(nodes=(node,))), failed)
    agent = found.agents["a1"]
    assert (agent.role_key, agent.endpoint, agent.started) == ("critic", "other", False)
    assert found.failures == [DOWN]


@pytest.mark.parametrize("kind", sorted(EVENTS))
def test_every_kind_has_a_class_of_that_kind(kind: str) -> None:
    assert EVENTS[kind].model_fields["event"].default == kind
