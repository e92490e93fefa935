"""Accuracy at equal token budget: what each arm had answered rightly when b tokens were spent.

    accuracy(b) = mean over tasks of the share of repeats that are right and took at most b tokens

A cell's tokens are prompt + completion over all calls of its run. An answer that took more than b
counts as wrong at b, as if the run had been stopped there; nothing is run again under a smaller
budget, so a method that would have spent less if told to may do better than its curve. A right
answer whose tokens are unknown counts at no budget: the curve of such an arm is a lower bound, and
its `unknown_usage` says for how many cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workers.core.evaluation.cells import Cell
from workers.core.intervals import Interval, share_interval

POINTS = 16


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """`budget` in tokens per answer."""

    label: str
    budget: int
    accuracy: float
    interval: Interval | None


def at_equal_tokens(
    grouped: dict[str, list[Cell]], budgets: Sequence[int] | None = None
) -> list[BudgetPoint]:
    """One curve per arm over the same budgets, by default `budget_grid` of all cells."""
    if budgets is None:
        budgets = budget_grid([cell for cells in grouped.values() for cell in cells])
    return [point for label, cells in grouped.items() for point in _curve(label, cells, budgets)]


def budget_grid(cells: Sequence[Cell], points: int = POINTS) -> list[int]:
    """At most `points` budgets, evenly apart on a logarithmic scale, from the cheapest cell's
    tokens to the dearest's; each rounded up to two digits so that it reads well."""
    known = [tokens for cell in cells if (tokens := cell.tokens) is not None and tokens > 0]
    if not known:
        return []
    low, high = math.log(min(known)), math.log(max(known))
    steps = [low + (high - low) * place / (points - 1) for place in range(points)]
    # Rounded down first by a hair: exp(log(x)) may lie just above x.
    return sorted({_rounded_up(math.exp(step) * (1 - 1e-9)) for step in steps})


def _curve(label: str, cells: Sequence[Cell], budgets: Sequence[int]) -> Iterator[BudgetPoint]:
    """Arrays over the arm's judged cells: their task (C,), and what a right answer took (C,)."""
    judged = [cell for cell in cells if cell.judged]
    if not judged:
        return
    places = {task: place for place, task in enumerate(dict.fromkeys(c.task for c in judged))}
    task = np.array([places[cell.task] for cell in judged])
    took = np.array([_tokens_of_right(cell) for cell in judged])
    repeats = np.bincount(task)  # (T,)
    for budget in budgets:
        right = np.bincount(task[took <= budget], minlength=len(places))  # (T,)
        shares = (right / repeats).tolist()
        interval = share_interval(shares, len(judged))
        yield BudgetPoint(label, budget, math.fsum(shares) / len(shares), interval)


def _tokens_of_right(cell: Cell) -> float:
    """Infinite where the answer is wrong, or nobody knows what it took."""
    tokens = cell.tokens
    return tokens if cell.right and tokens is not None else math.inf


def _rounded_up(tokens: float) -> int:
    unit: int = 10 ** max(0, math.floor(math.log10(max(tokens, 1))) - 1)
    return math.ceil(tokens / unit) * unit
