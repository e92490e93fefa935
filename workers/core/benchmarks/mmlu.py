"""MMLU: multiple choice over 57 subjects (Hendrycks et al. 2020, arXiv 2009.03300)."""

from string import ascii_uppercase

from workers.core.benchmarks.benchmark import (
    Benchmark,
    Column,
    HubSource,
    Row,
    RowError,
    text,
)
from workers.core.benchmarks.multiple_choice import choice_task, options_of
from workers.core.specs import TaskSpec


def _task(row: Row) -> TaskSpec:
    return choice_task(
        text(row, "question"),
        options_of(row),
        _place(text(row, "answer").strip()),
        domain=text(row, "subject").replace("_", " "),
    )


def _place(answer: str) -> int:
    """The right option's place from 0, from a number or a letter."""
    if answer.isascii() and answer.isdigit() and len(answer) < 3:
        return int(answer)
    if len(answer) == 1 and answer.upper() in ascii_uppercase:
        return ascii_uppercase.index(answer.upper())
    raise RowError("the column “answer” is neither a number from 0 up nor a letter")


MMLU = Benchmark(
    key="mmlu",
    name="MMLU",
    description="Multiple choice over 57 subjects, from school to profession.",
    licence="MIT",
    verifier="choice",
    columns=(
        Column("question", "the question", also=("query", "problem", "prompt")),
        Column("choices", "the options, a list of texts, or columns A, B, C, …", required=False),
        Column("answer", "the right option: its place from 0, or its letter"),
        Column("subject", "the subject", required=False),
    ),
    to_task=_task,
    hub=HubSource(
        "cais/mmlu", "all", {"train": "auxiliary_train", "dev": "validation", "test": "test"}
    ),
)
