"""Random graph: roles and edges drawn from the run's seed. Every learned graph must beat it.

A policy's teams must beat random teams from the same pool. Three settings can match a policy's
teams: the mean number of agents over many runs (`agents`), the mean share of the possible edges
(`edge_probability`), and who answers (`final_answer`). Nothing else matches: not the size for a
given query, not the spread of sizes, and not the tokens that a team spends. Agents answer at
temperature 0, the default.

Conventions, since no paper fixes them:
 1. Roles are drawn without repetition until the pool is used up. Then all may come again.
 2. An agent may read those before it, each with the same probability. So a graph is acyclic.
 3. As in MasHost, a summary agent reads every agent and gives the answer if `final_answer` says so.
    Without it, or if it has no answer, the last agent with an answer gives it.
 4. A fractional number of agents holds on average: for 2.3 there are 3 in 30% of the runs and 2 in
    the others.
"""

import math
from collections.abc import AsyncGenerator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.configuration import read_config
from workers.core.methods.nearest import pool_of
from workers.core.methods.planned import run_planned
from workers.core.methods.seeds import uniform
from workers.core.specs import AgentNode, Edge, GraphSpec, RoleSpec, TaskSpec


class RandomGraphConfig(BaseModel):
    """The graph's size and density."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: float = Field(
        default=4,
        ge=1,
        le=16,
        description=(
            "Mean number of agents, without the summary agent. 2.3 means 3 in 30% of the runs "
            "and 2 otherwise."
        ),
    )
    edge_probability: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Probability with which an agent reads each earlier agent.",
    )
    final_answer: Literal["agent", "summary"] = Field(
        default="summary",
        description=(
            "Who gives the answer: a summary agent that reads all agents, or the last agent "
            "with an answer, which needs no extra call."
        ),
    )


class RandomGraph:
    """Random choices instead of a policy."""

    key = "random_graph"
    name = "Random graph"
    description = (
        "Roles and edges are drawn at random from the pool. A summary agent or the last agent "
        "answers."
    )
    source = "baseline"
    needs_pool = True
    learns = False
    config_schema = RandomGraphConfig

    def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events · [the summary agent's] · intermediate_answer.

        Raises MethodError (no pool, every agent failed) and BudgetExceeded.
        """
        config = read_config(RandomGraphConfig, context.config)
        graph = drawn_graph(pool_of(context, self.name).roles, config, seed=context.seed)
        summary = config.final_answer == "summary"
        return run_planned(graph, query=task.query, context=context, summary=summary)


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
    """One of the two whole numbers next to the mean, drawn so that the mean holds."""
    whole = math.floor(mean)
    return whole + (uniform(seed, "size") < mean - whole)


def _drawn_roles(pool: tuple[RoleSpec, ...], count: int, seed: int) -> list[RoleSpec]:
    rounds = -(-count // len(pool))
    drawn: list[RoleSpec] = []
    for turn in range(rounds):
        drawn += sorted(pool, key=lambda role: uniform(seed, f"role:{turn}:{role.key}"))
    return drawn[:count]
