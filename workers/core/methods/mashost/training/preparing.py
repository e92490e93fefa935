"""Prepares what a training needs before its first step: weights, embeddings, endpoint, tasks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.core.checkpoints import CheckpointError, unusable
from workers.core.errors import MethodError
from workers.core.llm.cache import CachingClient
from workers.core.llm.meter import Meter
from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.policy import MasHostPolicy, initial_policy, with_feedback
from workers.core.methods.mashost.prepared import embedded_pool
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.learner import Learner
from workers.core.methods.mashost.training.rollouts import Rollouts
from workers.core.methods.mashost.training.state import progress_in
from workers.core.methods.mashost.training.systems import Endpoint, embed_queries
from workers.core.methods.mashost.weights import load_policy
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext
from workers.core.training.tasks import (
    indices_of,
    known_hashes,
    learned_from,
    require_tasks,
    task_digest,
)


@dataclass(frozen=True, slots=True)
class Parts:
    """`digest` changes with any task. `trained_on` are the hashes of what the weights will know or
    be chosen by, `held_out` those of them that they never learn from. `unseen` is as in
    `Progress`."""

    learner: Learner
    rollouts: Rollouts
    meter: Meter
    digest: str
    trained_on: tuple[str, ...]
    held_out: tuple[str, ...]
    unseen: bool


async def prepare(
    tasks: Sequence[TaskSpec], context: TrainingContext, config: MasHostTrainingConfig
) -> Parts:
    """Embed what is needed and load the weights. Raises MethodError."""
    require_tasks(tasks)
    embedder, pool = context.embedder, context.pool
    if embedder is None or pool is None or not pool.roles:
        raise MethodError(
            code="empty_pool",
            message="MasHost builds teams from a role pool, but this training has no roles.",
            remedy="Choose a pool with at least one enabled role.",
        )
    policy = await asyncio.to_thread(_first_policy, context, config)
    learner = Learner(
        config=config,
        pool=await embedded_pool(pool, policy.config, embedder),
        policy=policy,
        seed=context.seed,
        total_steps=config.steps,
    )
    meter = Meter(full=context.endpoint.max_concurrency)
    cached = CachingClient(meter.watching_requests(context.llm), context.cache)
    endpoint = Endpoint(
        client=meter.watching_answers(cached),
        spec=context.endpoint,
        embedder=embedder,
        pool=pool,
        budget=context.per_system,
        toolbox=context.toolbox,
    )
    before = progress_in(context.folder)
    unseen = before is None or before.unseen
    rollouts = Rollouts(
        tasks,
        await embed_queries(embedder, tasks),
        endpoint=endpoint,
        config=config,
        seed=context.seed,
        seen=indices_of(tasks, learned_from(context.start_from)) if unseen else (),
    )
    known, never_learned = known_hashes(tasks, rollouts.training, context.start_from)
    return Parts(
        learner=learner,
        rollouts=rollouts,
        meter=meter,
        digest=task_digest(tasks),
        trained_on=known,
        held_out=never_learned,
        unseen=unseen,
    )


def _first_policy(context: TrainingContext, config: MasHostTrainingConfig) -> MasHostPolicy:
    """The policy at the start: a checkpoint's, or an untrained one from the seed."""
    if context.start_from is not None:
        try:
            policy, _ = load_policy(Path(context.start_from))
        except CheckpointError as error:
            raise unusable(error) from error
        # Tensors as they are read are not writable in place.
        return _thawed(with_feedback(policy) if config.feedback_edges else policy)
    shape = PolicyConfig(hidden=config.hidden, layers=config.layers, feedback=config.feedback_edges)
    policy = initial_policy(
        seed=context.seed,
        config=shape,
        prior_weight=config.prior_weight,
        edge_prior_weight=config.edge_prior_weight,
    )
    return policy.train()


def _thawed(policy: MasHostPolicy) -> MasHostPolicy:
    """The policy without its scope: what it learns from next may be outside."""
    fresh = MasHostPolicy(policy.config.model_copy(update={"scope": False}))
    kept = fresh.state_dict()
    fresh.load_state_dict({name: policy.state_dict()[name] for name in kept})
    return fresh.train()
