r"""MATH: competition mathematics (Hendrycks et al. 2021, arXiv 2103.03874)."""

from workers.core.benchmarks.benchmark import Benchmark, Column, HubSource, Row, RowError, text
from workers.core.benchmarks.wording import BOXED
from workers.core.specs import TaskSpec


def _task(row: Row) -> TaskSpec:
    r"""The reference is the column `answer`, or the last `\boxed{…}` of the solution."""
    reference = text(row, "answer").strip() or last_boxed(text(row, "solution"))
    if not reference:
        raise RowError(r"there is neither an “answer” nor a “\boxed{…}” in the “solution”")
    return TaskSpec(
        query=text(row, "problem").strip() + BOXED,
        reference=reference,
        domain=(text(row, "subject") or text(row, "type") or "mathematics").lower(),
        verifier="latex",
        metadata={"level": text(row, "level")} if row.get("level") is not None else {},
    )


def last_boxed(solution: str) -> str:
    r"""The content of the last `\boxed` or `\fbox`, including inner braces; "" without one."""
    start = max(solution.rfind("\\boxed"), solution.rfind("\\fbox"))
    if start < 0:
        return ""
    rest = solution[start:].partition("boxed" if solution[start + 1] == "b" else "fbox")[2]
    if not rest.startswith("{"):  # \boxed 5
        return rest.strip().partition("$")[0].strip()
    depth = 0
    for place, character in enumerate(rest):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return rest[1:place].strip()
    return ""


MATH = Benchmark(
    key="math",
    name="MATH",
    description=(
        "Competition mathematics; answers are LaTeX expressions. The hub has the 500 test "
        "problems of MATH-500. You can also import a file of the train split."
    ),
    licence="MIT",
    verifier="latex",
    columns=(
        Column("problem", "the problem, in LaTeX", also=("question", "query", "prompt")),
        Column("solution", "a worked solution with the answer in \\boxed{…}", required=False),
        Column("answer", "the answer alone, if it is known", required=False),
        Column("subject", "the field, such as algebra; also read from “type”", required=False),
        Column("level", "the difficulty", required=False),
    ),
    to_task=_task,
    hub=HubSource("HuggingFaceH4/MATH-500", "", {"test": "test"}),
)
