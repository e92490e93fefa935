"""Writes questions with options."""

from collections.abc import Sequence
from itertools import takewhile
from string import ascii_uppercase

from workers.core.benchmarks.benchmark import Row, RowError, text, texts
from workers.core.benchmarks.verifiers.choice import MAX_CHOICES
from workers.core.benchmarks.wording import LETTER
from workers.core.specs import TaskSpec


def options_of(row: Row) -> list[str]:
    """The list in the column `choices`, or the columns A, B, C and so on. Raises RowError."""
    if found := texts(row, "choices"):
        return found
    lettered = list(takewhile(lambda letter: row.get(letter) is not None, ascii_uppercase))
    if len(lettered) < 2:
        raise RowError("the column “choices” is missing or empty")
    return [text(row, letter) for letter in lettered]


def choice_task(question: str, choices: Sequence[str], right: int, *, domain: str = "") -> TaskSpec:
    """`right` is the place of the right option, from 0. Raises RowError."""
    if not 2 <= len(choices) <= MAX_CHOICES:
        raise RowError(f"the row has {len(choices)} options instead of 2 to {MAX_CHOICES}")
    if not 0 <= right < len(choices):
        raise RowError(
            f"the right option is number {right} (counted from 0), but the row has only "
            f"{len(choices)} options"
        )
    options = "\n".join(
        f"{letter}. {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False)
    )
    return TaskSpec(
        query=f"{question.strip()}\n\n{options}{LETTER}",
        reference=ascii_uppercase[right],
        domain=domain,
        verifier="choice",
        metadata={"choices": list(choices)},
    )
