"""Teams play games: what each message does, what it earns, and what the others see of it."""

import random
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.benchmarks.games.episodes import BOARD, GAMES, episode, task_of
from workers.core.benchmarks.games.moves import read_moves, written
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.benchmarks.games.sokoban import SokobanOptions
from workers.core.benchmarks.games.verifier import GamePlayed
from workers.core.environments import games
from workers.core.environments.base import Acted, EpisodeError, Reward
from workers.core.environments.cells import way_of
from workers.core.environments.games import (
    COMMITTER,
    PROPOSER,
    TEAMS,
    GameTeam,
    PlanPathTeam,
    Play,
    Plays,
    SokobanTeam,
    SudokuTeam,
    Wording,
)
from workers.core.specs import TaskSpec

seeds = st.integers(0, 10**9)
MAZE = "S.#\n.#.\n..G"
ROOM = "######\n#.___#\n#_$__#\n#__@_#\n#____#\n######"
GRID = "1 2 3 _\n3 4 1 2\n2 1 4 3\n4 3 2 _"


def task(game: str, board: str) -> TaskSpec:
    return task_of(GAMES[game], board)


async def committed(team: GameTeam, board: str, *messages: str) -> list[Acted[Play]]:
    """What each message does, if only the second agent speaks."""
    state, acted = team.begin(task(team.key, board)), []
    for message in messages:
        acted.append(await team.act(state, COMMITTER, message))
        state = team.turned(acted[-1].state)
    return acted


def earned(acted: Acted[Play]) -> dict[str, float]:
    reward = acted.reward
    return {name: round(value, 4) for name, value in (*reward.team.items(), *reward.local.items())}


class TestPlanPath:
    @pytest.mark.parametrize(
        ("message", "rewards", "ends"),
        [
            # From distance 4 to distance d′: 4 − 0.99 d′.
            (
                "Answer: down, down, right, right",
                {"goal": 1, "shortest": 0.5, "steps": -0.04, "progress": 4},
                "solved",
            ),
            ("Answer: down", {"steps": -0.01, "progress": 1.03}, None),
            ("Answer: down, right", {"steps": -0.01, "progress": 1.03, "blocked": -0.1}, None),
            ("Answer: up", {"steps": 0, "progress": 0, "blocked": -0.1}, None),
            # A blocked move ends the list, and costs once.
            (
                "Answer: down, right, left, down",
                {"steps": -0.01, "progress": 1.03, "blocked": -0.1},
                None,
            ),
            ("I don't know.", {"blocked": -0.1}, None),
        ],
    )
    async def test_rewards(self, message: str, rewards: dict[str, float], ends: str | None) -> None:
        team = PlanPathTeam()
        (acted,) = await committed(team, MAZE, message)
        assert earned(acted) == pytest.approx(rewards)
        assert team.ended(acted.state) == ends

    async def test_a_detour_reaches_the_goal_and_is_not_the_shortest(self) -> None:
        acted = await committed(PlanPathTeam(), MAZE, "DUD", "DRR")
        assert acted[1].reward.team == {"goal": 1}
        assert acted[1].state.board == "..#\n.#.\n..*"

    async def test_the_way_is_as_long_as_all_turns_together(self) -> None:
        acted = await committed(PlanPathTeam(), MAZE, "DD", "RR")
        assert acted[1].reward.team == {"goal": 1, "shortest": 0.5}
        assert PlanPathTeam().answer(acted[1].state) == "Answer: down, down, right, right"


class TestSokoban:
    async def test_a_box_on_and_off_its_target(self) -> None:
        room = "#######\n#@$.__#\n#######"
        on, *_ = await committed(SokobanTeam(), room, "R")
        assert earned(on) == {"solved": 10, "boxes on": 1, "boxes off": 0, "steps": -0.01}
        assert on.reward.team == {"solved": 10}
        both = "########\n#@$.$._#\n########"
        off, *_ = await committed(SokobanTeam(), both, "RRLR")
        assert earned(off) == {"boxes on": 1, "boxes off": 0, "steps": -0.01, "blocked": -0.05}
        beside = "########\n#@*__$.#\n########"
        away, *_ = await committed(SokobanTeam(), beside, "R")
        assert earned(away) == {"boxes on": 0, "boxes off": -0.5, "steps": -0.01}


class TestSudoku:
    @pytest.mark.parametrize(
        ("message", "rewards", "ends"),
        [
            (
                GRID.replace("3 _", "3 4").replace("2 _", "2 1"),
                {"solved": 0.5, "progress": 1},
                "solved",
            ),
            (GRID.replace("3 _", "3 4"), {"progress": 0.5}, None),
            (GRID.replace("3 _", "3 1"), {"invalid": -0.5}, None),
            (GRID.replace("1 2 3 _", "4 2 3 1"), {"invalid": -0.5}, None),
            ("no idea", {"invalid": -0.5}, None),
        ],
    )
    async def test_rewards(self, message: str, rewards: dict[str, float], ends: str | None) -> None:
        team = SudokuTeam()
        (acted,) = await committed(team, GRID, message)
        assert earned(acted) == pytest.approx(rewards)
        assert team.ended(acted.state) == ends
        assert (acted.state.board == GRID) is ("invalid" in rewards)

    async def test_only_the_whole_solution_is_the_teams(self) -> None:
        half = GRID.replace("3 _", "3 4")
        some, all_ = await committed(SudokuTeam(), GRID, half, half.replace("2 _", "2 1"))
        assert (some.reward.team, some.reward.local) == ({}, {"progress": 0.5})
        assert (all_.reward.team, all_.reward.local) == ({"solved": 0.5}, {"progress": 0.5})

    async def test_what_is_right_already_earns_nothing_again(self) -> None:
        half = GRID.replace("3 _", "3 4")
        _, again = await committed(SudokuTeam(), GRID, half, half)
        assert earned(again) == {"progress": 0}


class TestTeams:
    @pytest.mark.parametrize("game", TEAMS)
    @pytest.mark.parametrize("wording", ["sentences", "letters"])
    async def test_a_solution_that_is_proposed_can_be_committed_as_it_is_read(
        self, game: str, wording: Wording
    ) -> None:
        team = TEAMS[game](proposes="answer", wording=wording)
        drawn = episode(GAMES[game], GAMES[game].options(), split="train", seed=7)
        state = team.begin(drawn)
        proposed = await team.act(state, PROPOSER, drawn.reference or "")
        assert proposed.state.board == state.board, "a proposal moves nothing"
        assert proposed.read
        shown = proposed.read
        if wording == "letters":
            shown = team.in_letters(state.board, proposed.read)
        assert shown in team.observation(proposed.state, COMMITTER)
        assert shown not in team.observation(state, COMMITTER)
        done = await team.act(proposed.state, COMMITTER, shown)
        assert done.reward == proposed.reward, "it is rewarded as if it were committed"
        assert team.ended(done.state) == "solved"
        verdict = await GamePlayed().verify(drawn, answer=None, message=team.answer(done.state))
        assert verdict.correct

    async def test_a_program_proposes_what_it_prints(self) -> None:
        team = PlanPathTeam()
        state = team.begin(task("plan_path", MAZE))
        program = "```python\nprint('down, ' * 2 + 'right, right')\n```"
        acted = await team.act(state, PROPOSER, program)
        seen = team.observation(acted.state, COMMITTER)
        assert "print('down, ' * 2" in seen
        assert "The proposal:\n\ndown, down, right, right" in seen
        assert acted.reward.team == {"goal": 1, "shortest": 0.5}
        for nothing in ("Answer: down", "```python\nraise SystemExit(1)\n```", ""):
            failed = await team.act(state, PROPOSER, nothing)
            assert failed.reward == Reward(local={"blocked": -0.1})
            assert "The proposal:\n\n(none)" in team.observation(failed.state, COMMITTER)

    async def test_the_next_turn_starts_without_the_proposal_of_the_last(self) -> None:
        team = PlanPathTeam(proposes="answer")
        state = team.begin(task("plan_path", MAZE))
        proposed = (await team.act(state, PROPOSER, "Answer: down, right")).state
        moved = (await team.act(proposed, COMMITTER, "Answer: down, right")).state
        seen = team.observation(team.turned(moved), PROPOSER)
        assert "The last answer ended early. Move 2 (right) was blocked." in seen
        assert "proposal" not in seen
        assert ".S" not in seen
        assert "S#." in seen

    def test_letters_are_few(self) -> None:
        team = PlanPathTeam(proposes="answer", wording="letters")
        state = team.begin(task("plan_path", MAZE))
        assert team.observation(state, PROPOSER) == "AaaSab.ac#ba.bb#bc.ca.cb.ccG||"
        assert team.observation(state, COMMITTER) == "BaaSab.ac#ba.bb#bc.ca.cb.ccG|||"

    @pytest.mark.parametrize("game", TEAMS)
    def test_of_another_game_is_no_episode(self, game: str) -> None:
        other = next(key for key in GAMES if key != game)
        with pytest.raises(EpisodeError, match="is no episode"):
            TEAMS[game]().begin(episode(GAMES[other], GAMES[other].options(), split="dev", seed=0))

    @pytest.mark.parametrize("game", TEAMS)
    def test_a_damaged_board_is_told(self, game: str) -> None:
        damaged = TaskSpec(query="?", metadata={"game": game, BOARD: "x"})
        with pytest.raises(EpisodeError, match="can't be read"):
            TEAMS[game]().begin(damaged)

    @pytest.mark.parametrize(
        "rows", ["1 2 _ _|3 4 _ _|2 1 _ _|4 3 _ _", "1 1 _ _" + "|_ _ _ _" * 3]
    )
    def test_a_grid_without_a_single_solution_is_told_before_an_answer_comes(
        self, rows: str
    ) -> None:
        typed = task_of(GAMES["sudoku"], rows.replace("|", "\n"))
        with pytest.raises(EpisodeError, match="exactly one solution"):
            TEAMS["sudoku"]().begin(typed)

    @settings(deadline=None, max_examples=60)
    @given(game=st.sampled_from(list(TEAMS)), seed=seeds, message=st.text(max_size=200))
    async def test_no_message_breaks_a_team(self, game: str, seed: int, message: str) -> None:
        team = TEAMS[game](proposes="answer")
        state = team.begin(episode(GAMES[game], GAMES[game].options(), split="train", seed=seed))
        for agent in (PROPOSER, COMMITTER):
            acted = await team.act(state, agent, message)
            state = acted.state
            team.observation(state, COMMITTER)
        assert team.picture(state)["board"]


@settings(deadline=None)
@given(seed=seeds, data=st.data())
async def test_what_turns_earn_is_what_their_answer_is_worth(seed: int, data: Any) -> None:
    """Whatever is committed, the episode ends as solved just if its answer is verified."""
    team = PlanPathTeam(wording="letters")
    drawn = episode(GAMES["plan_path"], PlanPathOptions(size=4), split="train", seed=seed)
    way = [move[0].upper() for move in (drawn.reference or "").removeprefix("Answer: ").split(", ")]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(way)), max_size=3)))
    parts = [way[a:b] for a, b in zip([0, *cuts], [*cuts, len(way)], strict=True)]
    if random.Random(seed).random() < 0.5:
        parts = parts[:-1]
    state = team.begin(drawn)
    for part in parts:
        if not team.ended(state):
            state = team.turned((await team.act(state, COMMITTER, "".join(part))).state)
    verdict = await GamePlayed().verify(drawn, answer=None, message=team.answer(state))
    assert verdict.correct is (team.ended(state) == "solved")


def test_rewards_are_mixed_as_in_equation_3() -> None:
    reward = Reward(team={"goal": 1.0, "shortest": 0.5}, local={"steps": -0.04})
    assert [reward.mixed(alpha) for alpha in (0, 1, 2)] == pytest.approx([-0.04, 1.46, 2.96])


BOARDS = {"plan_path": MAZE, "sokoban": ROOM, "sudoku": GRID}


@pytest.mark.parametrize("wording", ["sentences", "letters"])
@pytest.mark.parametrize("game", BOARDS)
async def test_a_solvers_demonstration_solves_the_board(game: str, wording: Wording) -> None:
    for proposes in ("answer", "program"):
        team = TEAMS[game](proposes=proposes, wording=wording)
        state = team.begin(task(game, BOARDS[game]))
        for agent in (PROPOSER, COMMITTER):
            message = team.demonstration(state, agent, random.Random(0), weak=False)
            assert message is not None
            state = (await team.act(state, agent, message)).state
        assert state.proposal
        assert team.ended(state) == "solved"


@pytest.mark.parametrize("game", BOARDS)
async def test_a_weak_demonstration_has_the_right_form(game: str) -> None:
    team = TEAMS[game](proposes="answer", wording="letters")
    state = team.begin(task(game, BOARDS[game]))
    for seed in range(20):
        message = team.demonstration(state, PROPOSER, random.Random(seed), weak=True)
        assert message
        read = (await team.act(state, PROPOSER, message)).read
        assert team.in_letters(state.board, read) == message


LARGE = episode(GAMES["sokoban"], SokobanOptions(size=10, boxes=4), split="train", seed=1)


async def test_a_board_too_large_to_search_is_demonstrated_by_its_reference() -> None:
    """From its start, and later from wherever its boxes stand as on the reference's way."""
    assert GAMES["sokoban"].solution(LARGE.metadata[BOARD]) is None, "the search gives up"
    team = SokobanTeam(proposes="answer")
    state = team.begin(LARGE)
    assert team.demonstration(state, PROPOSER, random.Random(0), weak=False) == LARGE.reference
    part = (read_moves(LARGE.reference or "") or ())[:6]
    state = team.turned((await team.act(state, COMMITTER, f"Answer: {written(part)}")).state)
    assert state.moves == part
    message = team.demonstration(state, PROPOSER, random.Random(0), weak=False)
    assert message
    assert team.ended((await team.act(state, COMMITTER, message)).state) == "solved"


async def test_a_weak_player_who_has_no_solution_sees_one_box_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(games, "SLIPS", 0)
    team = SokobanTeam(proposes="answer")
    state = team.begin(task("sokoban", LARGE.metadata[BOARD]))
    assert not state.reference, "as of an imported board"
    assert team.demonstration(state, PROPOSER, random.Random(0), weak=False) is None
    message = team.demonstration(state, PROPOSER, random.Random(0), weak=True)
    acted = await team.act(state, COMMITTER, message or "")
    assert acted.state.moves, "some of it can be done"
    stuck = team.begin(task("sokoban", "#####\n#$_.#\n#__@#\n#####"))
    assert team.demonstration(stuck, PROPOSER, random.Random(0), weak=True) == (
        "Answer: up, down, left, right"
    )


def test_a_walk_that_takes_no_notice_of_walls_has_the_length_of_the_distance() -> None:
    team = PlanPathTeam(proposes="answer", wording="letters")
    state = team.begin(task("plan_path", MAZE))
    walks = {team.demonstration(state, 0, random.Random(at), weak=True) for at in range(60)}
    assert {(len(walk or ""), (walk or "")[-2:]) for walk in walks} == {(8, "cc")}
    assert len(walks) == 6, "in any order"


@pytest.mark.parametrize(
    ("way", "read"),
    [
        ("bacacbcc", "down, down, right, right"),
        (" baca\n", "down, down"),
        ("baccca", "down"),  # cc does not touch ba
        ("cc", ""),
        ("baz", ""),
        ("down, down", "down, down"),
        ("ba, ca", ""),
        ("", ""),
    ],
)
async def test_a_way_is_read_up_to_the_first_jump(way: str, read: str) -> None:
    team = PlanPathTeam(proposes="answer", wording="letters")
    acted = await team.act(team.begin(task("plan_path", MAZE)), PROPOSER, way)
    assert acted.read == read


@pytest.mark.parametrize(
    ("game", "board", "way", "wall"),
    [(PlanPathTeam, MAZE, "ba", "bb"), (SokobanTeam, "#####\n#@_$.\n#####", "bc", "ac")],
)
async def test_a_jump_is_a_blocked_move(
    game: type[GameTeam], board: str, way: str, wall: str
) -> None:
    team = game(proposes="answer", wording="letters")
    state = team.begin(task(team.key, board))
    into_a_wall, jumped = [
        await team.act(state, COMMITTER, f"{way}{cell}") for cell in (wall, "ee")
    ]
    assert jumped.reward == into_a_wall.reward
    assert (jumped.state.blocked, into_a_wall.state.blocked) == ("ee", wall)
    assert (await team.act(state, COMMITTER, "ee")).state.blocked == "ee", "at once"


async def test_walking_to_and_fro_earns_nothing() -> None:
    (near,) = await committed(PlanPathTeam(), MAZE, "D")
    (far,) = await committed(PlanPathTeam(), MAZE, "DUD")
    assert near.reward.mixed(1) - far.reward.mixed(1) == pytest.approx(2 * 0.01)


async def test_letters_tell_the_cell_that_blocked_the_last_way() -> None:
    team = PlanPathTeam(proposes="answer", wording="letters")
    state = team.begin(task("plan_path", MAZE))
    for way, blocked in (("abac", "ac"), ("abcc", "cc"), ("right, down", "bb"), ("ab", "")):
        state = team.turned((await team.act(state, COMMITTER, way)).state)
        assert team.observation(state, PROPOSER).endswith(f"ccG|{blocked}|"), way
        state = replace(state, board=MAZE)


def test_a_way_ends_where_cells_have_no_name() -> None:
    assert way_of((0, 24), ("right", "right", "left")) == "az"
    assert way_of((0, 0), ("up", "down")) == ""


@pytest.mark.parametrize("game", sorted(TEAMS))
def test_in_letters_agents_are_told_to_name_cells(game: str) -> None:
    for plays in get_args(Plays):
        team = TEAMS[game](proposes="answer", wording="letters", plays=plays)
        for agent, role in enumerate(team.roles):
            assert "cell is two letters" in role.prompt
            assert "Answer:" not in role.prompt
            assert ("proposal" in role.prompt) == (agent == 1)
    program = TEAMS[game](proposes="program", wording="letters").roles[0].prompt
    assert "```python" in program


def test_large_boards_have_no_letters() -> None:
    row = "." * 27
    drawn = task("plan_path", f"S{row[2:]}G")
    with pytest.raises(EpisodeError, match="at most 26 rows and columns"):
        PlanPathTeam(wording="letters").begin(drawn)
    assert PlanPathTeam().begin(drawn)


async def test_an_agent_that_plays_alone_moves_the_board() -> None:
    cases: list[tuple[Plays, str]] = [
        ("proposer", "AaaSab.ac#ba.bb#bc.ca.cb.ccG||"),
        ("planner", "BaaSab.ac#ba.bb#bc.ca.cb.ccG|||"),
    ]
    for plays, asked in cases:
        team = PlanPathTeam(proposes="answer", wording="letters", plays=plays)
        state = team.begin(task("plan_path", MAZE))
        assert len(team.roles) == 1
        assert team.observation(state, 0) == asked
        acted = await team.act(state, 0, "DDRR")
        assert team.ended(acted.state) == "solved"
    said = PlanPathTeam(plays="planner").observation(state, 0)
    assert "proposal" not in said
