"""Queries of the testbed: sentences of four domains, and the luck of every role with each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from workers.core.benchmarks.testbed.play import DRAWS, Luck
from workers.core.benchmarks.testbed.world import DOMAINS, Domain


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """`domain` indexes DOMAINS; `luck` is (1, K, DRAWS)."""

    text: str
    domain: int
    luck: Luck


Split = Literal["training", "validation", "test"]

VALIDATION_SUBJECTS = 2
"""The last subjects of every domain: only validation queries are about them."""


def draw_queries(count: int, *, seed: int, roles: int, split: Split = "training") -> list[Query]:
    """`count` queries, domains in turn; the same seed gives the same queries and the same luck.

    Settings may be chosen by how they do on `validation`, so what they are worth is told of `test`
    alone. No text is in two splits; those of `test` have subjects and questions of their own.
    """
    random = np.random.default_rng(seed)
    return [_query(number, random, roles, split) for number in range(count)]


def _query(number: int, random: np.random.Generator, roles: int, split: Split) -> Query:
    index = number % len(DOMAINS)
    questions, subjects = _texts(DOMAINS[index], split)
    question = questions[int(random.integers(len(questions)))]
    subject = subjects[int(random.integers(len(subjects)))]
    return Query(question.format(subject), index, random.random((1, roles, DRAWS)))


def _texts(domain: Domain, split: Split) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Questions and subjects of a split."""
    if split == "test":
        return domain.test_questions, domain.test_subjects
    validation = split == "validation"
    known, new = domain.subjects[:-VALIDATION_SUBJECTS], domain.subjects[-VALIDATION_SUBJECTS:]
    return domain.questions, new if validation else known
