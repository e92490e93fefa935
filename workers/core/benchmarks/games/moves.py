"""Moves on a grid: their names, and how a list of them is read from a message."""

import re
from collections.abc import Sequence

Cell = tuple[int, int]
"""Row and column, from 0 at the top left."""
Moves = tuple[str, ...]

STEPS: dict[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
MOST_MOVES = 1_000
"""A longer list is no answer."""
READ_CHARS = 20_000
"""Only the end of a longer message is read."""

_LETTERS = {name[0].upper(): name for name in STEPS}
_LIST = re.compile(r"\[([^\[\]]*)\]")
_ANSWER = re.compile(r"(?i)\banswer\b[*_`\s]*[:=]")
_BETWEEN = re.compile(r"[\s,;:.>→|/\"'“”`*()\[\]-]+")
_PASSED = re.compile(r"(?i)(?:\d+|then|and)?")
_RUN = re.compile(r"[UDLR]+")


def moved(cell: Cell, move: str) -> Cell:
    """The neighbour in that direction. It may be off the board."""
    down, right = STEPS[move]
    return cell[0] + down, cell[1] + right


def written(moves: Sequence[str]) -> str:
    """The form that questions ask for."""
    return ", ".join(moves)


def counted(moves: int) -> str:
    return "1 move" if moves == 1 else f"{moves} moves"


def read_moves(text: str) -> Moves | None:
    """The moves that a message commits to: its last list in brackets, else what follows its last
    “Answer:”, else its last line, if that is nothing but moves. None: it commits to none.

    Moves are words (“up”) or capital letters (“U”, “RRD”), numbered or not.
    """
    text = text[-READ_CHARS:]
    for listed in reversed(_LIST.findall(text)):
        if (moves := _all_moves(listed)) is not None:
            return moves
    *_, after = _ANSWER.split(text)
    lines = [line for line in after.splitlines() if line.strip()]
    for candidate in (after, *lines[:1], *lines[-1:]):
        if candidate.strip() and (moves := _all_moves(candidate)):
            return moves
    return None


def _all_moves(text: str) -> Moves | None:
    """None if anything else stands there, or too many."""
    moves: list[str] = []
    for word in _BETWEEN.split(text):
        if word.lower() in STEPS:
            moves.append(word.lower())
        elif _RUN.fullmatch(word):
            moves += [_LETTERS[letter] for letter in word]
        elif not _PASSED.fullmatch(word):
            return None
        if len(moves) > MOST_MOVES:
            return None
    return tuple(moves)
