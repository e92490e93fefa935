"""Draws, solves and judges boards by reasoning-gym and gem-llm. `bench/games.py` asks it.

It runs in an environment of these libraries and imports nothing of the studio. A line of input is a
question in JSON, [what, whose, …]; a line of output is its answer. Boards are in the studio's
notation. A solution is the library's own text; "": there is none. An answer to judge is a list of
moves, or the 16 numbers of a Sudoku, where 0 is an empty cell.

The studio's rules differ in two places and hold here, too: a walk ends at the goal, and a blocked
move ends a game of Sokoban.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from gem.envs.game_env.sokoban import SokobanEnv
from gem.envs.game_env.sudoku import SudokuEnv
from reasoning_gym import create_dataset
from reasoning_gym.games.contrib.sokoban.src.astar import solve_astar
from reasoning_gym.games.contrib.sokoban.src.game import Game
from reasoning_gym.games.contrib.sokoban.src.utils import is_solved

Drawn = dict[str, Any]
"""`board`; its `solution`, or how many `moves` the shortest takes, if the library says so."""
Grid = list[list[int]]

TURNS = 10_000
SIZE = 4
TO_PATHS = str.maketrans("SG.#", "*#OX")
FROM_PATHS = str.maketrans("*#OX", "SG.#")
TO_ROOMS = str.maketrans("#_.$*@+", "+-X@$*%")
FROM_ROOMS = str.maketrans("+-X@$*%", "#_.$*@+")
FROM_GEM = {
    (0, 0): "#",
    (1, 1): "_",
    (2, 2): ".",
    (1, 4): "$",
    (2, 4): "*",  # gem-llm draws a box like this; once it is moved to a target, it is a 3
    (2, 3): "*",
    (1, 5): "@",
    (2, 5): "+",
}
"""By what is fixed at a cell, and what stands there."""
TO_GEM = {mark: pair for pair, mark in FROM_GEM.items()}

paths = create_dataset("shortest_path", seed=0, size=1)
grids = create_dataset("mini_sudoku", seed=0, size=1)


def grid_of(board: str) -> Grid:
    return [[int(mark) for mark in row.split()] for row in board.replace("_", "0").split("\n")]


def written(grid: Grid) -> str:
    return "\n".join(" ".join(str(cell or "_") for cell in row) for row in grid)


def draw_path(seed: int) -> Drawn:
    entry = create_dataset("shortest_path", seed=seed, size=1)[0]
    rows = ["".join(row) for row in entry["metadata"]["matrix"]]
    solution = entry["answer"].replace("infeasible", "")
    return {"board": "\n".join(rows).translate(FROM_PATHS), "solution": solution}


def draw_maze(seed: int) -> Drawn:
    entry = create_dataset("maze", seed=seed, size=1)[0]
    told = entry["metadata"]
    ours = {"wall": "#", "path": ".", "start": "S", "goal": "G"}
    marks = str.maketrans({str(told[name]): mark for name, mark in ours.items()})
    board = "\n".join(told["grid"]).translate(marks)
    return {"board": board, "moves": int(entry["answer"])}


def draw_grid(seed: int) -> Drawn:
    entry = create_dataset("mini_sudoku", seed=seed, size=1)[0]
    return {"board": written(entry["metadata"]["puzzle"]), "solution": entry["answer"]}


def draw_room(seed: int) -> Drawn:
    sizes = {"max_w": 8, "max_h": 8, "min_boxes": 1, "max_boxes": 3}
    entry = create_dataset("sokoban", seed=seed, size=1, **sizes)[0]
    board = entry["metadata"]["gamestr"].replace(" ", "").strip()
    return {"board": board.translate(FROM_ROOMS), "solution": entry["answer"]}


def draw_gem_grid(seed: int) -> Drawn:
    env = SudokuEnv(clues=8, max_turns=TURNS, scale=SIZE)
    env.reset(seed)
    return {"board": written(env.board), "solution": written(env.full_grid)}


def draw_gem_room(seed: int) -> Drawn:
    env = SokobanEnv(dim_room=(6, 6), max_turns=TURNS, num_boxes=1 + seed % 2)
    env.reset(seed)
    rows = zip(env.room_fixed.tolist(), env.room_state.tolist(), strict=True)
    marks = [[FROM_GEM[pair] for pair in zip(*row, strict=True)] for row in rows]
    return {"board": "\n".join("".join(row) for row in marks)}


def solve_path(board: str) -> str:
    return " ".join(paths._get_answer(matrix(board)))


def solve_grid(board: str) -> str:
    """ "" if there are several solutions, too."""
    grid = grid_of(board)
    alone = grids._count_solutions([[*row] for row in grid]) == 1
    return written(grid) if alone and grids._solve(grid) else ""


def solve_gem_grid(board: str) -> str:
    env = gem_grid(board)
    found: list[Grid] = []
    env._count_solutions(grid_of(board), found)
    return written(found[0]) if len(found) == 1 else ""


def solve_room(board: str) -> str:
    solution, _ = solve_astar(array(board))
    return solution or ""


def judge_path(board: str, moves: Sequence[str]) -> bool:
    cells = matrix(board)
    ends = range(1, len(moves) + 1)
    return any(paths._is_valid_path(cells, list(moves[:end])) for end in ends)


def judge_grid(board: str, numbers: Sequence[int]) -> bool:
    solution = grid_of(solve_grid(board))
    entry = {"answer": written(solution), "metadata": {"solution": solution}}
    rows = [list(numbers[at : at + SIZE]) for at in range(0, len(numbers), SIZE)]
    return bool(grids.score_answer(written(rows), entry) == 1.0)


def judge_gem_grid(board: str, numbers: Sequence[int]) -> bool:
    env = gem_grid(board)
    is_over = False
    for at, number in enumerate(numbers):
        row, column = divmod(at, SIZE)
        if env.board[row][column] != number:
            _, _, is_over, _, _ = env.step(f"\\boxed{{{row + 1} {column + 1} {number}}}")
            if env.board[row][column] != number:
                return False
    return bool(is_over)


def judge_room(board: str, moves: Sequence[str]) -> bool:
    cells = array(board)
    game = Game(*reversed(cells.shape))
    game.load_puzzle_matrix(cells)
    for move in moves:
        if not game.player.update(key=move[0].upper()):
            return False
        if is_solved(game.get_curr_state()):
            return True
    return False


def judge_gem_room(board: str, moves: Sequence[str]) -> bool:
    env = rooms()
    pairs = [[TO_GEM[mark] for mark in row] for row in board.split("\n")]
    env.room_fixed, env.room_state = np.moveaxis(np.array(pairs), 2, 0).copy()
    env.player_position = np.argwhere(env.room_state == 5)[0]
    env.num_boxes = board.count("$") + board.count("*")
    env.turn_count = 0
    for move in moves:
        before = tuple(env.player_position)
        _, _, is_over, _, _ = env.step(f"\\boxed{{{move}}}")
        if tuple(env.player_position) == before:
            return False
        if is_over:
            return True
    return False


def matrix(board: str) -> list[list[str]]:
    return [[*row] for row in board.translate(TO_PATHS).split("\n")]


def array(board: str) -> Any:
    return np.array([[*row] for row in board.translate(TO_ROOMS).split("\n")])


def gem_grid(board: str) -> Any:
    env = SudokuEnv(clues=8, max_turns=TURNS, scale=SIZE)
    env.board, env.full_grid = grid_of(board), grid_of(board)
    env._solve_sudoku(env.full_grid)
    return env


_rooms: list[Any] = []


def rooms() -> Any:
    """One that is there already: a new one draws a room, which takes long."""
    if not _rooms:
        _rooms.append(SokobanEnv(dim_room=(6, 6), max_turns=TURNS, num_boxes=1))
    return _rooms[0]


DRAW = {
    "reasoning-gym shortest_path": draw_path,
    "reasoning-gym maze": draw_maze,
    "reasoning-gym mini_sudoku": draw_grid,
    "reasoning-gym sokoban": draw_room,
    "gem-llm sudoku": draw_gem_grid,
    "gem-llm sokoban": draw_gem_room,
}
SOLVE = {
    "reasoning-gym plan_path": solve_path,
    "reasoning-gym sudoku": solve_grid,
    "reasoning-gym sokoban": solve_room,
    "gem-llm sudoku": solve_gem_grid,
}
JUDGE = {
    "reasoning-gym plan_path": judge_path,
    "reasoning-gym sudoku": judge_grid,
    "reasoning-gym sokoban": judge_room,
    "gem-llm sudoku": judge_gem_grid,
    "gem-llm sokoban": judge_gem_room,
}


def main() -> None:
    what: dict[str, dict[str, Any]] = {"draw": DRAW, "solve": SOLVE, "judge": JUDGE}
    # The libraries print and log, too.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        asked, whose, *given = json.loads(line)
        print(json.dumps(what[asked][whose](*given)), file=answers, flush=True)


if __name__ == "__main__":
    main()
