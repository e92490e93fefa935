"""Plan-Path: find the way through a grid with walls (AT-GRPO, arXiv 2510.11062, §5.1)."""

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from pydantic import Field

from workers.core.benchmarks.games.base import (
    MOVES_FORM,
    BoardError,
    Drawn,
    GameOptions,
    Judged,
    NoBoard,
    framed,
)
from workers.core.benchmarks.games.grid import cells_of, rows_of
from workers.core.benchmarks.games.moves import (
    STEPS,
    Cell,
    Moves,
    counted,
    moved,
    read_moves,
    written,
)

MARKS = "#.SG*"
WALL, FREE, START, GOAL, ARRIVED = tuple(MARKS)
"""`*`: the walker stands on the goal."""
MOST_ROWS = 40
TRIES = 100


class PlanPathOptions(GameOptions):
    size: int = Field(default=10, ge=2, le=MOST_ROWS, description="Rows and columns of the grid.")
    walls: float = Field(default=0.22, ge=0, le=0.6, description="Share of cells that are walls.")

    def label(self) -> str:
        return f"{self.size}×{self.size}"


@dataclass(frozen=True, slots=True)
class Maze:
    """A grid of `#` and `.`, where the walker stands, and where it is to go."""

    rows: tuple[str, ...]
    at: Cell
    goal: Cell

    @classmethod
    def read(cls, board: str) -> Self:
        """Raises BoardError."""
        rows = rows_of(board, marks=MARKS, most=MOST_ROWS)
        places: dict[str, Cell] = {}
        for mark in (START, GOAL):
            found = cells_of(rows, mark + ARRIVED)
            if len(found) != 1:
                raise BoardError(f"a board has one {mark}, not {len(found)}")
            places[mark] = found[0]
        plain = tuple("".join(WALL if each == WALL else FREE for each in row) for row in rows)
        return cls(plain, places[START], places[GOAL])

    def text(self) -> str:
        """The board, with S where the walker stands."""
        rows = [list(row) for row in self.rows]
        for mark, (row, column) in ((GOAL, self.goal), (START, self.at)):
            rows[row][column] = ARRIVED if rows[row][column] == GOAL else mark
        return "\n".join("".join(row) for row in rows)

    def is_free(self, cell: Cell) -> bool:
        row, column = cell
        return (
            0 <= row < len(self.rows)
            and 0 <= column < len(self.rows[0])
            and self.rows[row][column] == FREE
        )

    def moved(self, move: str) -> "Maze | None":
        """None: a wall or the edge is in the way."""
        cell = moved(self.at, move)
        return replace(self, at=cell) if self.is_free(cell) else None

    @property
    def is_solved(self) -> bool:
        return self.at == self.goal

    def shortest(self) -> Moves | None:
        """A shortest way to the goal; None if there is none. Breadth first, so its length is the
        least."""
        came: dict[Cell, tuple[Cell, str]] = {}
        for cell, previous, move in _spread(self, self.at):
            came[cell] = previous, move
            if cell == self.goal:
                break
        if self.goal != self.at and self.goal not in came:
            return None
        moves: list[str] = []
        cell = self.goal
        while cell != self.at:
            cell, move = came[cell]
            moves.append(move)
        return tuple(reversed(moves))


def _spread(maze: Maze, start: Cell) -> Iterable[tuple[Cell, Cell, str]]:
    """Each cell that can be reached, nearest first: the cell, the one before it, and the move."""
    seen, waiting = {start}, deque([start])
    while waiting:
        here = waiting.popleft()
        for move in STEPS:
            cell = moved(here, move)
            if cell not in seen and maze.is_free(cell):
                seen.add(cell)
                waiting.append(cell)
                yield cell, here, move


def _distances(maze: Maze, start: Cell) -> dict[Cell, int]:
    found = {start: 0}
    for cell, previous, _ in _spread(maze, start):
        found[cell] = found[previous] + 1
    return found


@dataclass(frozen=True, slots=True)
class PlanPath:
    key: str = "plan_path"
    name: str = "Plan-Path"
    description: str = "Find the way through a grid with walls."
    options: type[PlanPathOptions] = PlanPathOptions

    def draw(self, generator: random.Random, options: PlanPathOptions) -> Drawn:
        """The goal is drawn from the cells that take at least `size` − 1 moves from the start. If
        no start of `TRIES` has such cells, it is one of the farthest that were found."""
        size = options.size
        cells = [(row, column) for row in range(size) for column in range(size)]
        farthest, best = 0, ""
        for _ in range(TRIES):
            walls = set(generator.sample(cells, round(options.walls * len(cells))))
            rows = tuple(
                "".join(WALL if (row, column) in walls else FREE for column in range(size))
                for row in range(size)
            )
            start = generator.choice([cell for cell in cells if cell not in walls])
            distances = _distances(Maze(rows, start, start), start)
            far = min(size - 1, max(distances.values()))
            if far > farthest:
                goals = sorted(cell for cell, distance in distances.items() if distance >= far)
                farthest, best = far, Maze(rows, start, generator.choice(goals)).text()
            if far == size - 1:
                break
        if not best:
            raise NoBoard(
                f"With {options.walls:.0%} walls hardly a cell of a {size}×{size} grid has a free "
                "neighbour. Choose fewer walls, or a larger grid."
            )
        return Drawn(best)

    rules = (
        "Find the way from S to G. # is a wall, and . is a free cell. A move goes one cell up, "
        "down, left or right. A move into a wall or off the grid ends the walk."
    )
    form = MOVES_FORM

    def question(self, board: str) -> str:
        Maze.read(board)
        return framed(self, board)

    def solution(self, board: str, known: str = "") -> str | None:
        moves = Maze.read(board).shortest()
        return None if moves is None else f"Answer: {written(moves)}"

    def judge(self, board: str, answer: str) -> Judged:
        """`share`: how much of the shortest way has been gone, by the distance that is left."""
        maze = Maze.read(board)
        moves = read_moves(answer)
        if moves is None:
            return Judged(False, 0.0, "The answer has no list of moves.")
        after, made = walked(maze, moves)
        least = _length(maze)
        if after.is_solved:
            ways = "the fewest possible" if made == least else f"{least} would do"
            return Judged(True, 1.0, f"The goal is reached after {counted(made)}; {ways}.")
        row, column = after.at
        why = (
            f"Move {made + 1} (“{moves[made]}”) is blocked"
            if made < len(moves)
            else f"The walk of {counted(made)} ends"
        )
        left = _length(after)
        share = 0.0 if least is None or left is None else max(0.0, 1 - left / least)
        return Judged(
            False, share, f"{why} at row {row + 1}, column {column + 1}, not at the goal."
        )


def walked(maze: Maze, moves: Moves) -> tuple[Maze, int]:
    """The maze after the moves, and how many were made: until the goal, or one that is blocked."""
    for made, move in enumerate(moves):
        if maze.is_solved:
            return maze, made
        after = maze.moved(move)
        if after is None:
            return maze, made
        maze = after
    return maze, len(moves)


def _length(maze: Maze) -> int | None:
    moves = maze.shortest()
    return None if moves is None else len(moves)
