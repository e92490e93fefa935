"""The workflow of a stage as a graph: its agents V and edges E (EvoMAS, Eq. 8 and 9, D.3)."""

from collections.abc import Sequence
from itertools import chain, pairwise

from workers.core.specs import AgentId, AgentNode, Edge

Layers = Sequence[Sequence[AgentNode]]


def agents_of(layers: Layers) -> tuple[AgentNode, ...]:
    """V, the union of V^(1) to V^(L), Eq. 8. A role in several layers is an agent in each."""
    return tuple(chain.from_iterable(layers))


def edges_of(layers: Layers) -> tuple[Edge, ...]:
    """E, Eq. 9: every agent is read by every agent of the next layer, and by no other."""
    ids = [[node.id for node in layer] for layer in layers]
    return tuple(edge for sources, targets in pairwise(ids) for edge in between(sources, targets))


def between(sources: Sequence[AgentId], targets: Sequence[AgentId]) -> tuple[Edge, ...]:
    """Every target reads every source."""
    return tuple(Edge(source=source, target=target) for target in targets for source in sources)
