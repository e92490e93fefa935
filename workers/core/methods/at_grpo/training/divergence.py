"""How far the policies have gone from where sampling began, by agent and turn."""

from collections.abc import Sequence

import torch

from workers.core.methods.at_grpo.trees import Group, Grown
from workers.core.rl.tokens import kl_estimate
from workers.core.rollouts.base import PolicyEngine

COMPARED = 16
"""At least so many answers of each agent in each turn are compared, if there are: whole groups, so
that a prompt is computed once."""


def divergences(grown: Grown, engine: PolicyEngine, names: Sequence[str]) -> dict[str, float]:
    """The KL divergence of the policy that sampled from the starting one, per token (k3), as
    `kl_AGENT_turn_N` and `kl_POLICY`. `names`: the agents', in order."""
    sums: dict[str, tuple[float, int]] = {}
    for policy in engine.policies:
        chosen = [group for group in _compared(grown.groups) if group.policy == policy]
        samples = [branch.sample for group in chosen for branch in group.branches]
        places = [group for group in chosen for _ in group.branches]
        started = engine.start_logprobs(policy, samples) if samples else []
        for group, sample, start in zip(places, samples, started, strict=True):
            told = kl_estimate(torch.tensor(sample.logprobs), torch.tensor(start))
            for name in (f"kl_{names[group.agent]}_turn_{group.turn + 1}", f"kl_{policy}"):
                total, tokens = sums.get(name, (0.0, 0))
                sums[name] = total + float(told.sum()), tokens + len(sample.tokens)
    return {name: total / tokens for name, (total, tokens) in sums.items()}


def _compared(groups: Sequence[Group]) -> list[Group]:
    chosen, counts = [], dict[tuple[int, int], int]()
    for group in groups:
        place = group.agent, group.turn
        if counts.get(place, 0) < COMPARED:
            counts[place] = counts.get(place, 0) + len(group.branches)
            chosen.append(group)
    return chosen
