"""Sudoku 4×4: fill the grid so that each row, column and box has each number once."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Self

from pydantic import Field

from workers.core.benchmarks.games.base import (
    BoardError,
    Drawn,
    GameOptions,
    Judged,
    NoBoard,
    framed,
)

SIZE, BOX = 4, 2
EMPTY = 0
FEWEST_GIVEN = 4
"""No 4×4 grid with fewer numbers has a single solution (Taalman 2007)."""
TRIES = 200
READ_CHARS = 20_000

_ROW = re.compile(r"[\s,;|\[\](){}`*\"'.:]*".join(["", *[r"([0-4_])"] * SIZE, ""]))
_IN_A_ROW = re.compile(rf"[0-4_]{{{SIZE * SIZE}}}")
_NESTED = re.compile(r"\[\s*(?:\[[\s\d,]*\]\s*,?\s*){4}\]")


class SudokuOptions(GameOptions):
    empty: int = Field(
        default=8, ge=1, le=SIZE * SIZE - FEWEST_GIVEN, description="Number of empty cells."
    )

    def label(self) -> str:
        return f"4×4, {self.empty} empty"


@dataclass(frozen=True, slots=True)
class Grid:
    """Row by row; 0 is an empty cell."""

    cells: tuple[int, ...]

    @classmethod
    def read(cls, board: str) -> Self:
        """Raises BoardError."""
        rows = board.split("\n")
        if len(rows) != SIZE or any(len(row.split(" ")) != SIZE for row in rows):
            raise BoardError(f"a board has {SIZE} rows of {SIZE} numbers, with a space between")
        marks = [mark for row in rows for mark in row.split(" ")]
        if not set(marks) <= {*"1234_"}:
            raise BoardError("a board consists of 1 to 4 and _")
        return cls(tuple(EMPTY if mark == "_" else int(mark) for mark in marks))

    def text(self) -> str:
        return "\n".join(
            " ".join("_" if cell == EMPTY else str(cell) for cell in row) for row in self.rows()
        )

    def rows(self) -> list[tuple[int, ...]]:
        return [self.cells[at : at + SIZE] for at in range(0, len(self.cells), SIZE)]

    def units(self) -> Iterator[tuple[int, ...]]:
        """Rows, columns and boxes."""
        for at in range(SIZE):
            yield tuple(self.cells[at * SIZE + column] for column in range(SIZE))
            yield tuple(self.cells[row * SIZE + at] for row in range(SIZE))
        for row, column in product(range(0, SIZE, BOX), repeat=2):
            yield tuple(
                self.cells[(row + down) * SIZE + column + right]
                for down, right in product(range(BOX), repeat=2)
            )

    @property
    def is_valid(self) -> bool:
        """No number stands twice in a row, column or box."""
        filled = [[cell for cell in unit if cell != EMPTY] for unit in self.units()]
        return all(len(set(unit)) == len(unit) for unit in filled)

    @property
    def is_full(self) -> bool:
        return EMPTY not in self.cells

    def keeps(self, given: "Grid") -> bool:
        """Whether each number of `given` still stands in its place."""
        return all(
            is_given in (EMPTY, cell)
            for is_given, cell in zip(given.cells, self.cells, strict=True)
        )

    def solutions(self) -> Iterator["Grid"]:
        """All of them, one after the other, in order of their numbers."""
        if not self.is_valid:
            return
        if self.is_full:
            yield self
            return
        at = self.cells.index(EMPTY)
        for number in range(1, SIZE + 1):
            yield from self.put(at, number).solutions()

    def put(self, at: int, number: int) -> "Grid":
        return Grid((*self.cells[:at], number, *self.cells[at + 1 :]))


def the_solution(grid: Grid) -> Grid | None:
    """The grid's only solution; None if it has none or several. Looked up among the 288 full grids:
    every grid of a dataset is asked about when a training starts."""
    given = _bits(grid)
    found = [full for bits, full in _full_by_bits() if bits & given == given]
    return found[0] if len(found) == 1 else None


def _bits(grid: Grid) -> int:
    """One for each number and the cell that it stands in."""
    return sum(1 << (SIZE * at + cell - 1) for at, cell in enumerate(grid.cells) if cell != EMPTY)


def read_grid(text: str) -> Grid | None:
    """The grid that a message commits to: its last list of lists, else its last four lines of four
    numbers; or all sixteen in a row, and nothing else. 0 and _ are empty cells. None: it commits to
    none."""
    text = text[-READ_CHARS:]
    if row := _IN_A_ROW.fullmatch(text.strip()):
        return Grid(tuple(EMPTY if cell == "_" else int(cell) for cell in row[0]))
    if nested := _NESTED.findall(text):
        numbers = [int(number) for number in re.findall(r"\d+", nested[-1])]
        if len(numbers) == SIZE * SIZE and max(numbers) <= SIZE:
            return Grid(tuple(numbers))
    found: list[Sequence[str]] = []
    rows: list[Sequence[str]] = []
    for line in text.splitlines():
        _, _, after = line.rpartition(":")
        match = _ROW.fullmatch(after)
        if match is None:
            # A line between the rows of two boxes does not end a grid.
            if re.search(r"\w", line):
                rows = []
            continue
        rows = [*rows, match.groups()] if len(rows) < SIZE else [match.groups()]
        if len(rows) == SIZE:
            found = rows
    if not found:
        return None
    return Grid(tuple(EMPTY if cell == "_" else int(cell) for row in found for cell in row))


@dataclass(frozen=True, slots=True)
class Sudoku:
    key: str = "sudoku"
    name: str = "Sudoku 4×4"
    description: str = "Fill the grid so that each row, column and box has 1 to 4 once."
    options: type[SudokuOptions] = SudokuOptions

    def draw(self, generator: random.Random, options: SudokuOptions) -> Drawn:
        """Cells of a full grid are emptied in random order while the solution stays the only
        one."""
        for _ in range(TRIES):
            grid = generator.choice(_full_grids())
            order = generator.sample(range(SIZE * SIZE), SIZE * SIZE)
            left = options.empty
            for at in order:
                emptied = grid.put(at, EMPTY)
                if left and the_solution(emptied) is not None:
                    grid, left = emptied, left - 1
            if not left:
                return Drawn(grid.text())
        raise NoBoard(
            f"Hardly a grid with {options.empty} empty cells has a single solution. Choose fewer."
        )

    rules = (
        "Fill the empty cells (_) so that each row, each column and each of the four 2×2 boxes "
        "has the numbers 1, 2, 3 and 4 once."
    )
    form = "End with a line that says “Answer:” and, below it, the four rows of the full grid."

    def question(self, board: str) -> str:
        Grid.read(board)
        return framed(self, board)

    def solution(self, board: str, known: str = "") -> str | None:
        solved = the_solution(Grid.read(board))
        return None if solved is None else f"Answer:\n{solved.text()}"

    def judge(self, board: str, answer: str) -> Judged:
        """`share`: that of the empty cells that are filled as in the solution."""
        given = Grid.read(board)
        filled = read_grid(answer)
        if filled is None:
            return Judged(False, 0.0, "The answer has no grid of four rows.")
        if not filled.keeps(given):
            return Judged(False, 0.0, "The answer changes a number that was given.")
        solved = the_solution(given)
        if solved is None:
            raise BoardError("the board does not have exactly one solution")
        empty = [at for at, cell in enumerate(given.cells) if cell == EMPTY]
        right = sum(filled.cells[at] == solved.cells[at] for at in empty)
        share = right / len(empty) if empty else 1.0
        if filled == solved:
            return Judged(True, 1.0, "Every row, column and box has each number once.")
        wrong = "is not full" if filled.is_valid else "has a number twice in a row, column or box"
        return Judged(
            False, share, f"The grid {wrong}; {right} of {len(empty)} cells are filled right."
        )


@cache
def _full_by_bits() -> tuple[tuple[int, Grid], ...]:
    return tuple((_bits(grid), grid) for grid in _full_grids())


@cache
def _full_grids() -> tuple[Grid, ...]:
    """All 288."""
    return tuple(Grid((EMPTY,) * (SIZE * SIZE)).solutions())
