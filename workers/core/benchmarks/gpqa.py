"""GPQA: graduate-level questions that a search does not answer (Rein et al. 2023,
arXiv 2311.12022)."""

import hashlib
import random

from workers.core.benchmarks.benchmark import Benchmark, Column, HubSource, Row, text
from workers.core.benchmarks.multiple_choice import choice_task
from workers.core.specs import TaskSpec

_WRONG = ("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


def _task(row: Row) -> TaskSpec:
    """The file has the right answer first. The options are shuffled with a seed from the question,
    so their order is always the same."""
    question = text(row, "Question")
    choices = [text(row, name).strip() for name in ("Correct Answer", *_WRONG)]
    order = list(range(len(choices)))
    seed = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8])
    random.Random(seed).shuffle(order)  # noqa: S311  an order, not a secret
    return choice_task(
        question,
        [choices[place] for place in order],
        order.index(0),
        domain=text(row, "High-level domain").lower(),
    )


GPQA = Benchmark(
    key="gpqa",
    name="GPQA",
    description="Graduate-level multiple choice in biology, physics and chemistry.",
    licence="CC BY 4.0",
    verifier="choice",
    columns=(
        Column("Question", "the question"),
        Column("Correct Answer", "the right option"),
        *(Column(name, "a wrong option") for name in _WRONG),
        Column("High-level domain", "the field", required=False),
    ),
    to_task=_task,
    hub=HubSource("Idavidrein/gpqa", "gpqa_main", {"test": "train"}),
)
