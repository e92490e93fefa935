"""A library that follows our rules agrees with us; one that breaks a rule is found out."""

from typing import Any

import pytest

from bench import games
from bench.games import OURS, SOURCES, compared, solved, told
from workers.core.benchmarks.games.episodes import GAMES


def faithful(what: str, whose: str, board: Any, answer: Any = None) -> Any:
    """The studio itself, asked as if it were a library."""
    game = whose.split(" ")[1]
    if what == "judge":
        return GAMES[game].judge(board, told(game, answer)).solved
    ours = solved(game, board)
    return told(game, ours) if ours else ""


@pytest.mark.parametrize("game", SOURCES)
def test_the_same_rules_agree(game: str) -> None:
    found = compared(faithful, OURS, game, 3)
    assert found.boards == 6
    assert found.verdicts > found.right > 0
    assert found.apart == []


@pytest.mark.parametrize("game", SOURCES)
def test_a_lenient_judge_is_found_out(game: str) -> None:
    def lenient(what: str, *asked: Any) -> Any:
        return True if what == "judge" else faithful(what, *asked)

    found = compared(lenient, OURS, game, 3)
    assert found.apart
    assert "says True" in found.apart[0]


@pytest.mark.parametrize("game", SOURCES)
def test_a_solver_that_finds_nothing_is_found_out(game: str) -> None:
    def lost(what: str, *asked: Any) -> Any:
        return "" if what == "solve" else faithful(what, *asked)

    found = compared(lost, OURS, game, 3)
    assert len(found.apart) == found.solvable > 0


def test_a_way_that_is_not_the_shortest_is_found_out() -> None:
    def slow(what: str, *asked: Any) -> Any:
        answer = faithful(what, *asked)
        first, _, rest = answer.partition(": ") if what == "solve" else ("", "", "")
        back = {"up": "down", "down": "up", "left": "right", "right": "left"}
        step = rest.split(",")[0]
        return f"{first}: {step}, {back[step]}, {rest}" if rest else answer

    found = compared(slow, OURS, "plan_path", 3)
    assert all("shortest way" in each for each in found.apart)
    assert len(found.apart) == found.solvable


def test_a_solved_board_is_left_out() -> None:
    boards = ["SG", "*.", ".SG"]

    def draws(what: str, whose: str, seed: int) -> Any:
        return {"board": boards[seed]}

    drawn = games.drawn_by(draws, "a library", "plan_path", range(3))
    assert [each["board"] for each in drawn] == ["SG", ".SG"]
