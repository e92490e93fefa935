"""Prepares what a construction starts from: the policy, the pool's tensors, the query's
embedding."""

import asyncio
from dataclasses import dataclass

import torch
from torch import Tensor

from workers.core.checkpoints import CheckpointError, unusable
from workers.core.embed.base import Embedder
from workers.core.errors import MethodError
from workers.core.mas.context import MethodContext
from workers.core.methods.mashost.config import MasHostConfig, PolicyConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.initial import INITIAL
from workers.core.methods.mashost.policy import EmbeddedPool, Phrases
from workers.core.methods.mashost.weights import LoadedPolicy, PolicyCache
from workers.core.specs import PoolSpec, TaskSpec


@dataclass(frozen=True, slots=True)
class Prepared:
    constructor: Constructor
    pool: PoolSpec
    query: Tensor  # (D,)
    embedder: Embedder
    out_of_scope: bool = False
    """The untrained policy decides, because the query is unlike those that the checkpoint learned
    from."""


async def prepare(
    cache: PolicyCache,
    pool: PoolSpec,
    config: MasHostConfig,
    *,
    task: TaskSpec,
    context: MethodContext,
) -> Prepared:
    """Load the policy, embed the query and, once per pool, its roles. Raises MethodError."""
    if context.embedder is None:
        raise MethodError(
            code="no_embedder",
            message="MasHost compares roles by their embeddings, but this run has no embedder.",
            remedy="Run it on a worker that has the sentence embedder.",
        )
    try:
        loaded = await asyncio.to_thread(
            cache.policy, context.checkpoint, feedback=config.feedback_edges
        )
    except CheckpointError as error:
        remedy = f"Choose another checkpoint. “{INITIAL}” is the untrained one."
        raise unusable(error, remedy) from error
    _require_dimension(loaded, context.embedder)
    query = torch.from_numpy((await context.embedder.embed([task.query]))[0].copy())
    out_of_scope = not loaded.policy.covers(query)
    if out_of_scope:
        loaded = await asyncio.to_thread(cache.policy, None, feedback=config.feedback_edges)
    tensors = cache.find_pool(loaded, pool)
    if tensors is None:
        embedded = await embedded_pool(pool, loaded.policy.config, context.embedder)
        tensors = await asyncio.to_thread(cache.keep_pool, loaded, pool, embedded)
    return Prepared(
        constructor=Constructor(loaded.policy, tensors, config),
        pool=pool,
        query=query,
        embedder=context.embedder,
        out_of_scope=out_of_scope,
    )


def _require_dimension(loaded: LoadedPolicy, embedder: Embedder) -> None:
    wanted = loaded.policy.config.embedding_dimension
    if embedder.dimension != wanted:
        raise MethodError(
            code="wrong_dimension",
            message=(
                f"The policy reads embeddings of {wanted} numbers, but this embedder gives "
                f"{embedder.dimension}."
            ),
            remedy="Choose a checkpoint that was trained with this embedder.",
        )


async def embedded_pool(pool: PoolSpec, config: PolicyConfig, embedder: Embedder) -> EmbeddedPool:
    profiles = await embedder.embed([role.profile() for role in pool.roles])
    anchors = await embedder.embed(list(config.anchors))
    phrases = await _embedded_phrases(pool, embedder) if config.phrases else None
    return EmbeddedPool(torch.from_numpy(profiles), torch.from_numpy(anchors), phrases)


async def _embedded_phrases(pool: PoolSpec, embedder: Embedder) -> Phrases | None:
    """The roles' phrases; None if no description has any."""
    phrases = [role.phrases() for role in pool.roles]
    texts = [text for own in phrases for text in own]
    if not texts:
        return None
    whose = [position for position, own in enumerate(phrases) for _ in own]
    return Phrases(torch.from_numpy(await embedder.embed(texts)), torch.tensor(whose))
