"""Puts the answers to one prompt into one row, so that an update computes the prompt once.

Legend: G rows, L tokens of a row (padded), A answers of all rows, T tokens of an answer (padded).

A row is the prompt and then its answers, one after the other. A token sees the prompt and its own
answer so far, and stands where it would stand if its answer were the only one. So what a model says
of each answer is what it says of prompt and answer alone.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

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
    answers: Sequence[Answer], *, pad: int, most: int, tokens: int = sys.maxsize
) -> Iterator[Packed]:
    """Batches of rows. `most` limits the area Σ L² of a batch, which is what attention costs, and
    `tokens` its Σ L, which is what memory does; one row may be larger. Answers to one prompt stand
    together as long as a row of them is cheaper than rows of their own."""
    batch: list[list[int]] = []
    longest = 0
    for row in sorted(_rows(answers), key=lambda row: -_length(answers, row)):
        length = _length(answers, row)
        longer, rows = max(longest, length), len(batch) + 1
        if batch and (longer**2 * rows > most or longer * rows > tokens):
            yield _packed(answers, batch, pad)
            batch, longest = [], 0
        batch.append(row)
        longest = max(longest, length)
    if batch:
        yield _packed(answers, batch, pad)


def _rows(answers: Sequence[Answer]) -> Iterable[list[int]]:
    order = sorted(range(len(answers)), key=lambda at: (answers[at][0], at))
    for prompt, group in groupby(order, key=lambda at: answers[at][0]):
        row: list[int] = []
        for at in group:
            alone = (len(prompt) + len(answers[at][1])) ** 2
            if row and _length(answers, [*row, at]) ** 2 > _length(answers, row) ** 2 + alone:
                yield row
                row = []
            row.append(at)
        yield row


def _length(answers: Sequence[Answer], row: Sequence[int]) -> int:
    # The last token of an answer is never read, only told.
    return len(answers[row[0]][0]) + sum(len(answers[at][1]) - 1 for at in row)


def _packed(answers: Sequence[Answer], rows: Sequence[Sequence[int]], pad: int) -> Packed:
    longest = max(_length(answers, row) for row in rows)
    order = [at for row in rows for at in row]
    most = max(len(answers[at][1]) for at in order)
    ids = torch.full((len(rows), longest), pad, dtype=torch.long)
    positions = torch.zeros_like(ids)
    sees = torch.eye(longest, dtype=torch.bool).repeat(len(rows), 1, 1)
    row_of, column, tokens = (torch.zeros((len(order), most), dtype=torch.long) for _ in range(3))
    present = torch.zeros((len(order), most))
    place = 0
    for number, row in enumerate(rows):
        prompt = torch.tensor(answers[row[0]][0])
        asked = len(prompt)
        ids[number, :asked] = prompt
        positions[number, :asked] = torch.arange(asked)
        sees[number, :asked, :asked] = torch.ones(asked, asked, dtype=torch.bool).tril()
        start = asked
        for at in row:
            answer = torch.tensor(answers[at][1])
            read = len(answer) - 1
            end = start + read
            ids[number, start:end] = answer[:-1]
            positions[number, start:end] = torch.arange(asked, asked + read)
            sees[number, start:end, :asked] = True
            sees[number, start:end, start:end] = torch.ones(read, read, dtype=torch.bool).tril()
            row_of[place, : read + 1] = number
            column[place, 0] = asked - 1
            column[place, 1 : read + 1] = torch.arange(start, end)
            tokens[place, : read + 1] = answer
            present[place, : read + 1] = 1
            place, start = place + 1, end
    return Packed(ids, positions, sees.unsqueeze(1), tuple(order), row_of, column, tokens, present)
