"""How the policy does on tasks that it never trains on, answered as people are: without draws."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from workers.core.methods.base import MethodError
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.training.deciding import OwnRecorder
from workers.core.methods.mashost.training.systems import Endpoint, Judge, Sampled, sample_system
from workers.core.rl.rewards import system_reward
from workers.core.specs import TaskSpec

HELD_OUT_DRAW = 1
"""Beside the job's seed: the tasks held out are another draw than the order of the others."""


def split_tasks(count: int, held_out: int, *, seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Indices to train on, in order, and those held out. Raises MethodError when none is left."""
    if held_out >= count:
        raise MethodError(
            code="no_tasks",
            message=f"All {count} tasks are held out, so there is none to train on.",
            remedy="Lower held_out, or choose a split with more tasks.",
        )
    order = np.random.default_rng([seed, HELD_OUT_DRAW]).permutation(count)
    kept_back = sorted(int(index) for index in order[:held_out])
    return tuple(index for index in range(count) if index not in set(kept_back)), tuple(kept_back)


def at_inference(policy: MasHostPolicy, pool: PoolTensors, config: MasHostConfig) -> Constructor:
    """The policy as runs use it: the most probable role, edges by threshold."""
    fixed = {"greedy": True, "edge_mode": MasHostConfig().edge_mode}
    return Constructor(policy, pool, config.model_copy(update=fixed))


async def solve(
    task: TaskSpec, query: Tensor, *, endpoint: Endpoint, constructor: Constructor, judge: Judge
) -> Sampled:
    return await sample_system(
        task,
        query=query,
        endpoint=endpoint,
        constructor=constructor,
        decider=OwnRecorder(constructor, seed=0),
        judge=judge,
        keep=False,
    )


def held_out_metrics(systems: Sequence[Sampled], *, beta: float) -> dict[str, float]:
    trajectories = [system.trajectory for system in systems]
    rewards = system_reward(
        torch.tensor([trajectory.correct for trajectory in trajectories]),
        torch.tensor([trajectory.tokens for trajectory in trajectories]),
        beta=beta,
    )
    return {
        "held_out_reward": float(rewards.mean()),
        "held_out_accuracy": statistics.fmean(t.correct for t in trajectories),
        "held_out_tokens": statistics.fmean(t.tokens for t in trajectories),
        "held_out_agents": statistics.fmean(len(system.graph.nodes) for system in systems),
    }
