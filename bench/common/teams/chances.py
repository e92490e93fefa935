"""What a team is worth with the best executor: many plays side by side.

Legend: P plays, each of a query of its own; L letters.

It is written from the rules of `looks` and of the language's blocks, without either. A test plays
some teams by the real ones and finds the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench.common.teams.looks import NOISE
from bench.common.teams.queries import LETTERS, TABLES, Query
from bench.common.teams.teams import Agent, Chain, Ensemble, Reflection, Team

Numbers = NDArray[np.int64]
"""Letters or counts, (P,)."""
Marks = NDArray[np.bool_]

_TABLES = np.array([[LETTERS.index(letter) for letter in table] for table in TABLES.values()])
_OPERATIONS = list(TABLES)


@dataclass(frozen=True, slots=True)
class Said:
    """Messages: their letters, after how many operations, and which letters they know to be refused
    (P, L)."""

    letter: Numbers
    steps: Numbers
    refused: Marks


class Plays:
    """One play of each query. All are of one kind and have the same number of operations."""

    def __init__(self, queries: Sequence[Query]) -> None:
        self._kind = queries[0].kind
        self._random = np.random.default_rng()
        self._plays = len(queries)
        self._rows = np.arange(self._plays)
        self._operations = np.array(
            [[_OPERATIONS.index(each) for each in query.operations] for query in queries]
        )
        self._letter = np.array([LETTERS.index(query.letter) for query in queries])
        self._answer = np.array([LETTERS.index(query.answer) for query in queries])
        self._candidates = np.zeros((self._plays, len(LETTERS)), dtype=bool)
        for row, query in enumerate(queries):
            self._candidates[row, [LETTERS.index(each) for each in query.candidates]] = True
        self._calls = np.zeros(self._plays)

    def played(self, team: Team, *, seed: int) -> tuple[Marks, NDArray[np.float64]]:
        """Whether the team's answer is right, and its calls: (P,) × 2."""
        self._random = np.random.default_rng(seed)
        self._calls = np.zeros(self._plays)
        nothing = np.zeros((self._plays, len(LETTERS)), dtype=bool)
        everywhere = np.ones(self._plays, dtype=bool)
        said = self._said(team, None, nothing, everywhere)
        return said.letter == self._answer, self._calls

    def _said(self, team: Team, read: Said | None, refused: Marks, where: Marks) -> Said:
        """`read`: what it goes on with; None: it begins. `where`: the plays in which it speaks."""
        match team:
            case Agent():
                return self._agent(read, refused, where)
            case Chain(parts):
                for part in parts:
                    read = self._said(part, read, refused, where)
                assert read is not None
                return read
            case Ensemble(members):
                return self._voted([self._said(each, read, refused, where) for each in members])
            case Reflection():
                return self._reflected(team, read, refused, where)

    def _agent(self, read: Said | None, refused: Marks, where: Marks) -> Said:
        self._calls += where
        if read is not None:
            at = np.minimum(read.steps, self._operations.shape[1] - 1)
            return Said(self._done(at, read.letter), read.steps + 1, read.refused)
        first = np.zeros(self._plays, dtype=int)
        if self._kind == "check":
            left = self._candidates & ~refused
            left = np.where(left.any(axis=1, keepdims=True), left, self._candidates)
            wish = self._random.random(left.shape) * left
            return Said(wish.argmax(axis=1), first + 1, refused)
        letter = self._letter
        if self._kind == "vote":
            blurred = self._random.random(self._plays) < NOISE
            other = (letter + self._random.integers(1, len(LETTERS), self._plays)) % len(LETTERS)
            letter = np.where(blurred, other, letter)
        return Said(self._done(first, letter), first + 1, refused)

    def _done(self, at: Numbers, letter: Numbers) -> Numbers:
        done: Numbers = _TABLES[self._operations[self._rows, at], letter]
        return done

    def _voted(self, said: list[Said]) -> Said:
        letters = np.stack([each.letter for each in said])
        counts = (letters[:, None] == letters[None]).sum(axis=1)
        first = counts.argmax(axis=0)  # of the letters that most have said, the first
        steps = np.stack([each.steps for each in said])[first, self._rows]
        refused = np.stack([each.refused for each in said])[first, self._rows]
        return Said(letters[first, self._rows], steps, refused)

    def _reflected(self, team: Reflection, read: Said | None, refused: Marks, where: Marks) -> Said:
        said = self._said(team.worker, read, refused, where)
        going, nowhere = where, np.zeros_like(where)
        for _ in range(team.rounds):
            self._calls += going  # the critic
            going = going & (said.letter != self._answer) if self._kind == "check" else nowhere
            if not going.any():
                break
            refused = said.refused.copy()
            refused[self._rows, said.letter] = True
            again = self._said(team.worker, self._without(read, refused), refused, going)
            said = Said(
                np.where(going, again.letter, said.letter),
                np.where(going, again.steps, said.steps),
                np.where(going[:, None], again.refused, said.refused),
            )
        return said

    @staticmethod
    def _without(read: Said | None, refused: Marks) -> Said | None:
        return None if read is None else replace(read, refused=refused)
