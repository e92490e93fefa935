"""Structure rationality: is M better than M with one agent less (M−) or one more (M+)?

All three run in the same way, so only the structure differs: first the graph's agents, then what
answered in M's own run (the summary agent over all of them, or the last agent with an answer). M
itself is also run again.

Choices:
 1. M− removes one agent, drawn by the seed. Its readers then read what it read, so a chain stays a
    chain. A graph of one agent has no M−.
 2. M+ adds the role nearest to the query (`rationality.closest_role`) among the pool's roles that M
    does not have. If the summary agent answers, the new agent comes last, like the next step of a
    construction: it reads every agent without a reader, and the summary reads it with the others.
    If the last agent answers, the new agent comes before it, reads what it reads, and is read by
    it. As the last one it would answer instead, which would not be M with one agent more.
 3. If an agent has revised its message (MasHost's feedback edges), M− loses all its messages. In
    all three variants its messages follow each other, and a summary agent reads each of them.
"""

import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from workers.core.embed.base import Embedder
from workers.core.evaluation.rationality import closest_role
from workers.core.events import Event
from workers.core.graph import (
    add_agent,
    next_agent_id,
    predecessors,
    remove_agent,
    revisions_of,
    successors,
)
from workers.core.llm.types import ChatClient
from workers.core.mas.context import MethodContext
from workers.core.methods.planned import run_planned
from workers.core.run import run_execute
from workers.core.specs import Edge, GraphSpec, PoolSpec, RunSpec, TaskSpec

METHOD_KEY = "structure"


@dataclass(frozen=True, slots=True)
class Variant:
    """`changed`: the role that M− lost or M+ gained."""

    kind: Literal["M", "M-", "M+"]
    graph: GraphSpec
    changed: str | None = None


async def variants(
    graph: GraphSpec,
    *,
    task: TaskSpec,
    pool: PoolSpec,
    embedder: Embedder,
    summary: bool,
    seed: int = 0,
) -> list[Variant]:
    """M, and M− and M+ if they exist. `summary`: whether the summary agent answers."""
    found = [Variant("M", graph)]
    if (less := one_less(graph, seed=seed)) is not None:
        found.append(less)
    more = await one_more(graph, task=task, pool=pool, embedder=embedder, summary=summary)
    if more is not None:
        found.append(more)
    return found


def one_less(graph: GraphSpec, *, seed: int) -> Variant | None:
    """M− without the agent that the seed draws. None for a graph of one agent or none."""
    said_again = {later.id for node in graph.nodes for later in revisions_of(graph, node.id)}
    agents = [node for node in graph.nodes if node.id not in said_again]
    if len(agents) < 2:
        return None
    node = random.Random(seed).choice(agents)  # noqa: S311  a draw to be repeated
    less = graph
    for gone in (node, *revisions_of(graph, node.id)):
        less = without_agent(less, gone.id)
    return Variant("M-", less, changed=node.role.key)


def without_agent(graph: GraphSpec, agent_id: str) -> GraphSpec:
    """The graph without one agent, its readers reading what it read. KeyError: no such agent."""
    above, below = predecessors(graph)[agent_id], successors(graph)[agent_id]
    rest = remove_agent(graph, agent_id)
    there = {(edge.source, edge.target) for edge in rest.edges}
    bridges = tuple(
        Edge(source=source, target=target)
        for source in above
        for target in below
        if (source, target) not in there
    )
    return GraphSpec(nodes=rest.nodes, edges=(*rest.edges, *bridges))


async def one_more(
    graph: GraphSpec, *, task: TaskSpec, pool: PoolSpec, embedder: Embedder, summary: bool
) -> Variant | None:
    """M+; None if the pool has no other role with a domain."""
    playing = {node.role.key for node in graph.nodes}
    role = await closest_role(
        [role for role in pool.roles if role.key not in playing],
        query=task.query,
        domain=task.domain,
        embedder=embedder,
    )
    if role is None:
        return None
    new = next_agent_id([node.id for node in graph.nodes])
    if summary or not graph.nodes:
        sinks = [agent_id for agent_id, readers in successors(graph).items() if not readers]
        return Variant("M+", add_agent(graph, agent_id=new, role=role, reads=sinks), role.key)
    last = graph.nodes[-1]
    more = add_agent(graph, agent_id=new, role=role, reads=predecessors(graph)[last.id])
    *before, speaks, added = more.nodes
    read = Edge(source=new, target=last.id)
    more = GraphSpec(nodes=(*before, added, speaks), edges=(*more.edges, read))
    return Variant("M+", more, changed=role.key)


def run_variant(
    variant: Variant, spec: RunSpec, *, client: ChatClient, summary: bool
) -> AsyncGenerator[Event]:
    """A whole run of one variant, from run_started to its one terminal event.

    Task, endpoint, seed and budget are the spec's. Each variant has the whole budget.
    """
    run = spec.model_copy(update={"method": METHOD_KEY, "method_config": {}, "checkpoint": None})
    given = GivenGraph(variant.graph, summary=summary)
    return run_execute(run, client=client, methods={METHOD_KEY: given})


class NoConfig(BaseModel):
    """No options: the graph is given."""


class GivenGraph:
    """A method that executes one graph. With `summary` the summary agent answers."""

    key = METHOD_KEY
    name = "Given graph"
    description = "Runs a given graph, then the summary agent if there is one."
    source = "arXiv:2506.08507"
    needs_pool = False
    learns = False
    config_schema = NoConfig

    def __init__(self, graph: GraphSpec, *, summary: bool) -> None:
        self._graph = graph
        self._summary = summary

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events · the summary's, if any · intermediate_answer."""
        return run_planned(self._graph, query=task.query, context=context, summary=self._summary)
