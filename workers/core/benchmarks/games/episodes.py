"""Episodes: boards of a game as tasks, drawn from a seed.

A board's own text decides its split. So no board is in two splits, whatever the seeds, and boards
that a training draws later are never those that it is judged on.
"""

import hashlib
import random
from collections.abc import Iterator

from workers.core.benchmarks.games.base import Game, GameOptions, NoBoard, board_asked
from workers.core.benchmarks.games.plan_path import PlanPath
from workers.core.benchmarks.games.sokoban import Sokoban
from workers.core.benchmarks.games.sudoku import Sudoku
from workers.core.specs import TaskSpec

GAMES: dict[str, Game] = {game.key: game for game in (PlanPath(), Sudoku(), Sokoban())}
VERIFIER = "game"
GAME, BOARD = "game", "board"
"""Keys of `TaskSpec.metadata`."""
TRIES = 500
"""Limit of the boards that are drawn for one episode. One in ten is of the smallest split."""
SHARES = {"test": 1, "dev": 1, "train": 8}
"""Of ten boards. Of games with few boards, each split has its share of those that there are."""


def split_of(game: Game, board: str) -> str:
    """`train`, `dev` or `test`."""
    drawn = int.from_bytes(hashlib.sha256(f"{game.key}\n{board}".encode()).digest()[:8])
    place = drawn % sum(SHARES.values())
    for split, share in SHARES.items():
        if place < share:
            return split
        place -= share
    raise AssertionError("the shares add up")


def episode(game: Game, options: GameOptions, *, split: str, seed: int) -> TaskSpec:
    """The same arguments give the same task. Raises NoBoard."""
    described = f"{game.key} {options.model_dump_json()} {split} {seed}"
    generator = random.Random(described)  # noqa: S311  boards, no secrets
    for _ in range(TRIES):
        drawn = game.draw(generator, options)
        if split_of(game, drawn.board) == split:
            domain = f"{game.name} {options.label()}"
            return task_of(game, drawn.board, domain=domain, known=drawn.answer)
    raise NoBoard(
        f"{TRIES} boards of {game.name} ({options.label()}) were drawn, and none is in the split "
        f"“{split}”. Choose larger boards: these are too few for three splits."
    )


def episodes(
    game: Game, options: GameOptions, *, split: str, count: int, seed: int
) -> Iterator[TaskSpec]:
    """`count` episodes with different boards, from `seed` on. Raises NoBoard if there are hardly as
    many."""
    seen: set[str] = set()
    repeated = 0
    while len(seen) < count:
        task = episode(game, options, split=split, seed=seed)
        seed += 1
        if (board := task.metadata[BOARD]) not in seen:
            seen.add(board)
            repeated = 0
            yield task
        elif (repeated := repeated + 1) >= TRIES:
            raise NoBoard(
                f"The split “{split}” has hardly more than {len(seen)} boards of {game.name} "
                f"({options.label()}). Choose fewer episodes, or larger boards."
            )


def task_of(game: Game, board: str, *, domain: str = "", known: str = "") -> TaskSpec:
    """`known`: an answer that solves the board. Raises BoardError."""
    return TaskSpec(
        query=game.question(board),
        reference=game.solution(board, known),
        domain=domain,
        verifier=VERIFIER,
        metadata={GAME: game.key, BOARD: board},
    )


def board_in(query: str) -> tuple[Game, str] | None:
    """The game and the board that the query asks about."""
    for game in GAMES.values():
        board = board_asked(game, query.strip())
        if board is not None:
            return game, board
    return None
