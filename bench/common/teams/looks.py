"""What an agent sees of a query, and what the best executor says to it.

An agent sees a part of the query at a time. What it may do next follows from the messages that it
reads: it goes on with the letter of the last one, or it looks at the query itself.

- To do: an operation and a letter. At first the query's letter, which a query to vote blurs:
  some looks show another one. Then the letter that was read, with the next operation; after the
  last one the same again, which is wrong.
- To pick: the candidates of a query to check in any order, and those that were refused. Nothing
  says which one is right.
- To judge: the seals of the right answer and of the letter that was read. A seal says whether two
  letters are equal, and nothing about operations. Only queries to check have one: of any other
  query the critic sees the letter alone, and nothing that speaks against it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.common.teams.queries import CANDIDATES, LETTERS, Query, applied

if TYPE_CHECKING:
    from workers.core.scripts.blocks import Call, Message

NOISE = 0.45
"""The share of looks at a query to vote that show another letter than its own."""
CORRECT, INCORRECT = "Verdict: correct", "Verdict: incorrect"
SEALS = "fcaebd"
"""The seal of each letter."""
NO_SEAL = "none"
LETTERS_SAID = frozenset(LETTERS)

Words = tuple[str, ...]
"""A look: what an agent reads."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What an agent knows from the messages that it reads. `letter`: the one to go on with, after
    `steps` operations; None: it begins. `refused`: letters that a critic has refused."""

    letter: str | None = None
    steps: int = 0
    refused: tuple[str, ...] = ()


def standing(reads: Sequence[Message]) -> Standing:
    """A verdict against a letter undoes it."""
    found = [Standing()]
    for message in reads:
        if message.answer == "incorrect":
            undone = found.pop() if len(found) > 1 else found[0]
            refused = undone.refused + ((undone.letter,) if undone.letter else ())
            found[-1] = Standing(found[-1].letter, found[-1].steps, refused)
        elif message.answer in LETTERS_SAID:
            found.append(_told(message.text))
    return found[-1]


def text_of(letter: str, steps: int, refused: Sequence[str]) -> str:
    """What others read of an answer."""
    said = f"{letter} after {steps}"
    return f"{said}, not {' '.join(refused)}" if refused else said


def _told(text: str) -> Standing:
    said, _, refused = text.partition(", not ")
    letter, _, steps = said.partition(" after ")
    return Standing(letter, int(steps), tuple(refused.split()))


def look(query: Query, call: Call, generator: random.Random) -> Words:
    known = standing(call.reads)
    if call.wanted.kind == "verdict":
        return _judging(query, known)
    if known.letter is not None:
        return "do", query.operations[min(known.steps, len(query.operations) - 1)], known.letter
    if query.kind == "check":
        candidates = generator.sample(query.candidates, len(query.candidates))
        refused = sorted(set(known.refused))
        return "pick", *candidates, *(("not", *refused) if refused else ())
    return "do", query.operations[0], seen(query, generator)


def seen(query: Query, generator: random.Random) -> str:
    """The query's letter as one look shows it."""
    if query.kind != "vote" or generator.random() >= NOISE:
        return query.letter
    return generator.choice([letter for letter in LETTERS if letter != query.letter])


def _judging(query: Query, known: Standing) -> Words:
    if known.letter is None:  # no agent has spoken yet
        return "judge", NO_SEAL, NO_SEAL
    if query.kind != "check":
        return "judge", NO_SEAL, known.letter
    return "judge", *(SEALS[LETTERS.index(letter)] for letter in (query.answer, known.letter))


def best(words: Words) -> str:
    """What the best executor says to a look. It can do no better: nothing else in a look is of use,
    and candidates that were not refused are alike."""
    match words:
        case ("do", operation, letter):
            return applied(operation, letter)
        case ("pick", *shown):
            candidates, refused = shown[:CANDIDATES], shown[CANDIDATES + 1 :]
            return next((each for each in candidates if each not in refused), candidates[0])
        case ("judge", right, letter) if right != NO_SEAL:
            return CORRECT if right == letter else INCORRECT
        case ("judge", _, letter):
            return INCORRECT if letter == NO_SEAL else CORRECT
    raise ValueError(f"no look: {words}")
