"""Queries of the testbed: sentences of four domains, and the luck of every role with each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workers.core.benchmarks.testbed.play import DRAWS, Luck
from workers.core.benchmarks.testbed.world import DOMAINS


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """`domain` indexes DOMAINS; `luck` is (1, K, DRAWS)."""

    text: str
    domain: int
    luck: Luck


HELD_OUT_SUBJECTS = 2
"""The last subjects of every domain: only held-out queries are about them."""


def draw_queries(count: int, *, seed: int, roles: int, held_out: bool = False) -> list[Query]:
    """`count` queries, domains in turn; the same seed gives the same queries and the same luck.

    No text that is held out is ever among the others.
    """
    random = np.random.default_rng(seed)
    return [_query(number, random, roles, held_out) for number in range(count)]


def _query(number: int, random: np.random.Generator, roles: int, held_out: bool) -> Query:
    index = number % len(DOMAINS)
    domain = DOMAINS[index]
    known, new = domain.subjects[:-HELD_OUT_SUBJECTS], domain.subjects[-HELD_OUT_SUBJECTS:]
    subjects = new if held_out else known
    question = domain.questions[int(random.integers(len(domain.questions)))]
    subject = subjects[int(random.integers(len(subjects)))]
    return Query(question.format(subject), index, random.random((1, roles, DRAWS)))
