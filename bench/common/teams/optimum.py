"""The best team for each kind of query, with the best executor: by enumeration of the teams that
the designer can write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.common.teams.chances import Plays
from bench.common.teams.queries import KINDS, STEPS, Kind, Query, draw_queries
from bench.common.teams.teams import Team, all_teams

COST = 0.02
"""What each call takes from the reward of a right answer, which is 1. A wrong one is worth 0, as a
design that does not run is."""
MOST_CALLS = 9
"""The most calls of a team that is enumerated."""
FIRST_PLAYS, PLAYS, CLOSE = 1_000, 20_000, 0.05
"""Plays of each team, and of each one that is so near to the best that it may be the best."""

Cell = tuple[Kind, int]
"""A kind with a number of operations."""
CELLS: tuple[Cell, ...] = tuple((kind, steps) for kind in KINDS for steps in STEPS[kind])
SHARES: Mapping[Cell, float] = {
    (kind, steps): 1 / len(KINDS) / len(STEPS[kind]) for kind, steps in CELLS
}


@dataclass(frozen=True, slots=True)
class Worth:
    """All expected. The reward of a right answer is 1 − COST · its calls."""

    correct: float
    calls: float
    reward: float


def reward_of(correct: bool, calls: int) -> float:
    return 1 - COST * calls if correct else 0.0


@dataclass(frozen=True, slots=True)
class Best:
    """`teams`: the best one of each cell, with its worth. `fixed`: the best of those that stay the
    same. `random`: the mean reward of all teams."""

    teams: Mapping[Cell, Team]
    worth: Mapping[Cell, Worth]
    fixed_team: Team
    fixed: float
    random: float

    @property
    def optimum(self) -> float:
        return sum(SHARES[cell] * worth.reward for cell, worth in self.worth.items())

    @property
    def correct(self) -> float:
        return sum(SHARES[cell] * worth.correct for cell, worth in self.worth.items())

    def of(self, queries: Sequence[Query]) -> float:
        """The mean reward of the best teams for these queries."""
        return float(np.mean([self.worth[cell_of(query)].reward for query in queries]))


def cell_of(query: Query) -> Cell:
    return query.kind, len(query.operations)


def worth(team: Team, cell: Cell, *, plays: int, seed: int) -> Worth:
    right, calls = _plays(cell, plays).played(team, seed=seed)
    reward = right * (1 - COST * calls)
    return Worth(float(right.mean()), float(calls.mean()), float(reward.mean()))


@cache
def best() -> Best:
    teams = all_teams(MOST_CALLS)
    first: NDArray[np.float64] = np.array(
        [[worth(team, c, plays=FIRST_PLAYS, seed=0).reward for c in CELLS] for team in teams]
    )
    mean = first @ np.array([SHARES[cell] for cell in CELLS])
    found = {cell: _best(teams, first[:, at], (cell,)) for at, cell in enumerate(CELLS)}
    fixed_team = _best(teams, mean, CELLS)
    return Best(
        teams=found,
        worth={cell: worth(team, cell, plays=PLAYS, seed=2) for cell, team in found.items()},
        fixed_team=fixed_team,
        fixed=_mean(fixed_team, CELLS, seed=2),
        random=float(mean.mean()),
    )


def _best(teams: Sequence[Team], rewards: NDArray[np.float64], cells: Sequence[Cell]) -> Team:
    """By many plays of those that few plays do not rule out. Of equals, that with the fewest
    calls at most."""
    close = [teams[at] for at in np.flatnonzero(rewards >= rewards.max() - CLOSE).tolist()]
    close.sort(key=lambda team: team.calls)
    return max(close, key=lambda team: round(_mean(team, cells, seed=1), 4))


def _mean(team: Team, cells: Sequence[Cell], *, seed: int) -> float:
    whole = sum(SHARES[cell] for cell in cells)
    told = [SHARES[cell] * worth(team, cell, plays=PLAYS, seed=seed).reward for cell in cells]
    return sum(told) / whole


@cache
def _plays(cell: Cell, count: int) -> Plays:
    """Plays of `count` queries of the cell. Some differ only in their words."""
    drawn = [query for query in _queries() if cell_of(query) == cell]
    return Plays([drawn[at % len(drawn)] for at in range(count)])


@cache
def _queries() -> list[Query]:
    return draw_queries(2_000, seed=0, split="train")
