"""Properties of the games, and what their verifier makes of answers."""

import hashlib
import random
from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.games import sokoban
from workers.core.benchmarks.games.base import BoardError, Game, GameOptions, NoBoard
from workers.core.benchmarks.games.episodes import BOARD, GAMES, episode, episodes, split_of
from workers.core.benchmarks.games.moves import MOST_MOVES, STEPS, read_moves, written
from workers.core.benchmarks.games.plan_path import Maze, PlanPathOptions, walked
from workers.core.benchmarks.games.sokoban import Room, SokobanOptions, pushed, shortest
from workers.core.benchmarks.games.sudoku import Grid, SudokuOptions, read_grid, the_solution
from workers.core.benchmarks.games.verifier import GamePlayed
from workers.core.benchmarks.judge_run import answer_verified

OPTIONS: dict[str, st.SearchStrategy[GameOptions]] = {
    "plan_path": st.builds(
        PlanPathOptions, size=st.integers(2, 12), walls=st.floats(0, 0.3).map(lambda x: round(x, 2))
    ),
    "sudoku": st.builds(SudokuOptions, empty=st.integers(1, 11)),
    # The search for the reference sees all positions of the first three.
    "sokoban": st.sampled_from(
        [
            SokobanOptions(size=size, boxes=boxes)
            for size, boxes in ((6, 1), (6, 2), (8, 1), (10, 3), (10, 4), (12, 4), (14, 6))
        ]
    ),
}
seeds = st.integers(0, 10**9)


@pytest.mark.parametrize("key", GAMES)
@settings(deadline=None, max_examples=40)
@given(data=st.data(), seed=seeds)
def test_every_board_is_solved_by_its_reference(key: str, data: st.DataObject, seed: int) -> None:
    game, options = GAMES[key], data.draw(OPTIONS[key])
    task = episode(game, options, split="train", seed=seed)
    board = task.metadata[BOARD]
    assert board in task.query
    assert task.reference is not None
    judged = game.judge(board, task.reference)
    assert judged.solved
    assert judged.share == 1
    assert task == episode(game, options, split="train", seed=seed)


@pytest.mark.parametrize("key", GAMES)
def test_no_board_is_in_two_splits(key: str) -> None:
    game = GAMES[key]
    boards = {
        split: [task.metadata[BOARD] for task in _some(game, split)]
        for split in ("train", "dev", "test")
    }
    for split, found in boards.items():
        assert len(set(found)) == len(found) == 30
        assert {split_of(game, board) for board in found} == {split}


def test_one_board_in_ten_is_of_each_smaller_split() -> None:
    game = GAMES["plan_path"]
    generator = random.Random(0)
    drawn = Counter(
        split_of(game, game.draw(generator, PlanPathOptions(size=6)).board) for _ in range(2_000)
    )
    assert 1_500 < drawn["train"] < 1_700
    assert 140 < drawn["dev"] < 270
    assert 140 < drawn["test"] < 270


def _some(game: Game, split: str) -> list[Any]:
    return list(episodes(game, game.options(), split=split, count=30, seed=0))


class TestTooFew:
    def test_boards_for_the_count(self) -> None:
        options = PlanPathOptions(size=2, walls=0)
        with pytest.raises(NoBoard, match="Choose fewer episodes, or larger boards"):
            list(episodes(GAMES["plan_path"], options, split="train", count=100, seed=0))

    def test_free_cells(self) -> None:
        with pytest.raises(NoBoard, match="Choose fewer boxes or walls"):
            episode(GAMES["sokoban"], SokobanOptions(size=5, boxes=5), split="train", seed=0)

    def test_boxes_that_the_player_reaches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A larger room would not help."""
        monkeypatch.setattr(sokoban, "TRIES", 1)
        with pytest.raises(NoBoard, match="too large for the player to reach all boxes"):
            GAMES["sokoban"].draw(random.Random(0), SokobanOptions(size=20, boxes=8))

    def test_numbers_for_one_solution(self) -> None:
        with pytest.raises(ValidationError):
            SudokuOptions(empty=13)


class TestMoves:
    @given(st.lists(st.sampled_from(list(STEPS)), max_size=30).map(tuple))
    def test_what_is_written_is_read(self, moves: tuple[str, ...]) -> None:
        assert read_moves(f"Let me see.\nAnswer: {written(moves)}") == (moves or None)
        assert read_moves(f"right\n[{written(moves)}]") == moves

    @pytest.mark.parametrize(
        ("message", "moves"),
        [
            ("Answer: right, down, down", "RDD"),
            ("**Answer:** right, down", "RD"),
            ('First up? No: blocked.\nAnswer: ["right", "down"]', "RD"),
            ("R R D", "RRD"),
            ("Answer: RRD", "RRD"),
            ("Answer: 1. right 2. down", "RD"),
            ("Answer:\n1. right\n2. down\n", "RD"),
            ("Answer: right, then down, and left.", "RDL"),
            ("[up] does not work, so [right, right]", "RR"),
            ("The way is right → down → right\nright → down → right", "RDR"),
            ("Answer: right, down\nThis reaches the goal.", "RD"),
            ("Answer: up\nWait, that is a wall.\nAnswer: Left, Down", "LD"),
            ("[]", ""),
        ],
    )
    def test_are_read_from(self, message: str, moves: str) -> None:
        names = {name[0].upper(): name for name in STEPS}
        assert read_moves(message) == tuple(names[move] for move in moves)

    @pytest.mark.parametrize(
        "message",
        [
            "",
            "I can't find a way.",
            "Answer: none",
            "Go right and then you will see the goal.",
            "dull",
            "Answer: north, east",
            "Answer: " + "right, " * (MOST_MOVES + 1),
        ],
    )
    def test_are_not_in(self, message: str) -> None:
        assert read_moves(message) is None


class TestPlanPath:
    BOARD = "S.#\n.#.\n..G"

    def test_shortest_way(self) -> None:
        assert Maze.read(self.BOARD).shortest() == ("down", "down", "right", "right")

    def test_no_way(self) -> None:
        assert Maze.read("S#G").shortest() is None

    @pytest.mark.parametrize(
        ("answer", "solved", "told"),
        [
            ("DDRR", True, "The goal is reached after 4 moves; the fewest possible."),
            ("DUDDRR", True, "The goal is reached after 6 moves; 4 would do."),
            ("DDRRLLLL", True, "The goal is reached after 4 moves; the fewest possible."),
            ("DR", False, "Move 2 (“right”) is blocked at row 2, column 1, not at the goal."),
            ("U", False, "Move 1 (“up”) is blocked at row 1, column 1, not at the goal."),
            ("DDR", False, "The walk of 3 moves ends at row 3, column 2, not at the goal."),
            ("hello", False, "The answer has no list of moves."),
        ],
    )
    def test_verdicts(self, answer: str, solved: bool, told: str) -> None:
        judged = GAMES["plan_path"].judge(self.BOARD, answer)
        assert (judged.solved, judged.explanation) == (solved, told)

    def test_share_is_of_the_shortest_way(self) -> None:
        shares = [GAMES["plan_path"].judge(self.BOARD, "DDRR"[:made]).share for made in (1, 2, 3)]
        assert shares == [0.25, 0.5, 0.75]
        assert GAMES["plan_path"].judge(self.BOARD, "R").share == 0, "farther than before"

    @given(seed=seeds, moves=st.lists(st.sampled_from(list(STEPS)), max_size=40).map(tuple))
    def test_a_walk_never_enters_a_wall(self, seed: int, moves: tuple[str, ...]) -> None:
        board = GAMES["plan_path"].draw(random.Random(seed), PlanPathOptions(size=6)).board
        after, made = walked(Maze.read(board), moves)
        assert after.is_free(after.at)
        assert made <= len(moves)
        again, _ = walked(Maze.read(board), moves[:made])
        assert again == after

    @given(seed=seeds)
    def test_walls_and_distance_are_as_chosen(self, seed: int) -> None:
        board = GAMES["plan_path"].draw(random.Random(seed), PlanPathOptions()).board
        assert board.count("#") == 22
        assert len(Maze.read(board).shortest() or ()) >= 9

    @pytest.mark.parametrize(
        "board", ["", "S.", "S.G\n..", "S.GS", "S.G<script>", "\n".join(["S" + "." * 50 + "G"])]
    )
    def test_other_texts_are_no_boards(self, board: str) -> None:
        with pytest.raises(BoardError):
            Maze.read(board)


class TestSokoban:
    BOARD = "######\n#.___#\n#_$__#\n#__@_#\n#____#\n######"

    def test_shortest_solution(self) -> None:
        moves = shortest(Room.read(self.BOARD))
        assert moves is not None
        after, made = pushed(Room.read(self.BOARD), moves)
        assert after.is_solved
        assert made == len(moves) == 5
        assert after.text().count("*") == 1

    def test_a_box_in_a_corner_stays(self) -> None:
        assert shortest(Room.read("#####\n#$_.#\n#__@#\n#####")) is None

    @pytest.mark.parametrize(("size", "boxes"), [(10, 3), (12, 4)])
    def test_the_way_back_is_shortened(self, size: int, boxes: int) -> None:
        """The search gives up on these boards."""
        options = SokobanOptions(size=size, boxes=boxes)
        drawn = GAMES["sokoban"].draw(random.Random(0), options)
        assert GAMES["sokoban"].solution(drawn.board) is None
        back, known = (
            read_moves(answer or "") or ()
            for answer in (drawn.answer, GAMES["sokoban"].solution(drawn.board, drawn.answer))
        )
        assert 0 < len(known) < len(back) / 2
        for moves in (back, known):
            assert pushed(Room.read(drawn.board), moves)[0].is_solved

    def test_a_known_answer_does_not_replace_a_shortest_one(self) -> None:
        moves = shortest(Room.read(self.BOARD)) or ()
        longer = f"Answer: {written(('up', 'down', *moves))}"
        assert GAMES["sokoban"].solution(self.BOARD, longer) == f"Answer: {written(moves)}"

    def test_a_known_answer_that_is_wrong_is_none(self) -> None:
        board = GAMES["sokoban"].draw(random.Random(0), SokobanOptions(size=10, boxes=4)).board
        assert GAMES["sokoban"].solution(board, "Answer: up, up, left") is None

    def test_the_boards_and_references_of_a_seed_stay(self) -> None:
        """Results are told with their seeds."""
        told = []
        for size, boxes in ((6, 1), (8, 2), (10, 4)):
            options = SokobanOptions(size=size, boxes=boxes)
            of = [episode(GAMES["sokoban"], options, split="train", seed=at) for at in range(5)]
            told += [task.metadata[BOARD] for task in of]
            told += [task.reference or "" for task in of if boxes == 1]
        assert hashlib.sha256("\n".join(told).encode()).hexdigest()[:16] == "c4362780d9ae3ae0"

    def test_boxes_are_not_pushed_in_pairs(self) -> None:
        room = Room.read("#######\n#@$$..#\n#######")
        assert room.moved("right") is None
        assert GAMES["sokoban"].judge(room.text(), "R").explanation == (
            "Move 1 (“right”) is blocked, with 0 of 2 boxes on targets."
        )

    def test_a_player_on_a_target_is_read(self) -> None:
        room = Room.read("######\n#+_$_#\n######")
        assert room.player in room.targets
        assert room.text() == "######\n#+_$_#\n######"

    @given(seed=seeds, moves=st.lists(st.sampled_from(list(STEPS)), max_size=30).map(tuple))
    def test_boxes_are_neither_lost_nor_in_walls(self, seed: int, moves: tuple[str, ...]) -> None:
        options = SokobanOptions(size=7, boxes=2)
        room = Room.read(GAMES["sokoban"].draw(random.Random(seed), options).board)
        assert room.on_target == 0
        after, _ = pushed(room, moves)
        assert len(after.boxes) == 2
        assert all(map(after.is_floor, after.boxes))
        assert after.player not in after.boxes
        assert Room.read(after.text()) == after

    @pytest.mark.parametrize("board", ["", "###", "#@.#", "#@@$.#", "#@$..#", "#@$.x"])
    def test_other_texts_are_no_boards(self, board: str) -> None:
        with pytest.raises(BoardError):
            Room.read(board)


class TestSudoku:
    BOARD = "1 2 3 _\n3 4 1 2\n2 1 4 3\n4 3 2 _"
    SOLVED = "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1"

    def test_there_are_288_full_grids(self) -> None:
        assert sum(1 for _ in Grid((0,) * 16).solutions()) == 288

    @given(st.lists(st.integers(0, 4), min_size=16, max_size=16))
    def test_the_only_solution_is_the_one_that_a_search_finds(self, cells: list[int]) -> None:
        """Also of grids that have none, or several."""
        self.searched(Grid(tuple(cells)))

    @given(seed=seeds, taken=st.sets(st.integers(0, 15)))
    def test_so_it_is_for_parts_of_full_grids(self, seed: int, taken: set[int]) -> None:
        board = GAMES["sudoku"].draw(random.Random(seed), SudokuOptions(empty=1)).board
        full = the_solution(Grid.read(board))
        assert full is not None
        cells = [0 if at in taken else cell for at, cell in enumerate(full.cells)]
        self.searched(Grid(tuple(cells)))

    def searched(self, grid: Grid) -> None:
        found = list(islice(grid.solutions(), 2))
        assert the_solution(grid) == (found[0] if len(found) == 1 else None)

    def test_nothing_is_searched_for_the_grids_of_a_dataset(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = the_solution(Grid.read(self.BOARD))
        monkeypatch.delattr(Grid, "solutions")
        assert the_solution(Grid.read(self.BOARD)) == known

    @given(seed=seeds, empty=st.integers(1, 12))
    def test_each_board_has_one_solution(self, seed: int, empty: int) -> None:
        board = GAMES["sudoku"].draw(random.Random(seed), SudokuOptions(empty=empty)).board
        grid = Grid.read(board)
        assert board.count("_") == empty
        solved = the_solution(grid)
        assert solved is not None
        assert solved.is_valid
        assert solved.keeps(grid)

    @pytest.mark.parametrize(
        "message",
        [
            f"Answer:\n{SOLVED}",
            SOLVED.replace(" ", ""),
            "[[1,2,3,4],[3,4,1,2],[2,1,4,3],[4,3,2,1]]",
            "Row 1: 1 2 3 4\nRow 2: 3 4 1 2\nRow 3: 2 1 4 3\nRow 4: 4 3 2 1",
            "| 1 | 2 | 3 | 4 |\n| 3 | 4 | 1 | 2 |\n|---|---|---|---|\n| 2 | 1 | 4 | 3 |\n"
            "| 4 | 3 | 2 | 1 |",
            f"The board is\n{BOARD}\nand full\n\n{SOLVED}\n",
            f"```\n{SOLVED}\n```",
            f"{SOLVED}\nEach row has each number.",
        ],
    )
    def test_grids_are_read(self, message: str) -> None:
        assert read_grid(message) == Grid.read(self.SOLVED)
        assert GAMES["sudoku"].judge(self.BOARD, message).solved

    @pytest.mark.parametrize("message", ["", "1 2 3 4", "1 2 3 4\n3 4 1 2\nand so on", "9 " * 16])
    def test_other_texts_are_no_grids(self, message: str) -> None:
        assert read_grid(message) is None

    @pytest.mark.parametrize(
        ("answer", "share", "told"),
        [
            (BOARD, 0, "The grid is not full; 0 of 2 cells are filled right."),
            (
                BOARD.replace("3 _", "3 4"),
                0.5,
                "The grid is not full; 1 of 2 cells are filled right.",
            ),
            (
                SOLVED[:-1] + "4",
                0.5,
                "The grid has a number twice in a row, column or box; "
                "1 of 2 cells are filled right.",
            ),
            ("2" + SOLVED[1:], 0, "The answer changes a number that was given."),
            ("I don't know", 0, "The answer has no grid of four rows."),
        ],
    )
    def test_verdicts(self, answer: str, share: float, told: str) -> None:
        judged = GAMES["sudoku"].judge(self.BOARD, answer)
        assert (judged.solved, judged.share, judged.explanation) == (False, share, told)


class TestVerifier:
    @pytest.mark.parametrize("key", GAMES)
    async def test_references_are_right(self, key: str) -> None:
        for task in _some(GAMES[key], "test")[:5]:
            verdict = await answer_verified(task, answer=None, message=task.reference or "")
            assert verdict is not None
            assert verdict.correct

    async def test_any_solution_counts(self) -> None:
        task = episode(GAMES["plan_path"], PlanPathOptions(size=5), split="dev", seed=1)
        maze = Maze.read(task.metadata[BOARD])
        there = next(move for move in STEPS if maze.moved(move))
        back = {"up": "down", "down": "up", "left": "right", "right": "left"}[there]
        detour = written((there, back, *(maze.shortest() or ())))
        verdict = await GamePlayed().verify(task, answer=detour, message=f"Answer: {detour}")
        assert verdict.correct
        assert verdict.reward == 1

    async def test_a_team_is_judged_by_the_moves_of_all_its_turns(self) -> None:
        board = "S.G"
        task = episode(GAMES["plan_path"], PlanPathOptions(), split="dev", seed=1)
        task = task.model_copy(update={"metadata": task.metadata | {"board": board}})
        verdict = await GamePlayed().verify(task, answer="Answer: right, right", message="R")
        assert verdict.correct

    async def test_no_answer_is_wrong(self) -> None:
        task = episode(GAMES["sudoku"], SudokuOptions(), split="dev", seed=1)
        verdict = await GamePlayed().verify(task, answer=None, message="")
        assert not verdict.correct

    @pytest.mark.parametrize("metadata", [{}, {"game": "chess"}, {"game": "sokoban", "board": "?"}])
    async def test_a_task_without_a_board_is_not_judged(self, metadata: dict[str, Any]) -> None:
        task = episode(GAMES["sudoku"], SudokuOptions(), split="dev", seed=1)
        broken = task.model_copy(update={"metadata": metadata})
        with pytest.raises(VerifierError):
            await GamePlayed().verify(broken, answer="x", message="x")
