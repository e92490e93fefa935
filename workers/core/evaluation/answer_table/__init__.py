"""A table of messages with their correct verdicts, written by hand before they were judged.

It has one file of JSON lines per kind of task. A row has a model's `message`, the task's
`reference` and whether the message is `right`. Further keys are the task's metadata (`choices`,
`tests`), and `query` if the question matters. The table has the traps from other evaluators' bug
reports: thoughts that guess, marks beside digits, several candidates, denied options, tests beside
a solution.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from workers.core.benchmarks.entry_points import entry_points
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.mas.contribution import read_text
from workers.core.specs import TaskSpec

Kind = Literal["numeric", "choice", "exact", "latex", "code"]
KINDS: tuple[Kind, ...] = ("numeric", "choice", "exact", "latex", "code")
_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """`line` is its line in the file of its kind, from 1."""

    kind: Kind
    line: int
    message: str
    reference: str | None
    right: bool
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def task(self) -> TaskSpec:
        more = dict(self.metadata)
        return TaskSpec(
            query=more.pop("query", "How much is it?"),
            reference=self.reference,
            answer_form="code" if self.kind == "code" else "text",
            verifier="unit_tests" if self.kind == "code" else self.kind,
            metadata=more,
        )


def rows(*kinds: Kind) -> Iterator[Row]:
    """The rows of these kinds, or of all."""
    for kind in kinds or KINDS:
        for line, text in enumerate((_FOLDER / f"{kind}.jsonl").read_text().splitlines(), start=1):
            given = json.loads(text)
            yield Row(
                kind,
                line,
                given.pop("message"),
                given.pop("reference", None),
                given.pop("right"),
                given,
            )


async def judged(row: Row) -> bool:
    """Read and judge the message like a run's last message."""
    task = row.task
    said = read_text(row.message, task.answer_form, entry_points(task))
    verifier = VERIFIERS[task.verifier or ""]
    verdict = await verifier.verify(task, answer=said.answer, message=said.text)
    return verdict.correct
