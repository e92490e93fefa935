r"""Numbers: is the quantity that the answer commits to the reference?

Accepted: `1,000.0`, `$1000`, `1\,000`, `1e3`, `1.0 × 10^3`, `one thousand`, `3/4`, `\frac{3}{4}`,
`0.75`, `75%`, `1 1/2`, `1½`, `-5`, `minus 5`, `18 dollars`, `\boxed{18}`, `5 + 3`, prose around one
number. Of several numbers `commitment.final_quantity` chooses one; listing candidates never helps.
If answer and reference both have a unit that `units` knows, they are converted (`50 cents` is
`$0.50`, `5 km` is not `5 m`, `3 dozen` is 36). Other unit words are ignored. An answer in percent
equals a bare reference with the same digits (50% for 50) and, if the reference is at most 1 in
size, with its value (50% for 0.5). A reference in percent accepts both, too.

`metadata`: `tolerance` (absolute), `relative_tolerance`, `unit` of a bare reference. By default a
number may be off by a millionth of itself, a whole number by at most 0.0001: that is the size of
floating point errors, and 192000001 is not 192000000.

A reference without a finite decimal expansion, such as 1/3, also accepts its value rounded to at
least three significant digits.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from workers.core.answers.commitment import final_quantity
from workers.core.answers.equality import default_tolerance, equal_quantities
from workers.core.answers.quantities import Quantity, quantity
from workers.core.answers.units import UNITS
from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.specs import TaskSpec

_ASKS_FOR_DOZENS = re.compile(r"how many (?:[a-z]{1,20} )?dozens?\b|\bin dozens\b", re.IGNORECASE)
"""In such questions a bare reference and a bare answer count dozens."""


@dataclass(frozen=True, slots=True)
class Numeric:
    key: str = "numeric"
    name: str = "Number"
    description: str = (
        "Compares numbers by value. It reads fractions, percent, currency, thousands, "
        "scientific notation and LaTeX, and converts units. A tolerance is optional."
    )

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        expected = _reference(task)
        allowed = _tolerance(task.metadata, expected)
        if answer is None:
            return no_answer()
        given = final_quantity(answer)
        if given is None:
            return wrong(answer, task.reference, "it does not name exactly one number")
        if equal_quantities(given, expected, allowed):
            return right(answer, task.reference)
        return wrong(answer, task.reference)


def _reference(task: TaskSpec) -> Quantity:
    """Raises VerifierError for a reference that is not one number."""
    if not task.reference:
        raise no_reference()
    expected = quantity(task.reference)
    if expected is None:
        raise VerifierError(
            code="bad_reference",
            message=f"The reference “{task.reference[:80]}” is not one number.",
            remedy="Use one number as the reference, or choose the verifier latex or exact.",
        )
    unit = str(task.metadata.get("unit", "")).lower()
    if expected.unit is None and unit not in UNITS:
        unit = "dozen" if _ASKS_FOR_DOZENS.search(task.query) else ""
    if expected.unit is None:
        return replace(expected, unit=unit or None)
    dimension, factor = UNITS[expected.unit]
    if dimension == "count":
        return replace(expected, value=expected.value * factor, unit=None)
    return expected


def _tolerance(metadata: Mapping[str, Any], expected: Quantity) -> Fraction:
    """The larger of the absolute and the relative tolerance. Raises VerifierError for bad
    metadata."""
    if "tolerance" not in metadata and "relative_tolerance" not in metadata:
        return default_tolerance(expected)
    try:
        absolute = Fraction(str(metadata.get("tolerance", 0)))
        relative = Fraction(str(metadata.get("relative_tolerance", 0)))
    except (ValueError, ZeroDivisionError) as error:
        raise VerifierError(
            code="bad_tolerance",
            message="The task's tolerance is not a number.",
            remedy="Set metadata.tolerance and metadata.relative_tolerance to numbers from 0 up.",
        ) from error
    return max(absolute, relative * abs(expected.value))
