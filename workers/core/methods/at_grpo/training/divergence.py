"""How far the policies have gone from where sampling began, and how far the trainer is from the
sampler, by agent and turn."""

from collections.abc import Sequence

from workers.core.methods.at_grpo.trees import Group, Grown
from workers.core.rollouts.base import PolicyEngine
from workers.core.training.divergence import COMPARED, differences, divergences


def of_turns(grown: Grown, engine: PolicyEngine, names: Sequence[str]) -> dict[str, float]:
    """Per token, the KL divergence, as `kl_AGENT_turn_N` and `kl_POLICY`, and the mean difference
    of log-probabilities, as `mismatch_AGENT_turn_N`. The weights must still be those that sampled.
    `names`: the agents', in order."""
    sums: dict[str, tuple[float, int]] = {}
    for policy in engine.policies:
        chosen = [group for group in _compared(grown.groups) if group.policy == policy]
        samples = [branch.sample for group in chosen for branch in group.branches]
        places = [group for group in chosen for _ in group.branches]
        gone = divergences(engine, policy, samples)
        apart = differences(engine, policy, samples)
        for group, sample, kl, mismatch in zip(places, samples, gone, apart, strict=True):
            place = f"{names[group.agent]}_turn_{group.turn + 1}"
            told = {f"kl_{place}": kl, f"kl_{policy}": kl, f"mismatch_{place}": mismatch}
            for name, value in told.items():
                total, tokens = sums.get(name, (0.0, 0))
                sums[name] = total + value, tokens + len(sample.tokens)
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
