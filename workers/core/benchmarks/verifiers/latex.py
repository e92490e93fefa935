r"""Mathematical expressions: does the answer mean the same as the reference?

Accepted: any LaTeX that means the same (`\frac{3}{4}`, `0.75`; `(x+1)^2`, `x^2+2x+1`; sets,
intervals, tuples, matrices, equations), with or without `$…$` and `\boxed{…}`; for a reference that
is a number, that number as `numeric` reads it, with unit words. They are compared by text, then as
numbers if both are only numbers, then symbolically (math-verify on sympy) in a child process with
limits of time and memory. If that takes too much work, the answer is wrong. A set, an interval, a
list, a formula or an inequality that contains the reference among other things is wrong, and so are
different boxes. A percentage is a bare number only if the question asks for one: 12% is 0.12, not
12.
"""

import re
from dataclasses import dataclass

from workers.core.answers.latex_notation import latex_notation
from workers.core.answers.notation import boxed, plain_text
from workers.core.answers.quantities import is_bare, is_number, quantity
from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.latex_compare import expressions_equal
from workers.core.benchmarks.verifiers.latex_marks import means_more, primes, same_amount
from workers.core.benchmarks.verifiers.latex_size import too_large
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

MAX_CHARS = 1_000
"""The parser's work grows faster than its input. No reference answer is nearly this long."""


@dataclass(frozen=True, slots=True)
class Latex:
    key: str = "latex"
    name: str = "Mathematical expression"
    description: str = (
        "Compares LaTeX expressions by meaning: numbers, formulas, sets and matrices."
    )

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        reference = task.reference
        if not reference:
            raise no_reference()
        if len(reference) > MAX_CHARS:
            raise VerifierError(
                code="bad_reference",
                message=f"The reference has more than {MAX_CHARS:,} characters.",
                remedy="Use one LaTeX expression as the reference, or choose the verifier exact.",
            )
        if answer is None:
            return no_answer()
        if _as_text(answer) == _as_text(reference):
            return right(answer, reference)
        if len(answer) > MAX_CHARS:
            return wrong(answer, reference, f"it is longer than {MAX_CHARS:,} characters")
        return await _by_meaning(task, answer, reference)


_MORE = "a mark, a word or a unit makes it another value"


async def _by_meaning(task: TaskSpec, answer: str, reference: str) -> Verdict:
    boxes = boxed(answer)
    if len({_as_text(box) for box in boxes}) > 1:
        return wrong(answer, reference, "it gives several answers")
    given = latex_notation(boxes[-1] if boxes else answer)
    reference = latex_notation(reference)
    task = task.model_copy(update={"reference": reference})
    if _other_base(task, given):
        return wrong(answer, reference, "it is in another base")
    same = same_amount(given, reference)
    if primes(given) != primes(reference) or same is False:
        return wrong(answer, reference, _MORE)
    if same:
        return right(answer, reference)
    if is_number(reference) and is_bare(given):
        return await Numeric().verify(task, answer=_as_asked(task, given), message="")
    return await _compared(reference, given)


_NAME = re.compile(r"[A-Z]{3,}")


def _is_name(expression: str) -> bool:
    """`ABCD` names a quadrilateral or is a word. The parser makes a product of it, and so `DCBA`
    the same."""
    return _NAME.fullmatch(expression.strip(" $.{}")) is not None


def _as_text(expression: str) -> tuple[str, int, int]:
    """The text to compare, with its factorials and primes: `10!` is not 10, `f'` is not f."""
    factorials = expression.count("!") - expression.count(r"\!")
    return plain_text(expression), factorials, primes(expression)


_BASE = re.compile(r"\d\s?_\s?\{?\s?(\d{1,3})")


def _other_base(task: TaskSpec, given: str) -> bool:
    """Whether digits are written in a base that neither the question nor the reference names."""
    known = f"{task.query} {task.reference}"
    return any(
        not re.search(rf"(?:\d\s?_\s?\{{?|\bbase\W{{0,4}}){base}(?!\d)", known, re.IGNORECASE)
        for base in set(_BASE.findall(given))
    )


def _as_asked(task: TaskSpec, given: str) -> str:
    """A percentage as hundredths, unless the question or the reference is about percent."""
    number = quantity(given)
    if number is None or not number.percent:
        return given
    asked = re.search(r"%|\bper\s?cent", f"{task.query} {task.reference}", re.IGNORECASE)
    return given if asked else str(number.value / 100)


async def _compared(reference: str, answer: str) -> Verdict:
    if means_more(answer, reference):
        return wrong(answer, reference, _MORE)
    if _is_name(reference) or _is_name(answer):
        return wrong(answer, reference)
    if too_large(answer) or too_large(reference):
        return wrong(answer, reference, "comparing them takes too long")
    found = await expressions_equal(reference, answer)
    if found.equal:
        return right(answer, reference)
    if found.timed_out:
        return wrong(answer, reference, "comparing them takes too long")
    return wrong(answer, reference)
