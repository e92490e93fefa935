"""The testbed's queries: sentences of four domains, and every role's luck on each."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.common.testbed.play import DRAWS, Luck
from bench.common.testbed.texts import Texts
from bench.common.testbed.world import DOMAINS


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """`domain` indexes DOMAINS; `luck` is (1, K, DRAWS)."""

    text: str
    domain: int
    luck: Luck


Split = Literal["training", "validation", "test"]


def draw_queries(count: int, *, seed: int, roles: int, split: Split = "training") -> list[Query]:
    """`count` queries, domains in turn. The same seed gives the same queries and the same luck.

    Settings may be chosen by their results on `validation`, so only results on `test` are reported.
    No two splits share questions or subjects.
    """
    random = np.random.default_rng(seed)
    return [_query(number, random, roles, split) for number in range(count)]


def _query(number: int, random: np.random.Generator, roles: int, split: Split) -> Query:
    index = number % len(DOMAINS)
    texts: Texts = getattr(DOMAINS[index].texts, split)
    question = texts.questions[int(random.integers(len(texts.questions)))]
    subject = texts.subjects[int(random.integers(len(texts.subjects)))]
    return Query(question.format(subject), index, random.random((1, roles, DRAWS)))
