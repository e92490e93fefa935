"""Boards of rows that are equally long, one mark a cell."""

from collections.abc import Sequence

from workers.core.benchmarks.games.base import BoardError
from workers.core.benchmarks.games.moves import Cell


def rows_of(board: str, *, marks: str, most: int) -> list[str]:
    """Raises BoardError for other marks, and for none or more than `most` rows or columns."""
    rows = board.split("\n")
    if not 0 < len(rows) <= most or not 0 < len(rows[0]) <= most:
        raise BoardError(f"a board has 1 to {most} rows and columns")
    if len({len(row) for row in rows}) > 1:
        raise BoardError("all rows of a board are equally long")
    if set(board) - {*marks, "\n"}:
        raise BoardError(f"a board consists of {' '.join(marks)}")
    return rows


def cells_of(rows: Sequence[str], marks: str) -> list[Cell]:
    """Where one of the marks stands."""
    return [
        (row, column)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark in marks
    ]
