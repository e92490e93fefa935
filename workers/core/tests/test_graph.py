import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.graph import (
    add_agent,
    depth,
    generations,
    next_agent_id,
    predecessors,
    reachable,
    remove_agent,
    successors,
)
from workers.core.mas.tests.support import graph, role
from workers.core.specs import GraphSpec

DIAMOND = graph("a1>a2 a1>a3 a2>a4 a3>a4", alone=["a5"])


def test_neighbours_and_waves_of_a_diamond() -> None:
    assert predecessors(DIAMOND) == {
        "a1": (),
        "a2": ("a1",),
        "a3": ("a1",),
        "a4": ("a2", "a3"),
        "a5": (),
    }
    assert successors(DIAMOND)["a1"] == ("a2", "a3")
    assert generations(DIAMOND) == (("a1", "a5"), ("a2", "a3"), ("a4",))
    assert depth(DIAMOND) == 3
    assert reachable(DIAMOND, "a1") == {"a2", "a3", "a4"}
    assert reachable(DIAMOND, "a5") == frozenset()


def test_empty_graph() -> None:
    assert generations(GraphSpec()) == ()
    assert depth(GraphSpec()) == 0


def test_ids_are_never_used_again() -> None:
    assert next_agent_id([]) == "a1"
    assert next_agent_id(["a1", "a10", "a2", "summary", "ax", "a²"]) == "a11"


def test_adding_and_removing_leave_the_original_alone() -> None:
    larger = add_agent(DIAMOND, agent_id="a6", role=role(), reads=["a4", "a5"])
    assert predecessors(larger)["a6"] == ("a4", "a5")
    assert remove_agent(larger, "a6") == DIAMOND
    assert predecessors(remove_agent(DIAMOND, "a2"))["a4"] == ("a3",)
    with pytest.raises(ValueError, match="unique"):
        add_agent(DIAMOND, agent_id="a1", role=role())
    with pytest.raises(ValueError, match="unknown agent"):
        add_agent(DIAMOND, agent_id="a6", role=role(), reads=["a9"])
    with pytest.raises(KeyError):
        remove_agent(DIAMOND, "a9")


@st.composite
def dags(draw: st.DrawFn) -> GraphSpec:
    """Up to 8 agents; any may read any earlier one."""
    built = GraphSpec()
    for index in range(draw(st.integers(0, 8))):
        earlier = [node.id for node in built.nodes]
        reads = draw(st.lists(st.sampled_from(earlier), unique=True)) if earlier else []
        agent_id = f"a{index + 1}"
        built = add_agent(built, agent_id=agent_id, role=role(f"role-{agent_id}"), reads=reads)
    return built


@given(dags())
def test_waves_respect_every_edge_and_lose_nobody(spec: GraphSpec) -> None:
    waves = generations(spec)
    level = {agent: index for index, wave in enumerate(waves) for agent in wave}
    assert len(level) == len(spec.nodes)
    assert all(level[edge.source] < level[edge.target] for edge in spec.edges)
    assert all(
        level[e.target] in {level[s] + 1 for s in predecessors(spec)[e.target]} for e in spec.edges
    )
