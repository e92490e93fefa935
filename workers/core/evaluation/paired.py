"""Compares two arms on the same tasks: is the difference more than luck?

Legend: T tasks that both arms answered, p_t the share of a task's repeats that were right.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workers.core.intervals import RESAMPLES, Interval, percentile_interval, wilson


@dataclass(frozen=True, slots=True)
class Comparison:
    """`only_left`: tasks on which the left arm did better; with one repeat, those that only it
    answered right. `difference` is left minus right, with its interval."""

    n: int
    only_left: int
    only_right: int
    p_value: float | None
    difference: float | None
    interval: Interval | None


def mcnemar_exact(only_left: int, only_right: int) -> float:
    """Two-sided exact p-value of McNemar's test: twice the smaller tail of Binomial(n, ½), at most
    1, over the n tasks on which the arms differ. It is not the mid-p variant. 1 if they never
    differ.

    Source: Q. McNemar, Psychometrika 12 (1947), 153-157.
    """
    n, least = only_left + only_right, min(only_left, only_right)
    ways = tail = 1  # C(n, 0); each next one from the one before: anew they took half a minute
    for k in range(1, least + 1):
        ways = ways * (n - k + 1) // k
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def compare(
    left: Sequence[float], right: Sequence[float], *, resamples: int = RESAMPLES
) -> Comparison:
    """Both arms' p_t, in the same order of tasks.

    With several repeats the test is the sign test over tasks of p_t(left) − p_t(right). With one
    repeat this is McNemar's test. Repeats of a task never count as independent.
    """
    differences = [a - b for a, b in zip(left, right, strict=True)]
    if not differences:
        return Comparison(0, 0, 0, None, None, None)
    only_left = sum(difference > 0 for difference in differences)
    only_right = sum(difference < 0 for difference in differences)
    return Comparison(
        n=len(differences),
        only_left=only_left,
        only_right=only_right,
        p_value=mcnemar_exact(only_left, only_right),
        difference=math.fsum(differences) / len(differences),
        interval=paired_bootstrap(differences, resamples=resamples),
    )


def paired_bootstrap(
    differences: Sequence[float], *, resamples: int = RESAMPLES
) -> Interval | None:
    """Percentile bootstrap over tasks of the mean difference, each in [−1, 1].

    If all tasks have the same difference d, there is nothing to resample. Then at most a share u of
    all tasks differs from it, by Wilson's upper limit for 0 of T: [d − u(1 + d), d + u(1 − d)].
    """
    if not differences:
        return None
    values = np.asarray(differences, dtype=np.float64)
    if np.ptp(values) == 0:
        return _agreed(float(values[0]), len(values))
    return percentile_interval(values, resamples=resamples)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction of m p-values, in their order: the i-th smallest is multiplied by
    m − i + 1, never below the one before it, at most 1.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979), 65-70.
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _agreed(difference: float, tasks: int) -> Interval:
    limit = wilson(0, tasks)
    share = limit.high if limit else 1.0
    return Interval(difference - share * (1 + difference), difference + share * (1 - difference))
