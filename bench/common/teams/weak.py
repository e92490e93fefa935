"""The cold start's teacher: it knows the form of scripts and answers, and half of the rules.

It knows the teams of queries that are single or to vote on. Of two families that might do for the
others it takes any, and any size of it. Now and then it draws a team without a look at the query.
Its executors know half of the operations, and guess what the others make of a letter. They pick
among the candidates without a look at those that were refused, and guess one verdict in four.
"""

import random
from collections.abc import Mapping

from bench.common.teams.looks import CORRECT, INCORRECT, Words, best
from bench.common.teams.queries import CANDIDATES, LETTERS, TABLES, Kind, Query
from bench.common.teams.teams import (
    MOST_MEMBERS,
    Agent,
    Chain,
    Ensemble,
    Reflection,
    Team,
)

KNOWN_TEAMS: Mapping[Kind, Team] = {"single": Agent(), "vote": Ensemble((Agent(),) * MOST_MEMBERS)}
KNOWN_OPERATIONS = frozenset(list(TABLES)[::2])
GUESSED = 1 / 4
"""The share of verdicts that are guessed."""
ANY, WRONG = 0.15, 0.55
"""The shares of teams that are drawn blindly, and of the wrong one of two families."""
ROUNDS = 2
NESTED = 0.1
"""The share of blocks of which one part is a block again."""


def weak_team(query: Query, generator: random.Random, rounds: int = ROUNDS) -> Team:
    """`rounds`: most rounds of a reflection for a query to check."""
    if generator.random() < ANY:
        return _any_team(generator)
    if query.kind in KNOWN_TEAMS:
        return KNOWN_TEAMS[query.kind]
    wrong = generator.random() < WRONG
    size = generator.randint(1, rounds if query.kind == "check" else 2)
    if query.kind == "check":
        return Agent() if wrong else Reflection(Agent(), size)
    members = (Agent(),) * (size + 1)
    return Ensemble(members) if wrong else Chain(members)


def _any_team(generator: random.Random, *, inner: bool = False) -> Team:
    family = generator.choice(("agent", "ensemble", "sequence", "reflection"))
    part: Team = Agent()
    if not inner and generator.random() < NESTED:
        part = _any_team(generator, inner=True)
    if family == "ensemble":
        return Ensemble((part,) * generator.randint(2, 3 if inner else MOST_MEMBERS))
    if family == "sequence":
        return Chain((part, *(Agent(),) * generator.randint(1, 2)))
    if family == "reflection":
        return Reflection(part, generator.randint(1, 2))
    return part


def weak_answer(words: Words, generator: random.Random) -> str:
    what, first, *_ = words
    if what == "judge":
        is_guessed = generator.random() < GUESSED
        return generator.choice((CORRECT, INCORRECT)) if is_guessed else best(words)
    if what == "pick":
        return generator.choice(words[1 : 1 + CANDIDATES])
    return best(words) if first in KNOWN_OPERATIONS else generator.choice(LETTERS)
