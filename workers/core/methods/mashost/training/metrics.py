"""What a training step tells of its sample, by name. Names are the same in API, chart and file."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence

import networkx
import torch

from workers.core.llm.meter import Meter
from workers.core.methods.mashost.training.credit import Credit
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.specs import GraphSpec, PoolSpec

EQUAL_REWARDS = 1e-6


def step_metrics(
    sample: Sample, credit: Credit, *, pool: PoolSpec, meter: Meter
) -> dict[str, float]:
    """Means over the systems of a step. Shares are in 0..1; tokens are prompt + completion.

    With `redraws` they are those that are learned from, which are less alike than the policy's own;
    reward, accuracy and tokens count each as often as it was drawn, so they are the policy's.
    `redrawn` is a share. `cost` (USD) counts kept answers like others, and is left out where prices
    or usage are unknown.
    """
    systems = sample.systems
    actions = sum(len(system.trajectory.actions) for system in systems)
    kinds = _kinds(systems, len(pool.roles))
    agents = sum(system.agents for system in systems)
    present = credit.layout.present
    return {
        "reward": _as_drawn(systems, credit.rewards.tolist()),
        "reward_action": float(credit.action_rewards[present].mean()),
        "advantage_spread": float(credit.advantages[present].std(correction=0)),
        "accuracy": _as_drawn(systems, [system.trajectory.correct for system in systems]),
        "tokens": _as_drawn(systems, [system.trajectory.tokens for system in systems]),
        "agents": statistics.fmean(len(system.graph.nodes) for system in systems),
        "depth": statistics.fmean(graph_depth(system.graph) for system in systems),
        "edges": statistics.fmean(len(system.graph.edges) for system in systems),
        "actions": actions / len(systems),
        "share_delete": kinds["delete"] / actions,
        "share_exit": kinds["exit"] / actions,
        "share_refused": sum(system.refused for system in systems) / max(agents, 1),
        "zero_variance_groups": _zero_variance(credit.rewards.reshape(len(sample.groups), -1)),
        "endpoint_utilisation": meter.utilisation,
        "cache_hits": meter.cached / max(meter.answers, 1),
        "unknown_usage": float(meter.unknown_usage),
        "redrawn": sample.redrawn / len(systems),
        **_costs(systems),
        **_role_shares(systems),
    }


def _as_drawn(systems: Sequence[Sampled], values: Sequence[float]) -> float:
    return statistics.fmean(values, [system.trajectory.draws for system in systems])


def _costs(systems: Sequence[Sampled]) -> dict[str, float]:
    costs = [system.cost for system in systems if system.cost is not None]
    return {"cost": statistics.fmean(costs)} if len(costs) == len(systems) else {}


def graph_depth(graph: GraphSpec) -> int:
    """Agents on the longest chain of reading; 0 for an empty graph."""
    drawn = networkx.DiGraph([(edge.source, edge.target) for edge in graph.edges])
    drawn.add_nodes_from(node.id for node in graph.nodes)
    return int(networkx.dag_longest_path_length(drawn)) + 1 if graph.nodes else 0


def _kinds(systems: Sequence[Sampled], roles: int) -> Counter[str]:
    names = {roles: "delete", roles + 1: "exit"}
    return Counter(
        names.get(action.action, "add")
        for system in systems
        for action in system.trajectory.actions
    )


def _role_shares(systems: Sequence[Sampled]) -> dict[str, float]:
    """`role/KEY`: share of the agents that play the role, for the roles that anybody plays."""
    played = Counter(node.role.key for system in systems for node in system.graph.nodes)
    total = sum(played.values())
    return {f"role/{key}": count / total for key, count in sorted(played.items())}


def _zero_variance(rewards: torch.Tensor) -> float:
    """Share of the groups whose systems all earned the same: they teach nothing."""
    spread = rewards.amax(dim=1) - rewards.amin(dim=1)
    return float((spread < EQUAL_REWARDS).float().mean())
