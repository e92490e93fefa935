"""Checks what a run or a training of ReSo gets, before anything is asked."""

from collections.abc import Mapping

from workers.core.agents.database import AgentDatabase, AgentKey, Statistics
from workers.core.agents.scoring import Scoring
from workers.core.benchmarks.entry_points import entry_points
from workers.core.embed.base import Embedder
from workers.core.errors import MethodError
from workers.core.llm.types import ChatClient
from workers.core.mas.context import MethodContext
from workers.core.methods.reso.config import SearchConfig
from workers.core.specs import EndpointSpec, PoolSpec, Slug, TaskSpec
from workers.core.tools.base import Tool
from workers.core.training.context import TrainingContext


def embedder_of(embedder: Embedder | None) -> Embedder:
    if embedder is None:
        raise MethodError(
            code="no_embedder",
            message=(
                "ReSo compares subtasks with agents by their embeddings, but there is no embedder."
            ),
            remedy="Run it on a worker that has the sentence embedder.",
        )
    return embedder


def pool_of(pool: PoolSpec | None) -> PoolSpec:
    if pool is None or not pool.roles:
        raise MethodError(
            code="empty_pool",
            message="ReSo's agents are roles on endpoints, but the pool has no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    return pool


def endpoint_named(key: Slug | None, given: MethodContext | TrainingContext) -> EndpointSpec:
    """The endpoint with this key; None: the own one."""
    if key is None or key == given.endpoint.key:
        return given.endpoint
    if key not in given.endpoints:
        raise MethodError(
            code="unknown_endpoint",
            message=f"ReSo's settings name the endpoint “{key}”, which does not exist.",
            remedy="Remove it from the settings, or add the endpoint and ask again.",
        )
    return given.endpoints[key]


async def database_of(
    given: MethodContext | TrainingContext,
    config: SearchConfig,
    scoring: Scoring,
    known: Mapping[AgentKey, Statistics] | None = None,
) -> AgentDatabase:
    """The agents that the settings name. Raises MethodError."""
    named = [endpoint_named(key, given).key for key in config.endpoints]
    return await AgentDatabase.of(
        pool_of(given.pool),
        tuple(dict.fromkeys((given.endpoint.key, *named))),
        embedder=embedder_of(given.embedder),
        scoring=scoring,
        known=known,
        profiles=given.profiles,
    )


def solving(
    context: TrainingContext,
    client: ChatClient,
    task: TaskSpec,
    *,
    seed: int,
    tools: Mapping[str, Tool],
) -> MethodContext:
    """What the agents get that answer a task of a training."""
    return MethodContext(
        llm=client,
        endpoint=context.endpoint,
        endpoints=context.endpoints,
        seed=seed,
        budget=context.per_system,
        pool=context.pool,
        embedder=context.embedder,
        stream=False,
        answer_form=task.answer_form,
        entry_points=entry_points(task),
        tools=tools,
    )
