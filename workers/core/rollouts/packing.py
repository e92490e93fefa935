"""Puts the answers to one prompt into one row, so that an update computes the prompt once, and once
what several answers begin with.

Legend: G rows, L tokens of a row (padded), A answers of all rows, T tokens of an answer (padded).

A row is the prompt and then the tree of its answers. A token sees the prompt and what its answers
say up to it, and stands where it would stand if they were the only ones. So what a model says of
each answer is what it says of prompt and answer alone.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import torch
from torch import Tensor

from workers.core.rollouts.base import Ids


@dataclass(frozen=True, slots=True)
class Packed:
    """`ids` and `positions` are (G, L); `sees` (G, 1, L, L) says which token sees which. `answers`:
    their places in what was packed. `row` and `column` (A, T): where each token of an answer is
    told from. `tokens` (A, T): the answers. `present` (A, T) is 0 for padding."""

    ids: Tensor
    positions: Tensor
    sees: Tensor
    answers: tuple[int, ...]
    row: Tensor
    column: Tensor
    tokens: Tensor
    present: Tensor


Answer = tuple[Ids, Ids]
"""A prompt and an answer to it."""


def packs(
    answers: Sequence[Answer],
    *,
    pad: int,
    most: int,
    tokens: int = sys.maxsize,
    row: int = sys.maxsize,
) -> Iterator[Packed]:
    """Batches of rows. `most` limits the area Σ L² of a batch, which is what attention costs, and
    `tokens` its Σ L, which is what memory does; one row may be larger. Answers to one prompt stand
    together as long as a row of them is cheaper than rows of their own, and no longer than `row`.
    """
    batch: list[_Row] = []
    longest = 0
    for each in sorted(_rows(answers, row), key=lambda each: -each.length):
        longer, rows = max(longest, each.length), len(batch) + 1
        if batch and (longer**2 * rows > most or longer * rows > tokens):
            yield _packed(batch, pad)
            batch, longest = [], 0
        batch.append(each)
        longest = max(longest, each.length)
    if batch:
        yield _packed(batch, pad)


@dataclass(slots=True)
class _Row:
    """`said`: the places of what was packed, with their tokens. `columns`: of each token that is
    read, by the column before it. The last token of an answer is never read, only told."""

    prompt: Ids
    said: list[tuple[int, Ids]] = field(default_factory=list)
    columns: dict[tuple[int, int], int] = field(default_factory=dict)

    @property
    def length(self) -> int:
        return len(self.prompt) + len(self.columns)

    def path(self, answer: Ids) -> list[int]:
        """The column before each token of the answer, as far as they are here."""
        found = [len(self.prompt) - 1]
        for token in answer[:-1]:
            column = self.columns.get((found[-1], token))
            if column is None:
                break
            found.append(column)
        return found

    def length_with(self, answer: Ids) -> int:
        return self.length + len(answer) - len(self.path(answer))

    def add(self, place: int, answer: Ids) -> None:
        path = self.path(answer)
        before = path[-1]
        for token in answer[len(path) - 1 : -1]:
            column = self.length
            self.columns[before, token] = column
            before = column
        self.said.append((place, answer))


def _rows(answers: Sequence[Answer], most: int) -> Iterator[_Row]:
    # Those that begin alike stand together.
    order = sorted(range(len(answers)), key=lambda at: answers[at])
    for prompt, group in groupby(order, key=lambda at: answers[at][0]):
        row = _Row(prompt)
        for at in group:
            answer = answers[at][1]
            alone = (len(prompt) + len(answer)) ** 2
            length = row.length_with(answer)
            if row.said and (length > most or length**2 > row.length**2 + alone):
                yield row
                row = _Row(prompt)
            row.add(at, answer)
        yield row


def _packed(rows: Sequence[_Row], pad: int) -> Packed:
    longest = max(row.length for row in rows)
    order = [place for row in rows for place, _ in row.said]
    most = max(len(answer) for row in rows for _, answer in row.said)
    ids = np.full((len(rows), longest), pad)
    positions = np.zeros_like(ids)
    sees = np.tile(np.eye(longest, dtype=bool), (len(rows), 1, 1))
    row_of, column, tokens = (np.zeros((len(order), most), dtype=int) for _ in range(3))
    present = np.zeros((len(order), most), dtype=np.float32)
    at = 0
    for number, row in enumerate(rows):
        asked = len(row.prompt)
        ids[number, :asked] = row.prompt
        positions[number, :asked] = np.arange(asked)
        sees[number, :asked, :asked] = np.tri(asked, dtype=bool)
        for (before, token), own in row.columns.items():  # each comes after the one before it
            ids[number, own] = token
            positions[number, own] = positions[number, before] + 1
            sees[number, own] |= sees[number, before]
        for _, answer in row.said:
            row_of[at, : len(answer)] = number
            column[at, : len(answer)] = row.path(answer)
            tokens[at, : len(answer)] = answer
            present[at, : len(answer)] = 1
            at += 1
    return Packed(
        ids=torch.from_numpy(ids),
        positions=torch.from_numpy(positions),
        sees=torch.from_numpy(sees[:, None]),
        answers=tuple(order),
        row=torch.from_numpy(row_of),
        column=torch.from_numpy(column),
        tokens=torch.from_numpy(tokens),
        present=torch.from_numpy(present),
    )
