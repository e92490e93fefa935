"""Who speaks when, as a graph: an agent of each role in each turn, each reading the one before."""

from collections.abc import Sequence
from itertools import pairwise

from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec


def name_of(role: RoleSpec) -> str:
    """The agent's name in ids, metrics and policies."""
    return role.name.lower().replace(" ", "_")


def agent_id(role: RoleSpec, turn: int) -> str:
    """`turn` counts from 1."""
    return f"{name_of(role)}-{turn}"


def graph_of(roles: Sequence[RoleSpec], spoken: int) -> GraphSpec:
    """The graph after so many messages."""
    nodes = [
        AgentNode(
            id=agent_id(roles[place % len(roles)], place // len(roles) + 1),
            role=roles[place % len(roles)],
            round=place // len(roles) + 1,
        )
        for place in range(spoken)
    ]
    edges = [Edge(source=before.id, target=after.id) for before, after in pairwise(nodes)]
    return GraphSpec(nodes=tuple(nodes), edges=tuple(edges))
