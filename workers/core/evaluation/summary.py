"""Summarises an evaluation: each arm, every pair of arms, and arms at equal token budgets and by
domain.

Accuracy is the mean over tasks of the share of right answers over repeats; with code tasks that is
pass@1. Failed cells count as wrong. A task that can't be judged is left out for every arm.
Otherwise an arm that failed on it would look worse than one that answered. Repeats of one task are
not independent, so intervals and tests take the task as the unit. The same cells give the same
numbers to the last digit, in any order and at any time.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from workers.core.evaluation.budgets import BudgetPoint, at_equal_tokens
from workers.core.evaluation.cells import (
    Cell,
    by_arm,
    comparable,
    mean,
    task_means,
    task_shares,
)
from workers.core.evaluation.cuts import CutCounts
from workers.core.evaluation.domains import DomainShare, by_domain
from workers.core.evaluation.paired import compare, holm
from workers.core.intervals import Interval, bootstrap_mean, share_interval


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """One arm. `n` judged cells over `tasks` tasks, of which `correct` are right.

    Means of tokens, cost (USD) and seconds are over the cells that report them, first within a
    task, then over tasks; None if none does. Seconds are only of the `timed` cells. `cached` cells
    got something from the store of answers; an arm that asks second would look faster.
    `unknown_usage` counts the cells without tokens, `unjudged` those of tasks that could not be
    judged, `failures` those without an answer, and `out_of_time` those of these that reached their
    time limit. `replies` and `finals` are models' replies and final answers, with the number cut at
    their token limit and its share; None and 0: unknown. `cuts_unknown` counts the cells where that
    is unknown, `own_temperature` those for which a server used its own temperature instead of the
    arm's.
    """

    label: str
    n: int
    tasks: int
    correct: int
    accuracy: float | None
    interval: Interval | None
    reward_mean: float | None
    tokens_mean: float | None
    tokens_interval: Interval | None
    cost_mean: float | None
    seconds_mean: float | None
    seconds_median: float | None
    seconds_p95: float | None
    timed: int
    cached: int
    failures: int
    out_of_time: int
    unjudged: int
    unknown_usage: int
    replies: int
    cut_replies: int
    cut_share: float | None
    finals: int
    cut_finals: int
    cut_final_share: float | None
    cuts_unknown: int
    own_temperature: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two arms on the `n` tasks on which both were judged; see `paired.Comparison`.

    `holm_p` is `mcnemar_p` corrected for all pairs tested together.
    """

    left: str
    right: str
    n: int
    only_left: int
    only_right: int
    mcnemar_p: float | None
    holm_p: float | None
    difference: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Summary:
    """`unjudged_tasks`: left out of every accuracy, pair and curve, for all arms. `domains` is
    empty if all tasks are of one domain; see `by_domain`."""

    arms: tuple[ArmSummary, ...]
    pairs: tuple[Pair, ...]
    at_equal_tokens: tuple[BudgetPoint, ...]
    unjudged_tasks: int = 0
    domains: tuple[DomainShare, ...] = ()
    domains_left_out: int = 0


def summarise(cells: Iterable[Cell], arms: Sequence[str]) -> Summary:
    """`arms` in the order to show. KeyError for a cell of an arm that is not among them."""
    marked, unjudged_tasks = comparable(cells)
    grouped = by_arm(marked, arms)
    domains, left_out = by_domain(grouped)
    return Summary(
        arms=tuple(arm_summary(label, group) for label, group in grouped.items()),
        pairs=tuple(_all_pairs(grouped)),
        at_equal_tokens=tuple(at_equal_tokens(grouped)),
        unjudged_tasks=unjudged_tasks,
        domains=domains,
        domains_left_out=left_out,
    )


def arm_summary(label: str, cells: Sequence[Cell]) -> ArmSummary:
    judged = [cell for cell in cells if cell.judged]
    shares = list(task_shares(cells).values())
    tokens = task_means(cells, "tokens")
    cuts = cut_counts(cells)
    times = [latency for cell in cells if (latency := cell.latency) is not None]
    return ArmSummary(
        label=label,
        n=len(judged),
        tasks=len(shares),
        correct=sum(cell.right for cell in judged),
        accuracy=mean(shares),
        interval=share_interval(shares, len(judged)),
        reward_mean=mean(task_means(judged, "reward")),
        tokens_mean=mean(tokens),
        tokens_interval=bootstrap_mean(tokens),
        cost_mean=mean(task_means(cells, "cost")),
        seconds_mean=mean(task_means(cells, "latency")),
        seconds_median=statistics.median(times) if times else None,
        seconds_p95=float(np.quantile(times, 0.95)) if times else None,
        timed=len(times),
        cached=sum(bool(cell.cached_share) for cell in cells),
        failures=sum(cell.failed for cell in cells),
        out_of_time=sum(cell.out_of_time for cell in cells),
        unjudged=sum(not cell.judged for cell in cells),
        unknown_usage=sum(cell.tokens is None for cell in cells),
        replies=cuts.replies,
        cut_replies=cuts.cut_replies,
        cut_share=cuts.share,
        finals=cuts.finals,
        cut_finals=cuts.cut_finals,
        cut_final_share=cuts.final_share,
        cuts_unknown=sum(cell.replies is None for cell in cells),
        own_temperature=sum(bool(cell.own_temperature) for cell in cells),
    )


def cut_counts(cells: Iterable[Cell]) -> CutCounts:
    told = [cell for cell in cells if cell.replies is not None]
    finals = [cell.final_cut for cell in told if cell.final_cut is not None]
    return CutCounts(
        replies=sum(cell.replies or 0 for cell in told),
        cut_replies=sum(cell.cut_replies or 0 for cell in told),
        finals=len(finals),
        cut_finals=sum(finals),
    )


def _all_pairs(grouped: dict[str, list[Cell]]) -> list[Pair]:
    shares = {label: task_shares(cells) for label, cells in grouped.items()}
    return holm_corrected([pair_of(a, b, shares) for a, b in combinations(grouped, 2)])


def pair_of(left: str, right: str, shares: dict[str, dict[str, float]]) -> Pair:
    """The pair on the tasks that both arms have. `holm_p` is not known here."""
    common = sorted(shares[left].keys() & shares[right].keys())
    found = compare(
        [shares[left][task] for task in common], [shares[right][task] for task in common]
    )
    return Pair(
        left=left,
        right=right,
        n=found.n,
        only_left=found.only_left,
        only_right=found.only_right,
        mcnemar_p=found.p_value,
        holm_p=None,
        difference=found.difference,
        interval=found.interval,
    )


def holm_corrected(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with `holm_p`, for the number of comparisons tested."""
    tested = [pair.mcnemar_p for pair in pairs if pair.mcnemar_p is not None]
    corrected = iter(holm(tested))
    return [
        replace(pair, holm_p=next(corrected)) if pair.mcnemar_p is not None else pair
        for pair in pairs
    ]
