"""Which answers of a step are learned from, and in which parts."""

import random
import statistics
from collections.abc import Sequence
from itertools import chain

from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig, GroupFilter
from workers.core.methods.at_grpo.trees import Group
from workers.core.rollouts.base import Weighted


def kept_groups(groups: Sequence[Group], by: GroupFilter, share: float) -> list[Group]:
    """Without the `share` of them that has the least deviation of rewards, in parts of their range,
    or the lowest mean. Their order stays."""
    leave = int(share * len(groups))
    if by == "none" or not leave:
        return list(groups)
    worth = _deviation if by == "deviation" else _mean
    left = set(sorted(range(len(groups)), key=lambda at: worth(groups[at]))[:leave])
    return [group for at, group in enumerate(groups) if at not in left]


def lessons(
    groups: Sequence[Group], policy: str, config: AtGrpoTrainingConfig, *, seed: int
) -> list[list[Weighted]]:
    """The answers of the policy in at most `updates` parts, none of which is empty. A group is in
    one part, so its prompt is computed once. Answers with advantage 0 are left out, and with them
    their KL term."""
    chosen = [
        answers
        for group in kept_groups(groups, config.filter_groups, config.filter_share)
        if group.policy == policy
        and (
            answers := [
                Weighted(branch.sample, branch.advantage)
                for branch in group.branches
                if branch.advantage
            ]
        )
    ]
    random.Random(f"{seed} {policy}").shuffle(chosen)  # noqa: S311  an order, no secret
    size = max(1, -(-len(chosen) // config.updates))
    parts = (chosen[start : start + size] for start in range(0, len(chosen), size))
    return [list(chain.from_iterable(part)) for part in parts]


def _deviation(group: Group) -> float:
    rewards = [branch.mixed for branch in group.branches]
    spread = max(rewards) - min(rewards)
    return statistics.pvariance(rewards) / spread**2 if spread else 0.0


def _mean(group: Group) -> float:
    return statistics.fmean(branch.mixed for branch in group.branches)
