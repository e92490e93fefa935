"""How the policy does on tasks that it never trains on, answered as people are: without draws."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Sequence

import numpy as np
import torch

from workers.core.methods.base import MethodError
from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.rl.rewards import system_reward

HELD_OUT_DRAW = 1
"""Beside the job's seed: the tasks held out are another draw than the order of the others."""


def split_tasks(
    count: int, held_out: int, *, seed: int, seen: Collection[int] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Indices to train on, in order, and those held out, none of which is in `seen`. Raises
    MethodError when there are too few for either."""
    if held_out >= count:
        raise MethodError(
            code="no_tasks",
            message=f"All {count} tasks are held out, so there is none to train on.",
            remedy="Lower held_out, or choose a split with more tasks.",
        )
    order = np.random.default_rng([seed, HELD_OUT_DRAW]).permutation(count).tolist()
    unseen = [index for index in order if index not in seen]
    if held_out > len(unseen):
        raise MethodError(
            code="too_few_unseen",
            message=(
                f"{held_out} tasks are to be held out, but the checkpoint that the training starts "
                f"from has learned from all but {len(unseen)} of the {count}."
            ),
            remedy=(
                f"Set held_out to {len(unseen)} or less, choose tasks that the checkpoint has not "
                "learned from, or start from an untrained policy."
            ),
        )
    kept_back = frozenset(unseen[:held_out])
    return tuple(sorted(frozenset(order) - kept_back)), tuple(sorted(kept_back))


def inference_config(config: MasHostConfig) -> MasHostConfig:
    """As runs do it: the most probable role, edges by threshold."""
    return config.model_copy(update={"greedy": True, "edge_mode": MasHostConfig().edge_mode})


def at_inference(policy: MasHostPolicy, pool: PoolTensors, config: MasHostConfig) -> Constructor:
    """The policy as runs use it."""
    return Constructor(policy, pool, inference_config(config))


def held_out_metrics(systems: Sequence[Sampled], *, beta: float) -> dict[str, float]:
    """Over the tasks that the endpoint answered: a system that it failed says nothing of the
    policy, and the best checkpoint is chosen by these. At least one system was not failed."""
    systems = [system for system in systems if not (system.late or system.failures)]
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
