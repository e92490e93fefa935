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


def draw_queries(count: int, *, seed: int, roles: int) -> list[Query]:
    """`count` queries, domains in turn; the same seed gives the same queries and the same luck."""
    random = np.random.default_rng(seed)
    return [_query(number, random, roles) for number in range(count)]


def _query(number: int, random: np.random.Generator, roles: int) -> Query:
    index = number % len(DOMAINS)
    domain = DOMAINS[index]
    question = domain.questions[int(random.integers(len(domain.questions)))]
    subject = domain.subjects[int(random.integers(len(domain.subjects)))]
    return Query(question.format(subject), index, random.random((1, roles, DRAWS)))
