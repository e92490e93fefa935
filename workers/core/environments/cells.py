"""Boards and ways as cells with names: one sign each for a model with a vocabulary of its own.

A cell's name is its row and its column as letters, `aa` at the top left; on a board its mark
follows (`ab#`). A way names the cells that are entered, one after the other. So a model need not
work out where a list of moves has led it.
"""

import re
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from workers.core.benchmarks.games.moves import STEPS, Cell, Moves, moved

MOST = len(ascii_lowercase)
"""Rows and columns that have a name."""
NAME = r"[a-z]{2}"
_WAY = re.compile(f"({NAME})+")
_MOVES = {step: move for move, step in STEPS.items()}


def named(rows: Sequence[Sequence[str]]) -> str:
    """A board of at most `MOST` rows and columns, given its marks."""
    return "".join(
        f"{name_of((row, column))}{mark}"
        for row, marks in enumerate(rows)
        for column, mark in enumerate(marks)
    )


def name_of(cell: Cell) -> str:
    return "".join(ascii_lowercase[at] for at in cell)


def way_of(start: Cell, moves: Moves) -> str:
    """The cells that the moves enter, as far as they have names."""
    return "".join(_names(start, moves))


def _names(cell: Cell, moves: Moves) -> Iterator[str]:
    for move in moves:
        cell = moved(cell, move)
        if not all(0 <= at < MOST for at in cell):
            return
        yield name_of(cell)


def moves_along(start: Cell, way: str) -> tuple[Moves, str] | None:
    """The moves from cell to cell, up to the first that does not touch the one before it, and that
    cell; "": all touch. None: the text is no way."""
    if not _WAY.fullmatch(way.strip()):
        return None
    moves: list[str] = []
    for name in re.findall(NAME, way):
        cell = (ascii_lowercase.index(name[0]), ascii_lowercase.index(name[1]))
        move = _MOVES.get((cell[0] - start[0], cell[1] - start[1]))
        if move is None:
            return tuple(moves), name
        moves.append(move)
        start = cell
    return tuple(moves), ""
