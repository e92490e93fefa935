"""V and E by hand."""

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from workers.core.mas.tests.support import role
from workers.core.methods.evomas.workflow import Layers, agents_of, between, edges_of
from workers.core.specs import AgentNode, GraphSpec


def layers(*sizes: int) -> Layers:
    return [
        [AgentNode(id=f"l{layer}a{place}", role=role("io")) for place in range(1, size + 1)]
        for layer, size in enumerate(sizes, start=1)
    ]


def pairs(*sizes: int) -> list[tuple[str, str]]:
    return [(edge.source, edge.target) for edge in edges_of(layers(*sizes))]


def test_consecutive_layers_are_fully_connected_and_no_others() -> None:
    assert pairs(2, 1, 2) == [
        ("l1a1", "l2a1"),
        ("l1a2", "l2a1"),
        ("l2a1", "l3a1"),
        ("l2a1", "l3a2"),
    ]


def test_one_layer_has_agents_and_no_edge() -> None:
    assert [node.id for node in agents_of(layers(2))] == ["l1a1", "l1a2"]
    assert pairs(2) == []
    assert pairs() == []


def test_what_the_first_layer_follows() -> None:
    assert [(edge.source, edge.target) for edge in between(["p"], ["a", "b"])] == [
        ("p", "a"),
        ("p", "b"),
    ]
    assert between([], ["a"]) == ()


@given(st.lists(st.integers(1, 4), max_size=5))
def test_a_workflow_is_a_layered_graph_without_circles(sizes: list[int]) -> None:
    found = layers(*sizes)
    graph = GraphSpec(nodes=agents_of(found), edges=edges_of(found))
    assert len(graph.nodes) == sum(sizes)
    assert len(graph.edges) == sum(a * b for a, b in pairwise(sizes))
    place = {node.id: at for at, layer in enumerate(found) for node in layer}
    assert {(e.source, e.target) for e in graph.edges} == {
        (a, b) for a, b in product(place, place) if place[b] == place[a] + 1
    }
