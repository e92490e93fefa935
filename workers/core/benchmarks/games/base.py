"""Defines a game: how a board is drawn, what is asked about it, and when an answer solves it."""

import random
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict


class BoardError(ValueError):
    """A text that is not a board of the game. The message says why."""


class NoBoard(ValueError):
    """These options allow no board. The message says which, and what would help."""


class GameOptions(BaseModel):
    """What a person chooses about the boards of a game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def label(self) -> str:
        """The size in a few characters, for people."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Judged:
    """`share` of the way to the solution, in [0, 1]; `explanation` is one sentence for people."""

    solved: bool
    share: float
    explanation: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """A board that can be solved. `answer` solves it; "": drawing the board gave none."""

    board: str
    answer: str = ""


class Game(Protocol):
    """A board is a text, the same in the question, in files and in tests. The methods that take one
    raise BoardError for any other text."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def rules(self) -> str:
        """What is asked, before the board."""
        ...

    @property
    def form(self) -> str:
        """How the answer must look, after the board."""
        ...

    @property
    def options(self) -> type[GameOptions]: ...

    def draw(self, generator: random.Random, options: Any) -> Drawn:
        """Raises NoBoard."""
        ...

    def question(self, board: str) -> str:
        """The rules, the board, and the form of the answer."""
        ...

    def solution(self, board: str, known: str = "") -> str | None:
        """An answer that solves the board, with the fewest moves. If none is found in moderate
        time: a shorter form of `known`, an answer that solves it, or None without one."""
        ...

    def judge(self, board: str, answer: str) -> Judged:
        """Never raises for an answer, however hostile."""
        ...


MOVES_FORM = "End with a line that lists the moves, like this one: Answer: right, down, down"


def framed(game: Game, board: str) -> str:
    return f"{game.rules}\n\n{board}\n\n{game.form}"


def board_asked(game: Game, query: str) -> str | None:
    """The board, if the query is a question of the game."""
    before, after = f"{game.rules}\n\n", f"\n\n{game.form}"
    if query.startswith(before) and query.endswith(after):
        return query[len(before) : -len(after)]
    return None
