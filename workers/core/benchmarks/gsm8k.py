"""GSM8K: grade school mathematics in words (Cobbe et al. 2021, arXiv 2110.14168)."""

from workers.core.answers.quantities import is_number
from workers.core.benchmarks.benchmark import Benchmark, Column, HubSource, Row, RowError, text
from workers.core.benchmarks.operands import OPERANDS, operands_of
from workers.core.benchmarks.worked_solutions import SOLUTION
from workers.core.specs import TaskSpec


def _task(row: Row) -> TaskSpec:
    """The reference is what follows the last `####` of the worked solution. The solution is kept,
    and the numbers that it calculates with."""
    solution = text(row, "answer")
    _, hashes, final = solution.rpartition("####")
    reference = (final if hashes else solution).strip()
    if not is_number(reference):
        raise RowError("the column “answer” does not end in “#### number”")
    operands = operands_of(solution)
    return TaskSpec(
        query=text(row, "question").strip(),
        reference=reference,
        domain="mathematics",
        verifier="numeric",
        metadata=({SOLUTION: solution.strip()} if hashes else {})
        | ({} if operands is None else {OPERANDS: operands}),
    )


GSM8K = Benchmark(
    key="gsm8k",
    name="GSM8K",
    description="Grade school mathematics in words, 2 to 8 steps each.",
    licence="MIT",
    verifier="numeric",
    columns=(
        Column("question", "the problem", also=("problem", "query", "prompt")),
        Column(
            "answer",
            "a worked solution that ends in “#### number”, or the number alone",
            also=("solution",),
        ),
    ),
    to_task=_task,
    hub=HubSource("openai/gsm8k", "main", {"train": "train", "test": "test"}),
)
