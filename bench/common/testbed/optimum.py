"""Finds the best that any policy can do on the testbed, by enumeration.

By rule 8 of `world` nothing a policy sees reveals luck. So in expectation no policy beats the best
fixed construction per domain. Expectations are means over `DRAWN` draws of luck. All teams get the
same draws, so they differ by what they are and not by their luck.

The enumeration has every team of up to three solvers and generalists, each solver with or without
the plan. The team answers alone, or through a verifier that reads any of them; a second verifier
may read that answer together with any of them. Contrarians may read them, too. By the rules, other
constructions should not help. An agent that refuses or that no agent reads costs tokens and changes
nothing. An agent that reads a chatterbox is right less often. An answer that a solver reads only
costs its tokens. `tests/test_world.py` looks for better teams: among all single changes of the best
teams, and at random over the whole pool.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations, product

import numpy as np

from bench.common.testbed.play import DRAWS, Luck, Played, play
from bench.common.testbed.world import DOMAINS, TestbedRole

DRAWN = 20_000
MAX_SOLVERS = 3

Agent = tuple[int, tuple[int, ...]]
"""Role, and the positions of the agents that it reads."""

Team = tuple[Agent, ...]

Seen = dict[Hashable, Played]
"""What agents did, keyed by the agent and what it reads, for one domain and one luck. Teams share
their beginnings."""


@dataclass(frozen=True, slots=True)
class Score:
    """Means over queries. `reward` is Eq. 4 of MasHost: 1 − β·tokens if right, −1 if wrong."""

    reward: float
    accuracy: float
    tokens: float


def team_score(
    team: Team,
    domain: int,
    luck: Luck,
    roles: Sequence[TestbedRole],
    beta: float,
    *,
    seen: Seen | None = None,
) -> Score:
    """Score of the team on the queries of one domain, whose luck is (Q, K, DRAWS)."""
    seen = {} if seen is None else seen
    keys: list[Hashable] = []
    played: list[Played] = []
    for role, reads in team:
        key = (role, tuple(keys[p] for p in reads))
        if key not in seen:
            seen[key] = play(role, roles, domain, luck, [played[p] for p in reads])
        keys.append(key)
        played.append(seen[key])
    answers = [agent.right for agent in played if agent.right is not None]
    tokens = sum(agent.tokens for agent in played)
    accuracy = np.count_nonzero(answers[-1]) / len(answers[-1]) if answers else 0.0
    value = 1 - min(beta * tokens, 1.0)
    return Score(accuracy * value - (1 - accuracy), accuracy, tokens)


@cache
def best_teams(roles: tuple[TestbedRole, ...], beta: float, *, seed: int = 0) -> tuple[Team, ...]:
    """The best construction of each domain, in the order of DOMAINS."""
    luck = draw_luck(len(roles), seed=seed)
    return tuple(_best_team(domain, luck, roles, beta) for domain in range(len(DOMAINS)))


def draw_luck(roles: int, *, seed: int) -> Luck:
    """(DRAWN, K, DRAWS). Laid out so that the draws of one role lie together: they are read so."""
    luck = np.random.default_rng(seed).random((DRAWN, roles, DRAWS))
    return np.ascontiguousarray(luck.transpose(1, 2, 0)).transpose(2, 0, 1)


def _best_team(domain: int, luck: Luck, roles: Sequence[TestbedRole], beta: float) -> Team:
    teams = list(teams_of_domain(domain, roles))
    # A tenth of the draws is enough to drop what is far behind: over 2,000 draws the difference of
    # two teams is known to 0.012.
    tenth = luck[: len(luck) // 10]
    seen: Seen = {}
    rough = [team_score(team, domain, tenth, roles, beta, seen=seen).reward for team in teams]
    least = max(rough) - 0.05
    near = [team for team, reward in zip(teams, rough, strict=True) if reward > least]
    return max(near, key=lambda team: team_score(team, domain, luck, roles, beta).reward)


def teams_of_domain(domain: int, roles: Sequence[TestbedRole]) -> Iterator[Team]:
    """Every construction that is not dominated, smallest first."""
    own = [i for i, role in enumerate(roles) if role.domain == domain]
    planner = next(i for i in own if roles[i].kind == "planner")
    verifier = next(i for i in own if roles[i].kind == "verifier")
    solvers = [i for i in own if roles[i].kind == "solver"]
    generalists = [i for i, role in enumerate(roles) if role.kind == "generalist"]
    contrarians = [i for i, role in enumerate(roles) if role.kind == "contrarian"]
    for count in range(1, MAX_SOLVERS + 1):
        for chosen in combinations([*solvers, *generalists], count):
            options = [(False, True) if i in solvers else (False,) for i in chosen]
            for planned in product(*options):
                team = _solving(chosen, planned, planner)
                yield from _checked(team, count, verifier, contrarians)


def _solving(chosen: Sequence[int], planned: Sequence[bool], planner: int) -> Team:
    if not any(planned):
        return tuple((role, ()) for role in chosen)
    solving = ((role, (0,) if plan else ()) for role, plan in zip(chosen, planned, strict=True))
    return ((planner, ()), *solving)


def _checked(team: Team, solvers: int, verifier: int, contrarians: Sequence[int]) -> Iterator[Team]:
    answers = tuple(range(len(team) - solvers, len(team)))
    last = len(team)
    if solvers == 1:
        yield team
    for contrarian in contrarians:
        yield (*team, (contrarian, answers))
        yield (*team, (contrarian, answers), (verifier, (*answers, last)))
    for read in _subsets(answers, least=1):
        checked: Team = (*team, (verifier, read))
        yield checked
        for again in _subsets(answers):
            yield (*checked, (verifier, (*again, last)))


def _subsets(answers: tuple[int, ...], *, least: int = 0) -> Iterator[tuple[int, ...]]:
    sizes = range(least, len(answers) + 1)
    return chain.from_iterable(combinations(answers, size) for size in sizes)
