"""Random graph: roles and edges drawn from the run's seed. The floor for every learned graph.

What a policy builds must beat what chance builds from the same pool at the same size.

Conventions, since no paper fixes them:
 1. Roles are drawn without repetition until the pool is used up; then all may come again.
 2. An agent may read those before it, each with the same probability, so a graph is acyclic.
 3. As in MasHost a summary agent reads every agent and gives the answer; where it gives none, the
    last agent that has an answer does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event
from workers.core.methods.base import MethodContext
from workers.core.methods.configuration import read_config
from workers.core.methods.nearest import roles_of
from workers.core.methods.planned import run_planned
from workers.core.methods.seeds import uniform
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, TaskSpec


class RandomGraphConfig(BaseModel):
    """How large the graph is, and how dense."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: int = Field(default=4, ge=1, le=16, description="Agents, the summary not counted.")
    edge_probability: float = Field(
        default=0.5, ge=0, le=1, description="With which an agent reads each one before it."
    )


class RandomGraph:
    """Chance in place of a policy."""

    key = "random_graph"
    name = "Random graph"
    description = "Roles and edges drawn by chance from the pool, and a summary agent at the end."
    source = "baseline"
    needs_pool = True
    learns = False
    config_schema = RandomGraphConfig

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events · the summary agent's · intermediate_answer.

        Raises MethodError (no pool, every agent failed) and BudgetExceeded.
        """
        config = read_config(RandomGraphConfig, context.config)
        graph = drawn_graph(roles_of(context, self.name), config, seed=context.seed)
        events = run_planned(graph, query=task.query, context=context, summary=True)
        async with aclosing(events):
            async for event in events:
                yield event


def drawn_graph(pool: tuple[RoleSpec, ...], config: RandomGraphConfig, *, seed: int) -> GraphSpec:
    """The same pool, configuration and seed give the same graph."""
    roles = _drawn_roles(pool, config.agents, seed)
    ids = [f"a{index + 1}" for index in range(config.agents)]
    edges = [
        Edge(source=source, target=target)
        for place, target in enumerate(ids)
        for source in ids[:place]
        if uniform(seed, f"edge:{source}:{target}") < config.edge_probability
    ]
    nodes = [AgentNode(id=agent_id, role=role) for agent_id, role in zip(ids, roles, strict=True)]
    return GraphSpec(nodes=tuple(nodes), edges=tuple(edges))


def _drawn_roles(pool: tuple[RoleSpec, ...], count: int, seed: int) -> list[RoleSpec]:
    rounds = -(-count // len(pool))
    drawn: list[RoleSpec] = []
    for turn in range(rounds):
        drawn += sorted(pool, key=lambda role: uniform(seed, f"role:{turn}:{role.key}"))
    return drawn[:count]
