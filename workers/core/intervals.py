"""Confidence intervals for what an evaluation measures.

Legend: T tasks, R resamples. Every interval is two-sided, with 95% confidence by default.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 10_000
_FEW_VALUES = 16
_CHUNK_NUMBERS = 250_000
"""Resampled numbers in memory at once: 2 MB, which fits a processor's cache."""
_MOST_DRAWN = 50_000_000
_LEAST_RESAMPLES = 2_000

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson(successes: float, n: float, *, confidence: float = CONFIDENCE) -> Interval | None:
    """Wilson's score interval of a share; None without observations.

    `n` may be an effective number of observations (`effective_size`), so it need not be whole.
    Source: E. B. Wilson, JASA 22 (1927), 209-212.
    """
    if n <= 0:
        return None
    z2 = NormalDist().inv_cdf((1 + confidence) / 2) ** 2
    share = successes / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # At 0 and 1 the bound is the share itself; rounding must not put it beyond.
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    high = 1.0 if successes >= n else min(1.0, middle + half)
    return Interval(low, high)


@dataclass(frozen=True, slots=True)
class ShareSums:
    """Sums that a database makes of the T tasks' shares p_t: Σp_t and Σp_t², over `n` answers."""

    tasks: int
    total: float
    squares: float
    n: int

    @property
    def mean(self) -> float | None:
        return self.total / self.tasks if self.tasks else None


def sums_interval(sums: ShareSums) -> Interval | None:
    """`share_interval` of shares that are known only by their sums. Equal except for rounding."""
    if sums.mean is None:
        return None
    variance = max(0.0, sums.squares - sums.total * sums.mean) / sums.tasks**2
    size = _size(sums.mean, variance, sums.tasks, sums.n)
    return wilson(sums.mean * size, size)


def effective_size(shares: Sequence[float], n: int) -> float:
    """How many independent answers the n answers to T tasks are worth, between T and n.

    `shares` are the tasks' shares p_t of right answers over their repeats. With p their mean, the
    variance of p over tasks is v = Σ(p_t − p)² / T², and p(1 − p) / v independent answers would
    have the same. One repeat gives T. Repeats that always agree (temperature 0) also give T, so
    asking again makes nothing look more certain. Independent repeats give about n. If p is 0 or 1
    nothing can be estimated, and T is kept. Source: Kish's design effect; the interval of Korn &
    Graubard, Survey Methodology 24 (1998).
    """
    tasks = len(shares)
    if not tasks:
        return 0.0
    mean = sum(shares) / tasks
    return _size(mean, sum((share - mean) ** 2 for share in shares) / tasks**2, tasks, n)


def _size(mean: float, variance: float, tasks: int, n: int) -> float:
    if variance <= 0 or not 0 < mean < 1:
        return float(tasks if not 0 < mean < 1 else n)
    return min(float(n), max(float(tasks), mean * (1 - mean) / variance))


def share_interval(shares: Sequence[float], n: int) -> Interval | None:
    """Wilson's interval of the mean of the tasks' shares of right answers, `n` answers in all.

    With one answer per task it is exactly `wilson(right answers, T)`.
    """
    if not shares:
        return None
    size = effective_size(shares, n)
    return wilson(sum(shares) / len(shares) * size, size)


def bootstrap_mean(values: Sequence[float], *, resamples: int = RESAMPLES) -> Interval | None:
    """Percentile bootstrap of the mean of T values, one per task; None without any.

    The same values in the same order give the same result.
    """
    if not values:
        return None
    return percentile_interval(np.asarray(values, dtype=np.float64), resamples=resamples)


def percentile_interval(values: Values, *, resamples: int) -> Interval:
    """Of the means of R resamples of the T values."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(_resampled_means(values, resamples=resamples), [tail, 1 - tail])
    return Interval(float(low), float(high))


def _resampled_means(values: Values, *, resamples: int) -> Values:
    """Means of R resamples with replacement: (T,) → (R,).

    If few distinct values occur, it draws at once how often each is drawn. The distribution is the
    same, and for the differences of two arms, which are −1, 0 or 1, it is a hundred times faster.
    Otherwise, above 5,000 tasks R falls as T grows: 25,000 tasks took 6 s per arm, and the bounds
    move no more than with another seed.
    """
    generator = np.random.default_rng(0)
    tasks = len(values)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= _FEW_VALUES:
        often = generator.multinomial(tasks, counts / tasks, size=resamples)  # (R, U)
        means: Values = often @ distinct / tasks
        return means
    resamples = min(resamples, max(_LEAST_RESAMPLES, _MOST_DRAWN // tasks))
    rows = max(1, _CHUNK_NUMBERS // tasks)
    chunks = []
    for done in range(0, resamples, rows):
        drawn = generator.integers(0, tasks, size=(min(rows, resamples - done), tasks))
        chunks.append(values[drawn].mean(axis=1))
    return np.concatenate(chunks)
