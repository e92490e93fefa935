"""What the cold start shows."""

import random

import pytest

from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.environments.cells import moves_along
from workers.core.environments.games import PlanPathTeam, Play
from workers.core.methods.at_grpo.training.demonstrating import Demonstrator
from workers.core.methods.at_grpo.trees import messages_for
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.policies import PolicySpec

BOARDS = PlanPathOptions(size=4, walls=0.3)
TASKS = list(episodes(GAMES["plan_path"], BOARDS, split="train", count=20, seed=0))
TEAM = PlanPathTeam(proposes="answer", wording="letters")


async def shown(astray: float) -> list[tuple[str, str]]:
    """What the first agent reads and says in each task."""
    engine = InProcessEngine({"one": PolicySpec("nano"), "two": PolicySpec("nano")}, seed=0)
    shower = Demonstrator(TEAM, "sequential", 32, weak=0.0, astray=astray)
    found = await shower.demonstrations(
        TASKS, engine=engine, policies=("one", "two"), generator=random.Random(1)
    )
    samples = [each.sample for each in found.found["one"]]
    return [(engine.text("one", one.prompt), engine.text("one", one.tokens)) for one in samples]


@pytest.mark.usefixtures("nano")
async def test_what_would_be_cut_is_left_out_and_counted() -> None:
    engine = InProcessEngine({"one": PolicySpec("nano"), "two": PolicySpec("nano")}, seed=0)
    shower = Demonstrator(TEAM, "sequential", 6, weak=0.0, astray=0.0)
    found = await shower.demonstrations(
        TASKS, engine=engine, policies=("one", "two"), generator=random.Random(1)
    )
    said = [len(each.sample.tokens) for batch in found.found.values() for each in batch]
    assert max(said) <= 6
    assert 0 < found.too_long < 2 * len(TASKS)
    assert found.too_long + len(said) == 2 * len(TASKS)
    assert found.told() == {"too_long": found.too_long / (2 * len(TASKS))}


def start(at: int) -> str:
    return messages_for(TEAM, TEAM.begin(TASKS[at]), 0)[1]["content"]


@pytest.mark.usefixtures("nano")
async def test_it_shows_a_way_from_the_start_or_from_where_a_weak_player_has_stopped() -> None:
    begun, astray = await shown(0.0), await shown(1.0)
    assert [read for read, _ in begun] == [start(at) for at in range(len(TASKS))]
    moved = [at for at, (read, _) in enumerate(astray) if read != start(at)]
    assert len(TASKS) / 3 < len(moved) < len(TASKS), "some weak answers are right"
    for read, said in astray:
        board, blocked, _ = read.removeprefix("A").split("|")
        assert bool(blocked) is (read not in dict(begun))
        cells = [board[at : at + 3] for at in range(0, len(board), 3)]
        rows = [cells[at : at + BOARDS.size] for at in range(0, len(cells), BOARDS.size)]
        marks = "\n".join("".join(cell[2] for cell in row) for row in rows)
        play = Play(start=marks, board=marks)
        assert moves_along(TEAM.at(play.board), said), "a way from there"
        assert TEAM.is_solved(TEAM.play(play, *TEAM.in_words(play.board, said)).board)
