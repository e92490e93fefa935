"""How far the policies have gone from where sampling began, by agent and turn."""

from collections.abc import Sequence

from workers.core.methods.at_grpo.trees import Group, Grown
from workers.core.rollouts.base import PolicyEngine
from workers.core.training.divergence import COMPARED, divergences


def of_turns(grown: Grown, engine: PolicyEngine, names: Sequence[str]) -> dict[str, float]:
    """The KL divergence per token, as `kl_AGENT_turn_N` and `kl_POLICY`. `names`: the agents', in
    order."""
    sums: dict[str, tuple[float, int]] = {}
    for policy in engine.policies:
        chosen = [group for group in _compared(grown.groups) if group.policy == policy]
        samples = [branch.sample for group in chosen for branch in group.branches]
        places = [group for group in chosen for _ in group.branches]
        told = divergences(engine, policy, samples)
        for group, sample, apart in zip(places, samples, told, strict=True):
            for name in (f"kl_{names[group.agent]}_turn_{group.turn + 1}", f"kl_{policy}"):
                total, tokens = sums.get(name, (0.0, 0))
                sums[name] = total + apart, tokens + len(sample.tokens)
    return {name: total / tokens for name, (total, tokens) in sums.items()}


def _compared(groups: Sequence[Group]) -> list[Group]:
    """Of each agent in each turn. Whole groups: their prompt is computed once."""
    chosen, counts = [], dict[tuple[int, int], int]()
    for group in groups:
        place = group.agent, group.turn
        if counts.get(place, 0) < COMPARED:
            counts[place] = counts.get(place, 0) + len(group.branches)
            chosen.append(group)
    return chosen
