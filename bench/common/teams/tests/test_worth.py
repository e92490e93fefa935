"""What teams are worth: by hand, and as the language's own blocks play them."""

from math import comb

import pytest

from bench.common.teams.looks import NOISE
from bench.common.teams.optimum import CELLS, COST, Cell, best, cell_of, worth
from bench.common.teams.queries import LETTERS, draw_queries
from bench.common.teams.teams import Agent, Chain, Ensemble, Reflection, Team, all_teams, shape
from bench.common.teams.trial import best_executor, valued
from bench.common.teams.writing import script_of

A = Agent()
PLAYS = 20_000


def test_one_agent_by_hand() -> None:
    told = {cell: worth(A, cell, plays=PLAYS, seed=0) for cell in CELLS}
    assert told["single", 1].reward == pytest.approx(1 - COST)
    assert told["vote", 1].correct == pytest.approx(1 - NOISE, abs=0.01)
    assert told["check", 1].correct == pytest.approx(1 / 3, abs=0.01)
    assert told["decompose", 2].correct == 0


def test_three_votes_by_hand() -> None:
    """Two right ones, or a right one before two that differ."""
    right, others = 1 - NOISE, len(LETTERS) - 1
    majority = comb(3, 2) * right**2 * NOISE + right**3
    first = right * NOISE**2 * (1 - 1 / others)
    told = worth(Ensemble((A,) * 3), ("vote", 1), plays=PLAYS, seed=0)
    assert told.correct == pytest.approx(majority + first, abs=0.01)
    assert told.calls == 3


def test_a_critic_by_hand() -> None:
    told = worth(Reflection(A, 1), ("check", 1), plays=PLAYS, seed=0)
    assert told.correct == pytest.approx(2 / 3, abs=0.01)
    assert told.calls == pytest.approx(2 / 3 * 3 + 1 / 3 * 2, abs=0.02)


def test_a_sequence_is_right_at_one_length() -> None:
    for steps in (2, 3):
        for parts in (1, 2, 3, 4):
            team = Chain((A,) * parts)
            told = worth(team, ("decompose", steps), plays=1_000, seed=0)
            assert told.correct == (parts == steps)


TRIED: list[tuple[Team, Cell]] = [
    (Ensemble((A,) * 5), ("vote", 1)),
    (Ensemble((Chain((A, A)), A, A)), ("vote", 1)),
    (Chain((Ensemble((A,) * 3), A)), ("vote", 1)),
    (Reflection(A, 2), ("check", 1)),
    (Reflection(Ensemble((A, A)), 1), ("check", 1)),
    (Reflection(Reflection(A, 1), 1), ("check", 1)),
    (Reflection(Chain((A, A)), 1), ("check", 1)),
    (Ensemble((Reflection(A, 1),) * 3), ("check", 1)),
    (Chain((A, Reflection(A, 1), A)), ("decompose", 3)),
    (Ensemble((A, Chain((A, A)))), ("decompose", 2)),
    (Reflection(A, 3), ("single", 1)),
]


@pytest.mark.parametrize(("team", "cell"), TRIED)
async def test_the_blocks_of_the_language_play_it_alike(team: Team, cell: Cell) -> None:
    queries = [
        each for each in draw_queries(1_200, seed=5, split="train") if cell_of(each) == cell
    ][:60]
    scripts = [script_of(team)] * len(queries)
    told = await valued(queries, scripts, best_executor, plays=16)
    known = worth(team, cell, plays=PLAYS, seed=0)
    assert told.runs == 1
    assert told.correct == pytest.approx(known.correct, abs=0.05)
    assert told.calls == pytest.approx(known.calls, abs=0.1)


def test_each_kind_has_a_team_of_its_own_and_none_is_good_at_all() -> None:
    known = best()
    assert {cell: shape(team) for cell, team in known.teams.items()} == {
        ("single", 1): "agent",
        ("vote", 1): "ensemble(agent × 7)",
        ("check", 1): "reflection(agent, 2 rounds)",
        ("decompose", 2): "sequence(agent, agent)",
        ("decompose", 3): "sequence(agent, agent, agent)",
    }
    assert known.correct > 0.95
    assert known.fixed < 0.7 * known.optimum
    assert known.random < 0.4 * known.optimum
    assert len(all_teams(9)) > 1_000
