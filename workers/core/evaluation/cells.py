"""One answer of an evaluation, and the views of many answers behind every statistic."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Cell:
    """One task answered once by one arm.

    `failed`: the run gave no answer because of an error, a time-out or a spent budget. Such a cell
    counts as wrong, and as a failure. `correct` None without a failure: the verifier could not
    judge it. `judgeable` False: answers to this task are not judged, whether right, wrong or
    failed. Both are left out of every accuracy; see `comparable`. Tokens and `cost` (USD) are None
    if the server did not report them: unknown, never 0. `cached_share` is the share of calls
    answered from the cache. Then `seconds` do not show how long an answer takes. `out_of_time`: it
    failed at its time limit, which a busy endpoint can also cause. `replies` counts models'
    replies, of which `cut_replies` stopped at their token limit. `final_cut` says whether the
    answer is from one of these. `own_temperature`: a server answered at its own temperature instead
    of the requested one. None: unknown. `domain` is the task's subject or level; empty if the
    dataset has none.
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
        """`seconds`, if every call went to the endpoint as far as is known."""
        return None if self.cached_share else self.seconds

    @property
    def judged(self) -> bool:
        return self.judgeable and (self.failed or self.correct is not None)

    @property
    def right(self) -> bool:
        return bool(self.correct) and not self.failed


def comparable(cells: Iterable[Cell]) -> tuple[list[Cell], int]:
    """The cells, with each task that can't be judged marked so for all arms, and the number of
    these tasks.

    One answer that could not be judged is enough. Otherwise an arm that failed on the task would
    count as wrong, while an arm that answered would not count at all.
    """
    cells = list(cells)
    tasks = {cell.task for cell in cells if not cell.judged}
    marked = [replace(cell, judgeable=False) if cell.task in tasks else cell for cell in cells]
    return marked, len(tasks)


def by_arm(cells: Iterable[Cell], arms: Iterable[str]) -> dict[str, list[Cell]]:
    """Cells of each arm in the order of `arms`, also for arms without cells.

    They are sorted by task and repeat, so no statistic depends on the order in which runs ended.
    """
    grouped: dict[str, list[Cell]] = {arm: [] for arm in arms}
    for cell in cells:
        grouped[cell.arm].append(cell)
    for group in grouped.values():
        group.sort(key=lambda cell: (cell.task, cell.repeat))
    return grouped


def grouped_by(cells: Iterable[Cell], field: Literal["task", "domain"]) -> dict[str, list[Cell]]:
    grouped: dict[str, list[Cell]] = defaultdict(list)
    for cell in cells:
        grouped[getattr(cell, field)].append(cell)
    return dict(grouped)


def task_shares(cells: Iterable[Cell]) -> dict[str, float]:
    """p_t: each task's share of right answers over its judged repeats."""
    judged = grouped_by((cell for cell in cells if cell.judged), "task")
    return {task: sum(cell.right for cell in group) / len(group) for task, group in judged.items()}


def task_means(cells: Iterable[Cell], name: str) -> list[float]:
    """Each task's mean over the repeats that report `name`, without tasks where none does."""
    means = []
    for group in grouped_by(cells, "task").values():
        known = [value for cell in group if (value := getattr(cell, name)) is not None]
        if (found := mean(known)) is not None:
            means.append(found)
    return means


def mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
