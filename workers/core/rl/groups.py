"""Rewards relative to those of a group, as plain numbers (GRPO, arXiv 2402.03300)."""

import math
import statistics
from collections.abc import Sequence

DEVIATION_FLOOR = 1e-6


def relative(rewards: Sequence[float], counts: Sequence[int] | None = None) -> list[float]:
    """(r − mean) / (std + 1e-6) of each. It is 0 in a group of one, and where all are equal.

    `counts`: how many members each reward stands for; 0: none, and its own is 0, too.
    """
    weights = [1] * len(rewards) if counts is None else counts
    members = sum(weights)
    if not members:
        return [0.0] * len(rewards)
    weighted = list(zip(rewards, weights, strict=True))
    mean = math.fsum(reward * count for reward, count in weighted) / members
    variance = math.fsum(count * (reward - mean) ** 2 for reward, count in weighted) / members
    deviation = math.sqrt(variance)
    # Equal rewards differ from their mean by a rounding error, which would be blown up.
    if deviation < DEVIATION_FLOOR:
        return [0.0] * len(rewards)
    return [
        (reward - mean) / (deviation + DEVIATION_FLOOR) if count else 0.0
        for reward, count in weighted
    ]


def relative_in_step(groups: Sequence[Sequence[float]]) -> list[list[float]]:
    """(r − mean of its group) / (std + 1e-6), where std is one number: the root of the mean square
    of all differences, in groups whose rewards differ. So a group whose rewards hardly differ
    counts for little, and the advantages are as large on average as those of `relative`."""
    told = list(map(_centred, groups))
    differ = [each**2 for group in told if any(group) for each in group]
    deviation = math.sqrt(mean_or_zero(differ))
    return [[each / (deviation + DEVIATION_FLOOR) for each in group] for group in told]


def _centred(rewards: Sequence[float]) -> list[float]:
    # Equal rewards differ from their mean by a rounding error.
    if not rewards or statistics.pstdev(rewards) < DEVIATION_FLOOR:
        return [0.0] * len(rewards)
    mean = statistics.fmean(rewards)
    return [reward - mean for reward in rewards]


def mean_or_zero(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
