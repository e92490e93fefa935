"""What a step was like, as numbers."""

import statistics
from collections.abc import Sequence

from workers.core.methods.at_grpo.trees import Group, Grown
from workers.core.rollouts.base import Ids

RUN = 4
"""Tokens."""


def sampled(grown: Grown, names: Sequence[str]) -> dict[str, float]:
    """`names`: the agents', in order."""
    episodes = grown.episodes
    metrics = {
        "solved": statistics.fmean(each.is_solved for each in episodes),
        "turns": statistics.fmean(each.turns for each in episodes),
        "reward": _reward(grown.groups),
    }
    for agent, name in enumerate(names):
        own = [group for group in grown.groups if group.agent == agent]
        if not own:
            continue
        metrics[f"reward_{name}"] = _reward(own)
        parts = _parts(own)
        for turn in {group.turn for group in own}:
            then = [group for group in own if group.turn == turn]
            told = {what: mean(then) for what, mean in OF_TURNS.items()}
            told |= dict.fromkeys(parts, 0.0) | _parts(then)
            metrics |= {f"{what}_{name}_turn_{turn + 1}": value for what, value in told.items()}
        metrics |= {f"{part}_{name}": mean for part, mean in parts.items()}
        metrics[f"flat_{name}"] = _flat(own)
        metrics[f"cut_{name}"] = _cut(own)
        metrics[f"repeated_{name}"] = statistics.fmean(
            _repeated(branch.sample.tokens) for group in own for branch in group.branches
        )
    return metrics


def _repeated(tokens: Ids) -> float:
    """The share of its runs of so many tokens that stood in the answer before: near 1, a collapsed
    policy says the same again and again."""
    runs = [tokens[at : at + RUN] for at in range(len(tokens) - RUN + 1)]
    return 1 - len(set(runs)) / len(runs) if runs else 0.0


def _parts(groups: Sequence[Group]) -> dict[str, float]:
    """Means over all branches; a branch without a part has 0 of it. Not weighted by α."""
    sums: dict[str, float] = {}
    branches = [branch for group in groups for branch in group.branches]
    for branch in branches:
        for part, value in (*branch.reward.team.items(), *branch.reward.local.items()):
            name = f"part_{part.replace(' ', '_')}"
            sums[name] = sums.get(name, 0.0) + value
    return {name: total / len(branches) for name, total in sums.items()}


def _reward(groups: Sequence[Group]) -> float:
    return statistics.fmean(branch.mixed for group in groups for branch in group.branches)


def _solved(groups: Sequence[Group]) -> float:
    """Over all branches, not only those that were taken: what one answer is worth."""
    return statistics.fmean(branch.solves for group in groups for branch in group.branches)


def _flat(groups: Sequence[Group]) -> float:
    return statistics.fmean(
        all(branch.advantage == 0 for branch in group.branches) for group in groups
    )


def _cut(groups: Sequence[Group]) -> float:
    return statistics.fmean(
        branch.sample.finish == "length" for group in groups for branch in group.branches
    )


def _entropy(groups: Sequence[Group]) -> float:
    """E[−log π] over the tokens that were sampled, with the temperature 1: no more than the
    samples is needed."""
    told = [one for group in groups for branch in group.branches for one in branch.sample.logprobs]
    return -statistics.fmean(told)


OF_TURNS = {"reward": _reward, "solved": _solved, "entropy": _entropy, "flat": _flat, "cut": _cut}
"""What each agent's curves of each turn tell, beside the parts of the reward."""
