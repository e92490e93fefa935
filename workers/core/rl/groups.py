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


def mean_or_zero(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
