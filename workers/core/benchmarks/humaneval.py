"""HumanEval: complete a Python function from its docstring (Chen et al. 2021, arXiv 2107.03374)."""

import re

from workers.core.benchmarks.benchmark import Benchmark, Column, HubSource, Row, RowError, text
from workers.core.benchmarks.wording import CODE_END, COMPLETE
from workers.core.specs import TaskSpec


def _task(row: Row) -> TaskSpec:
    """Imports and helpers before the function also come before every answer, so a program without
    them is not wrong for that."""
    prompt, entry_point = text(row, "prompt"), text(row, "entry_point").strip()
    if not entry_point.isidentifier():
        raise RowError("the column “entry_point” is not a function's name")
    found = re.search(rf"^def {entry_point}\(", prompt, re.MULTILINE)
    if found is None:
        raise RowError(f"the column “prompt” does not start a function {entry_point}")
    return TaskSpec(
        query=f"{COMPLETE}{prompt.strip()}{CODE_END}",
        reference=text(row, "canonical_solution") or None,
        domain="programming",
        answer_form="code",
        verifier="unit_tests",
        metadata={
            "entry_point": entry_point,
            "prelude": prompt[: found.start()],
            "prompt": prompt[found.start() :],
            "tests": f"{text(row, 'test').strip()}\n\ncheck({entry_point})\n",
        },
    )


HUMANEVAL = Benchmark(
    key="humaneval",
    name="HumanEval",
    description="Python functions from their docstrings, judged by unit tests.",
    licence="MIT",
    verifier="unit_tests",
    answer_form="code",
    columns=(
        Column("prompt", "imports, signature and docstring"),
        Column("entry_point", "the function's name"),
        Column("test", "Python that defines check(candidate)"),
        Column("canonical_solution", "the function's body", required=False),
    ),
    to_task=_task,
    hub=HubSource("openai/openai_humaneval", "openai_humaneval", {"test": "test"}),
)
