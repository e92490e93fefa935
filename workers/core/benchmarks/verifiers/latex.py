r"""Mathematical expressions: does the answer mean the same as the reference?

Accepted: any LaTeX that says the same (`\frac{3}{4}`, `0.75`; `(x+1)^2`, `x^2+2x+1`; sets,
intervals, tuples, matrices, equations), with or without `$…$` and `\boxed{…}`; for a reference that
is a number, everything that `numeric` reads. Compared by text, then by value, then symbolically
(math-verify on sympy) in a child process with limits of time and memory: what is too much work to
compare is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.latex_compare import expressions_equal
from workers.core.benchmarks.verifiers.notation import plain_text
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.benchmarks.verifiers.quantities import is_number
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

MAX_CHARS = 1_000
"""The parser's work grows faster than its input; no reference answer is nearly so long."""


@dataclass(frozen=True, slots=True)
class Latex:
    key: str = "latex"
    name: str = "Mathematical expression"
    description: str = "Compares LaTeX expressions by meaning: numbers, formulas, sets, matrices."

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        reference = task.reference
        if not reference:
            raise no_reference()
        if len(reference) > MAX_CHARS:
            raise VerifierError(
                code="bad_reference",
                message=f"The reference has more than {MAX_CHARS:,} characters.",
                remedy="Give one LaTeX expression, or choose the verifier exact.",
            )
        if answer is None:
            return no_answer()
        if plain_text(answer) == plain_text(reference):
            return right(answer, reference)
        if len(answer) > MAX_CHARS:
            return wrong(answer, reference, f"it is longer than {MAX_CHARS:,} characters")
        if await _equal_number(task, answer):
            return right(answer, reference)
        return await _compared(reference, answer)


async def _equal_number(task: TaskSpec, answer: str) -> bool:
    """For a reference that is nothing but a number: whether the answer is that number."""
    if not is_number(task.reference or ""):
        return False
    return (await Numeric().verify(task, answer=answer, message="")).correct


async def _compared(reference: str, answer: str) -> Verdict:
    found = await expressions_equal(reference, answer)
    if found.equal:
        return right(answer, reference)
    if found.timed_out:
        return wrong(answer, reference, "comparing them takes too long")
    return wrong(answer, reference)
