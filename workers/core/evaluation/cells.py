"""One answer of an evaluation, and the views of many that every statistic is made from."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Cell:
    """One task answered once by one arm.

    `failed`: the run gave no answer because of an error, a time-out or a spent budget. Such a cell
    counts as wrong, and among the failures. `correct` None on one that did not fail: the verifier
    could not judge it. `judgeable` False: nobody judges answers to this task, right, wrong or
    failed. Both are left out of every accuracy; see `comparable`. Tokens and `cost` (USD) are None
    where the server did not report them, which is unknown and never 0. `cached_share`: of its
    calls, those that kept answers gave; then `seconds` say nothing about how long an answer takes.
    `out_of_time`: it failed because its seconds were over, which a busy endpoint does as well.
    `replies` counts what models said in it, of which `cut_replies` stopped at their token limit;
    `final_cut` says whether the answer is from one of these. `own_temperature`: a server answered
    at its own temperature instead of the one asked for. None: unknown.
    `domain` is its task's subject or level, empty where the dataset says none.
    """

    arm: str
    task: str
    repeat: int = 0
    correct: bool | None = None
    reward: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    failed: bool = False
    cached_share: float | None = None
    judgeable: bool = True
    out_of_time: bool = False
    domain: str = ""
    replies: int | None = None
    cut_replies: int | None = None
    final_cut: bool | None = None
    own_temperature: bool | None = None

    @property
    def tokens(self) -> int | None:
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens

    @property
    def latency(self) -> float | None:
        """`seconds`, where every call went to the endpoint, as far as is known."""
        return None if self.cached_share else self.seconds

    @property
    def judged(self) -> bool:
        return self.judgeable and (self.failed or self.correct is not None)

    @property
    def right(self) -> bool:
        return bool(self.correct) and not self.failed


def comparable(cells: Iterable[Cell]) -> tuple[list[Cell], int]:
    """The cells, with every task that cannot be judged made so for all arms alike, and how many
    such tasks there are.

    One answer that could not be judged is enough: else an arm that failed on the task would count
    as wrong where another one, which answered, does not count at all.
    """
    cells = list(cells)
    tasks = {cell.task for cell in cells if not cell.judged}
    marked = [replace(cell, judgeable=False) if cell.task in tasks else cell for cell in cells]
    return marked, len(tasks)


def by_arm(cells: Iterable[Cell], arms: Iterable[str]) -> dict[str, list[Cell]]:
    """Cells of each arm in the order of `arms`, an arm without cells too.

    Sorted by task and repeat, so that no statistic depends on the order in which runs ended.
    """
    grouped: dict[str, list[Cell]] = {arm: [] for arm in arms}
    for cell in cells:
        grouped[cell.arm].append(cell)
    for group in grouped.values():
        group.sort(key=lambda cell: (cell.task, cell.repeat))
    return grouped


def by_task(cells: Iterable[Cell]) -> dict[str, list[Cell]]:
    grouped: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        grouped[cell.task].append(cell)
    return dict(grouped)


def task_shares(cells: Iterable[Cell]) -> dict[str, float]:
    """p_t: each task's share of right answers over its judged repeats."""
    judged = by_task(cell for cell in cells if cell.judged)
    return {task: sum(cell.right for cell in group) / len(group) for task, group in judged.items()}


def task_means(cells: Iterable[Cell], name: str) -> list[float]:
    """Each task's mean over the repeats that report `name`; tasks where none does are left out."""
    means = []
    for group in by_task(cells).values():
        known = [value for cell in group if (value := getattr(cell, name)) is not None]
        if (found := mean(known)) is not None:
            means.append(found)
    return means


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
