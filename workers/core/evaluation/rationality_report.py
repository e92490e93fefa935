"""Adds up diagnoses of many answers by arm. The unit is the task, as in every other statistic."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workers.core.evaluation.failures import Category
from workers.core.intervals import Interval, bootstrap_mean, share_interval

By = Literal["rule", "judge", "unjudged"]
BY: tuple[By, ...] = get_args(By)
CATEGORIES: tuple[Category, ...] = get_args(Category)


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """One answer of an arm to a task.

    `similarity` and `share` are as in `RoleRationality`. `failed`: an error prevented the answer.
    `wrong`: the answer is wrong; then `by` says what found its `category`, with the model of a
    `judge`.
    """

    arm: str
    task: str
    similarity: float | None = None
    share: float | None = None
    failed: bool = False
    wrong: bool = False
    category: Category | None = None
    by: By = "unjudged"
    judge: str | None = None


@dataclass(frozen=True, slots=True)
class RoleMatchSummary:
    """Results over the `tasks` with at least one chosen role that can be judged."""

    tasks: int
    similarity: float
    similarity_interval: Interval | None
    share: float
    share_interval: Interval | None


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """`category` None: neither a rule nor a judge decides."""

    category: Category | None
    by: By
    judge: str | None
    count: int


@dataclass(frozen=True, slots=True)
class ArmRationality:
    """`answers` that were examined. `roles` None: the arm chose no role that can be judged."""

    label: str
    answers: int
    wrong: int
    failed: int
    roles: RoleMatchSummary | None
    categories: tuple[CategoryCount, ...]


def arm_rationality(label: str, answers: Sequence[Diagnosed]) -> ArmRationality:
    return ArmRationality(
        label=label,
        answers=len(answers),
        wrong=sum(answer.wrong for answer in answers),
        failed=sum(answer.failed for answer in answers),
        roles=role_match(answers),
        categories=tuple(count_categories(answers)),
    )


def role_match(answers: Iterable[Diagnosed]) -> RoleMatchSummary | None:
    """Means over tasks of the means over their repeats. The share has Wilson's interval for at
    least as many observations as tasks, the similarity a bootstrap interval over tasks."""
    judged: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for answer in sorted(answers, key=lambda answer: answer.task):
        if answer.similarity is not None and answer.share is not None:
            judged[answer.task].append((answer.similarity, answer.share))
    if not judged:
        return None
    similarities = [_mean([similarity for similarity, _ in group]) for group in judged.values()]
    shares = [_mean([share for _, share in group]) for group in judged.values()]
    return RoleMatchSummary(
        tasks=len(judged),
        similarity=_mean(similarities),
        similarity_interval=bootstrap_mean(similarities),
        share=_mean(shares),
        share_interval=share_interval(shares, sum(map(len, judged.values()))),
    )


def count_categories(answers: Iterable[Diagnosed]) -> list[CategoryCount]:
    """The categories of wrong answers, the most frequent first, the undecided last."""
    counts = Counter((a.category, a.by, a.judge) for a in answers if a.wrong)
    found = [CategoryCount(*key, count) for key, count in counts.items()]
    return sorted(
        found, key=lambda c: (c.category is None, -c.count, c.category or "", c.by, c.judge or "")
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
