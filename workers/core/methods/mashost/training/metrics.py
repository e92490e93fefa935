"""The metrics of a training step's sample, by name. Names are the same in API, chart and file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import networkx
import torch
from torch import Tensor

from workers.core.intervals import share_interval
from workers.core.llm.meter import Meter
from workers.core.methods.mashost.training.credit import Credit
from workers.core.methods.mashost.training.rollouts import Sample
from workers.core.methods.mashost.training.systems import Sampled
from workers.core.methods.mashost.training.trajectory import shares_of
from workers.core.rl.advantages import deviation, group_mean
from workers.core.specs import GraphSpec, PoolSpec

EQUAL_REWARDS = 1e-6


def step_metrics(
    sample: Sample, credit: Credit, *, pool: PoolSpec, meter: Meter, action_term: bool
) -> dict[str, float]:
    """Metrics of a step's systems: means, and shares in 0..1. Tokens are prompt + completion.

    Queries count equally, and a query's system counts as often as it was drawn (`shares_of`). So
    the metrics are those of the sampling policy, although with `redraws` the systems are more
    varied. Systems that explored are only in `explored_better`: the share of them that earned more
    than their query's mean. `reward` is the mean of r_G (Eq. 4), of which `reward_price` is what
    right systems lost for their tokens: reward = 2 · accuracy − 1 − reward_price. `reward_action`,
    that of an action (Eq. 5), is there only if it is learned from. `redrawn` is the share of draws
    that were repeated. `endpoint_failures` is the share of agents that the endpoint failed; their
    systems do not count. `cost` (USD) counts kept answers like others, and is left out if prices or
    usage are unknown.
    """
    drawn = _Drawn(sample)
    actions = drawn.total(lambda system: len(system.trajectory.actions))
    agents = drawn.total(lambda system: system.agents)
    present = credit.layout.present
    return {
        "reward": float(credit.rewards @ drawn.shares) / drawn.count,
        "reward_price": drawn.mean(lambda system: system.trajectory.correct)
        - float(credit.rewards.clamp(min=0) @ drawn.shares) / drawn.count,
        "advantage_spread": float(
            deviation(credit.advantages[present], credit.layout.counts(credit.counts))
        ),
        **_accuracy(drawn, len(sample.groups)),
        "tokens": drawn.mean(lambda system: system.trajectory.tokens),
        "agents": drawn.mean(lambda system: len(system.graph.nodes)),
        "depth": drawn.mean(lambda system: graph_depth(system.graph)),
        "edges": drawn.mean(lambda system: len(system.graph.edges)),
        "actions": drawn.mean(lambda system: len(system.trajectory.actions)),
        "share_delete": drawn.total(lambda system: _taken(system, len(pool.roles))) / actions,
        "share_exit": drawn.total(lambda system: _taken(system, len(pool.roles) + 1)) / actions,
        "share_refused": drawn.total(lambda system: system.refused) / max(agents, 1),
        "zero_variance_groups": _zero_variance(
            credit.rewards.reshape(len(sample.groups), -1),
            drawn.shares.reshape(len(sample.groups), -1),
        ),
        "endpoint_failures": _failing(sample.systems),
        "endpoint_utilisation": meter.utilisation,
        # Absent if all of the sample was answered during the step before.
        **({"cache_hits": meter.cached / meter.answers} if meter.answers else {}),
        "unknown_usage": float(meter.unknown_usage),
        "redrawn": sample.redrawn / (len(sample.systems) + sample.redrawn),
        **(_action_reward(credit, drawn.shares, actions) if action_term else {}),
        **_explored_better(sample, credit.rewards, drawn.shares),
        **_cost(drawn),
        **_role_shares(drawn),
    }


def _accuracy(drawn: _Drawn, queries: int) -> dict[str, float]:
    """The mean over queries of the share of their systems that are right, each counted as often as
    it was drawn; not a share of all systems. With its 95% interval (Wilson), the query as the unit.
    A query whose systems do not count is left out."""
    right = torch.tensor([float(system.trajectory.correct) for system in drawn.systems])
    by_query = (queries, -1)
    counts = drawn.shares.reshape(by_query).sum(dim=1)
    there = counts > 0
    totals = (right * drawn.shares).reshape(by_query).sum(dim=1)
    shares = (totals[there] / counts[there]).tolist()
    interval = share_interval(shares, int((drawn.shares > 0).sum()))
    bounds = {"accuracy/low": interval.low, "accuracy/high": interval.high} if interval else {}
    return {"accuracy": sum(shares) / len(shares)} | bounds


def _action_reward(credit: Credit, shares: Tensor, actions: float) -> dict[str, float]:
    """The mean of r_M over the actions."""
    rewards = (credit.action_rewards * credit.layout.present).sum(dim=1)
    return {"reward_action": float(rewards @ shares) / actions}


class _Drawn:
    """The systems of a sample, each weighted by its share of its group."""

    def __init__(self, sample: Sample) -> None:
        self.systems = sample.systems
        groups = [[system.trajectory for system in group] for group in sample.groups]
        self.shares = shares_of(groups).flatten()  # (B·L,)
        self.count = float(self.shares.sum())

    def total(self, value: Callable[[Sampled], float]) -> float:
        """The sum over all of them: `count` times the mean."""
        values = torch.tensor([float(value(system)) for system in self.systems])
        return float(values @ self.shares)

    def mean(self, value: Callable[[Sampled], float]) -> float:
        return self.total(value) / self.count


def _taken(system: Sampled, action: int) -> int:
    return sum(taken.action == action for taken in system.trajectory.actions)


def _failing(systems: Sequence[Sampled]) -> float:
    failures = sum(len(system.failures) for system in systems)
    return failures / max(sum(system.agents for system in systems), 1)


def _explored_better(sample: Sample, rewards: Tensor, shares: Tensor) -> dict[str, float]:
    by_group = (len(sample.groups), -1)
    mean = group_mean(rewards.reshape(by_group), shares.reshape(by_group))
    better = (rewards.reshape(by_group) > mean + EQUAL_REWARDS).flatten()
    explored = torch.tensor(
        [s.trajectory.explored is not None and s.trajectory.draws > 0 for s in sample.systems]
    )
    return {"explored_better": float(better[explored].float().mean())} if explored.any() else {}


def _cost(drawn: _Drawn) -> dict[str, float]:
    if drawn.total(lambda system: system.cost is None):
        return {}
    return {"cost": drawn.mean(lambda system: system.cost or 0.0)}


def graph_depth(graph: GraphSpec) -> int:
    """Agents on the longest chain of reading; 0 for an empty graph."""
    drawn = networkx.DiGraph([(edge.source, edge.target) for edge in graph.edges])
    drawn.add_nodes_from(node.id for node in graph.nodes)
    return int(networkx.dag_longest_path_length(drawn)) + 1 if graph.nodes else 0


def _role_shares(drawn: _Drawn) -> dict[str, float]:
    """`role/KEY`: share of the agents that play the role, for played roles. For any other role it
    is 0."""
    played: defaultdict[str, float] = defaultdict(float)
    for system, share in zip(drawn.systems, drawn.shares.tolist(), strict=True):
        for node in system.graph.nodes:
            played[node.role.key] += share
    total = sum(played.values())
    return {f"role/{key}": count / total for key, count in sorted(played.items()) if count}


def _zero_variance(rewards: Tensor, counts: Tensor) -> float:
    """Share of the groups in which all counted systems earned the same. They teach nothing."""
    highest = rewards.where(counts > 0, -torch.inf).amax(dim=1)
    lowest = rewards.where(counts > 0, torch.inf).amin(dim=1)
    return float((highest - lowest < EQUAL_REWARDS).float().mean())
