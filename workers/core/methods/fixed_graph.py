"""Fixed graph: a chain, star or tree of roles, the same for every query.

The topologies that multi-agent papers compare with (Qian et al., arXiv 2406.07155): for every
question the agents are in the same order, and one of them answers.

    chain   a1 → a2 → … → an        each reads the one before
    star    a1, a2, … → an          one reads all others
    tree    leaves → … → an         each reads up to `branching` others, one is the root

Deviations:
 1. Edges lead to one agent, which reads and answers last. In the paper's star and tree it also
    sends messages. Here a graph is acyclic and each agent speaks once.
 2. Without named roles the agents play the roles nearest to the query by their embeddings; the
    nearest one answers. The same query always gets the same graph.
 3. If the answering agent gives no answer, the last agent before it with one answers.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from workers.core.errors import MethodError
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Options
from workers.core.methods.configuration import read_config
from workers.core.methods.nearest import nearest_roles, pool_of
from workers.core.methods.planned import run_planned
from workers.core.specs import AgentNode, Edge, GraphSpec, PoolSpec, RoleSpec, TaskSpec

Shape = Literal["chain", "star", "tree"]
MAX_AGENTS = 16


class FixedGraphConfig(BaseModel):
    """The graph's shape, size and roles."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shape: Shape = Field(
        default="chain",
        description=(
            "Shape of the graph. chain: each agent reads the one before. star: one agent reads "
            "all others. tree: each agent reads up to “branching” others."
        ),
    )
    agents: int = Field(
        default=3, ge=1, le=MAX_AGENTS, description="Number of agents if no roles are named."
    )
    branching: int = Field(
        default=2, ge=2, le=8, description="Most agents that one agent of a tree reads."
    )
    roles: str = Field(
        default="",
        max_length=2_000,
        description=(
            "Role keys separated by commas, the answering one last. Empty: the roles nearest to "
            "the query."
        ),
    )

    @field_validator("roles")
    @classmethod
    def _not_too_many(cls, value: str) -> str:
        if len(_keys(value)) > MAX_AGENTS:
            raise ValueError(f"a graph can have at most {MAX_AGENTS} roles")
        return value

    @property
    def role_keys(self) -> tuple[str, ...]:
        return _keys(self.roles)


class FixedGraph:
    """A graph that is planned before the question."""

    key = "fixed_graph"
    name = "Fixed graph"
    description = "A chain, star or tree of roles, the same for every question."
    source = "arXiv:2406.07155"
    needs_pool = True
    learns = False
    config_schema = FixedGraphConfig

    def tools(self, options: Options, pool: PoolSpec | None) -> set[str]:
        keys = _keys(options.get("roles", ""))
        roles = pool.roles if pool else ()
        return {tool for role in roles if not keys or role.key in keys for tool in role.tools}

    async def solve(self, task: TaskSpec, context: MethodContext) -> AsyncGenerator[Event]:
        """graph_planned · the agents' events, interleaved · intermediate_answer.

        Raises MethodError (no pool, a role that the pool does not have, no embedder, every agent
        failed) and BudgetExceeded.
        """
        config = read_config(FixedGraphConfig, context.config)
        pool = pool_of(context, self.name).roles
        if config.role_keys:
            roles = named_roles(config.role_keys, pool)
        else:
            nearest = await nearest_roles(pool, task.query, context, count=config.agents)
            roles = nearest[::-1]
        graph = shaped(config.shape, roles, branching=config.branching)
        events = run_planned(graph, query=task.query, context=context, summary=False)
        async with aclosing(events):
            async for event in events:
                yield event


def named_roles(keys: tuple[str, ...], pool: tuple[RoleSpec, ...]) -> tuple[RoleSpec, ...]:
    """Raises MethodError `unknown_role`, which names the first key that is not in the pool."""
    known = {role.key: role for role in pool}
    unknown = next((key for key in keys if key not in known), None)
    if unknown is not None:
        raise MethodError(
            code="unknown_role",
            message=f"The pool has no role “{unknown[:63]}”.",
            remedy=f"Use these roles: {', '.join(known)}.",
        )
    return tuple(known[key] for key in keys)


def shaped(shape: Shape, roles: tuple[RoleSpec, ...], *, branching: int = 2) -> GraphSpec:
    """One agent for each role, a1 first. All edges lead to the last one."""
    count = len(roles)
    match shape:
        case "chain":
            reader = {place: place + 1 for place in range(count - 1)}
        case "star":
            reader = dict.fromkeys(range(count - 1), count - 1)
        case "tree":
            # numbered from the root up to the leaves, the parent of i is (i − 1) // branching
            reader = {
                place: count - 1 - (count - 2 - place) // branching for place in range(count - 1)
            }
    return GraphSpec(
        nodes=tuple(AgentNode(id=f"a{i + 1}", role=role) for i, role in enumerate(roles)),
        edges=tuple(Edge(source=f"a{i + 1}", target=f"a{j + 1}") for i, j in reader.items()),
    )


def _keys(text: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in text.split(",") if key.strip())
