"""Measures the policy on held-out tasks, answered as in runs: without draws."""

import statistics
from collections.abc import Sequence

import torch

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.construct import Constructor
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.rl.rewards import system_reward
from workers.core.training.tasks import share_metrics


def inference_config(config: MasHostConfig) -> MasHostConfig:
    """The config of runs: the most probable role, edges by threshold."""
    return config.model_copy(update={"greedy": True, "edge_mode": MasHostConfig().edge_mode})


def at_inference(policy: MasHostPolicy, pool: PoolTensors, config: MasHostConfig) -> Constructor:
    return Constructor(policy, pool, inference_config(config))


def held_out_metrics(systems: Sequence[Sampled], *, beta: float) -> dict[str, float]:
    """Metrics over the tasks that the endpoint answered: a system that it failed says nothing about
    the policy, and these metrics choose the best checkpoint. At least one system must not have
    failed."""
    systems = [system for system in systems if not (system.late or system.failures)]
    trajectories = [system.trajectory for system in systems]
    rewards = system_reward(
        torch.tensor([trajectory.correct for trajectory in trajectories]),
        torch.tensor([trajectory.tokens for trajectory in trajectories]),
        beta=beta,
    )
    return {
        "held_out_reward": float(rewards.mean()),
        **share_metrics("held_out_accuracy", [t.correct for t in trajectories]),
        "held_out_tokens": statistics.fmean(t.tokens for t in trajectories),
        "held_out_agents": statistics.fmean(len(system.graph.nodes) for system in systems),
    }
