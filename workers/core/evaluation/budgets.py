"""Accuracy at equal token budgets: the share of right answers that took at most b tokens.

    accuracy(b) = mean over tasks of the share of repeats that are right and took at most b tokens

A cell's tokens are prompt + completion over all calls of its run. An answer that took more than b
counts as wrong at b, as if the run had been stopped there. Nothing is run again under a smaller
budget, so a method that would save tokens under a limit may do better than its curve. A right
answer with unknown tokens counts at no budget. The curve of such an arm is a lower bound, and its
`unknown_usage` counts these cells.
"""

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


def budget_grid(cells: Sequence[Cell]) -> list[int]:
    """At most POINTS budgets, evenly spaced on a logarithmic scale, from the tokens of the
    cheapest cell to those of the most expensive one. Each is rounded up to two digits to read
    well."""
    known = [tokens for cell in cells if (tokens := cell.tokens) is not None and tokens > 0]
    if not known:
        return []
    low, high = math.log(min(known)), math.log(max(known))
    steps = [low + (high - low) * place / (POINTS - 1) for place in range(POINTS)]
    # Rounded down first by a hair: exp(log(x)) may lie just above x.
    return sorted({_rounded_up(math.exp(step) * (1 - 1e-9)) for step in steps})


def _curve(label: str, cells: Sequence[Cell], budgets: Sequence[int]) -> Iterator[BudgetPoint]:
    """Arrays over the arm's judged cells: their task (C,) and a right answer's tokens (C,)."""
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
    """The tokens; infinite if the answer is wrong or its tokens are unknown."""
    tokens = cell.tokens
    return tokens if cell.right and tokens is not None else math.inf


def _rounded_up(tokens: float) -> int:
    unit: int = 10 ** max(0, math.floor(math.log10(max(tokens, 1))) - 1)
    return math.ceil(tokens / unit) * unit
