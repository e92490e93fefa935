"""Random graph: roles and edges drawn from the run's seed. The floor for every learned graph.

What a policy builds must beat what chance builds from the same pool. Equal to a policy's teams are,
once they are set: the mean number of agents over many runs (`agents`), the mean share of the
possible edges (`edge_probability`), and who answers (`final_answer`). Nothing else is: neither the
size for a given query, nor how far sizes spread, nor the tokens that a team spends. Agents answer
at temperature 0, as everybody does who is not told otherwise.

Conventions, since no paper fixes them:
 1. Roles are drawn without repetition until the pool is used up; then all may come again.
 2. An agent may read those before it, each with the same probability, so a graph is acyclic.
 3. As in MasHost a summary agent reads every agent and gives the answer, if `final_answer` asks for
    one; without it, or where it gives none, the last agent that has an answer does.
 4. A number of agents between two whole ones is met in the mean: for 2.3 there
    are 3 in 30% of the runs and 2 in the others.
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.configuration import read_config
from workers.core.methods.nearest import roles_of
from workers.core.methods.planned import run_planned
from workers.core.methods.seeds import uniform
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, TaskSpec


class RandomGraphConfig(BaseModel):
    """How large the graph is, and how dense."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: float = Field(
        default=4,
        ge=1,
        le=16,
        description=(
            "Agents in the mean, the summary not counted: 2.3 is 3 in 30% of the runs, else 2."
        ),
    )
    edge_probability: float = Field(
        default=0.5, ge=0, le=1, description="With which an agent reads each one before it."
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="summary",
        description=(
            "Who answers: a summary agent, which reads everybody, or the last agent that has an "
            "answer, without a further call."
        ),
    )


class RandomGraph:
    """Chance in place of a policy."""

    key = "random_graph"
    name = "Random graph"
    description = (
        "Roles and edges drawn by chance from the pool; a summary agent or the last one answers."
    )
    source = "baseline"
    needs_pool = True
    learns = False
    config_schema = RandomGraphConfig

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events · [the summary agent's] · intermediate_answer.

        Raises MethodError (no pool, every agent failed) and BudgetExceeded.
        """
        config = read_config(RandomGraphConfig, context.config)
        graph = drawn_graph(roles_of(context, self.name), config, seed=context.seed)
        summary = config.final_answer == "summary"
        events = run_planned(graph, query=task.query, context=context, summary=summary)
        async with aclosing(events):
            async for event in events:
                yield event


def drawn_graph(pool: tuple[RoleSpec, ...], config: RandomGraphConfig, *, seed: int) -> GraphSpec:
    """The same pool, configuration and seed give the same graph."""
    roles = _drawn_roles(pool, _drawn_size(config.agents, seed), seed)
    ids = [f"a{index + 1}" for index in range(len(roles))]
    edges = [
        Edge(source=source, target=target)
        for place, target in enumerate(ids)
        for source in ids[:place]
        if uniform(seed, f"edge:{source}:{target}") < config.edge_probability
    ]
    nodes = [AgentNode(id=agent_id, role=role) for agent_id, role in zip(ids, roles, strict=True)]
    return GraphSpec(nodes=tuple(nodes), edges=tuple(edges))


def _drawn_size(mean: float, seed: int) -> int:
    """One of the two whole numbers next to the mean, so often that the mean is met."""
    whole = math.floor(mean)
    return whole + (uniform(seed, "size") < mean - whole)


def _drawn_roles(pool: tuple[RoleSpec, ...], count: int, seed: int) -> list[RoleSpec]:
    rounds = -(-count // len(pool))
    drawn: list[RoleSpec] = []
    for turn in range(rounds):
        drawn += sorted(pool, key=lambda role: uniform(seed, f"role:{turn}:{role.key}"))
    return drawn[:count]
