"""The cold start's teacher: it knows the form of scripts and answers, and little of when.

Its teams are drawn without a look at the query: first the family, then the size. Its executors know
half of the operations and guess the results of the others. They pick among the candidates without a
look at those that were refused, and judge without a look at the seals.
"""

import random

from bench.common.teams.looks import CORRECT, INCORRECT, Look
from bench.common.teams.queries import LETTERS, TABLES
from bench.common.teams.teams import (
    MOST_MEMBERS,
    MOST_PARTS,
    MOST_ROUNDS,
    Agent,
    Chain,
    Ensemble,
    Reflection,
    Team,
)

KNOWN = frozenset(list(TABLES)[::2])
NESTED = 0.2
"""The share of blocks of which one part is a block again."""


def weak_team(generator: random.Random, *, inner: bool = False) -> Team:
    family = generator.choice(("agent", "ensemble", "sequence", "reflection"))
    part: Team = Agent()
    if not inner and generator.random() < NESTED:
        part = weak_team(generator, inner=True)
    most = 3 if inner or not isinstance(part, Agent) else 9
    if family == "ensemble":
        return Ensemble((part,) * generator.randint(2, min(most, MOST_MEMBERS)))
    if family == "sequence":
        return Chain((part, *(Agent(),) * generator.randint(1, min(most, MOST_PARTS) - 1)))
    if family == "reflection":
        return Reflection(part, generator.randint(1, min(most, MOST_ROUNDS)))
    return part


def weak_answer(look: Look, generator: random.Random) -> str:
    what, *shown = look.words
    if what == "judge":
        return generator.choice((CORRECT, INCORRECT))
    if what == "pick":
        return generator.choice([word for word in shown[:3]])
    return look.best[0] if shown[0] in KNOWN else generator.choice(LETTERS)
