"""Pure functions over `GraphSpec`: order, neighbours, growth. Nothing here changes its input."""

import re
from collections.abc import Iterable, Sequence

from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec

Neighbours = dict[str, tuple[str, ...]]


def predecessors(graph: GraphSpec) -> Neighbours:
    """The agents that each agent reads, in the order of the nodes. A double edge counts once."""
    sources: dict[str, set[str]] = {node.id: set() for node in graph.nodes}
    for edge in graph.edges:
        sources[edge.target].add(edge.source)
    return {i: tuple(n.id for n in graph.nodes if n.id in read) for i, read in sources.items()}


def successors(graph: GraphSpec) -> Neighbours:
    """The agents that read each agent, in the order of the nodes."""
    readers: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for target, sources in predecessors(graph).items():
        for source in sources:
            readers[source].append(target)
    return {agent_id: tuple(targets) for agent_id, targets in readers.items()}


def generations(graph: GraphSpec) -> tuple[tuple[str, ...], ...]:
    """Agents by the earliest wave in which they can run, sources first."""
    level = _levels(graph)
    waves: list[list[str]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for agent_id, index in level.items():
        waves[index].append(agent_id)
    return tuple(tuple(wave) for wave in waves)


def depth(graph: GraphSpec) -> int:
    """Agents on the longest path: 0 for an empty graph, 1 if no agent reads another."""
    return len(generations(graph))


def reachable(graph: GraphSpec, agent_id: str) -> frozenset[str]:
    """Every agent that reads `agent_id`, directly or through others, without itself."""
    readers = successors(graph)
    found: set[str] = set()
    frontier = list(readers[agent_id])
    while frontier:
        current = frontier.pop()
        if current not in found:
            found.add(current)
            frontier.extend(readers[current])
    return frozenset(found)


def next_agent_id(used: Iterable[str]) -> str:
    """`a1`, `a2`, …: one above the highest in `used`.

    Pass every id that the run ever used, deleted ones included. Then an id always names one agent.
    """
    numbers = [int(i[1:]) for i in used if i[:1] == "a" and i[1:].isascii() and i[1:].isdigit()]
    return f"a{max(numbers, default=0) + 1}"


def revision_id(agent_id: str, turn: int) -> str:
    """The id of an agent's message number `turn`, from 2."""
    return f"{agent_id}-{turn}"


def revisions_of(graph: GraphSpec, agent_id: str) -> tuple[AgentNode, ...]:
    """The ids of the messages that the agent wrote again after its message was sent back."""
    name = re.compile(rf"{re.escape(agent_id)}-\d+")
    return tuple(n for n in graph.nodes if (n.round or 1) > 1 and name.fullmatch(n.id))


def add_agent(
    graph: GraphSpec, *, agent_id: str, role: RoleSpec, reads: Sequence[str] = ()
) -> GraphSpec:
    """The graph with one more agent that reads `reads`. ValueError: used id or unknown source."""
    node = AgentNode(id=agent_id, role=role)
    edges = tuple(Edge(source=source, target=agent_id) for source in reads)
    return GraphSpec(nodes=(*graph.nodes, node), edges=(*graph.edges, *edges))


def remove_agent(graph: GraphSpec, agent_id: str) -> GraphSpec:
    """The graph without one agent and its edges. KeyError if there is no such agent."""
    if all(node.id != agent_id for node in graph.nodes):
        raise KeyError(agent_id)
    return GraphSpec(
        nodes=tuple(node for node in graph.nodes if node.id != agent_id),
        edges=tuple(e for e in graph.edges if agent_id not in (e.source, e.target)),
    )


def _levels(graph: GraphSpec) -> dict[str, int]:
    sources = predecessors(graph)
    level: dict[str, int] = {}
    while len(level) < len(sources):
        for agent_id, read in sources.items():
            if agent_id not in level and all(source in level for source in read):
                level[agent_id] = 1 + max((level[source] for source in read), default=-1)
    return {node.id: level[node.id] for node in graph.nodes}
