r"""Numbers: is the quantity that the answer commits to the reference?

Accepted: `1,000.0`, `$1000`, `1\,000`, `1e3`, `1.0 × 10^3`, `one thousand`, `3/4`, `\frac{3}{4}`,
`0.75`, `75%`, `1 1/2`, `1½`, `-5`, `minus 5`, `18 dollars`, `\boxed{18}`, prose around one number.
Of several numbers one is chosen as `quantities.final_quantity` says; listing candidates never
helps. Where answer and reference both have a unit that `units` knows, they are converted
(`50 cents` is `$0.50`, `5 km` is not `5 m`); other unit words are ignored. Where only one of them
is in percent, 50% equals both 50 and 0.5.

`metadata`: `tolerance` (absolute), `relative_tolerance`, `unit` of a bare reference. By default a
number may be off by a millionth of itself, a whole one by at most 0.0001: that is how far floating
point errs, and 192000001 is not 192000000.

A reference without a finite decimal expansion, such as 1/3, also takes its value rounded to at
least three significant digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from workers.core.benchmarks.base import Verdict, VerifierError
from workers.core.benchmarks.verifiers.quantities import Quantity, final_quantity, quantity
from workers.core.benchmarks.verifiers.reasons import no_answer, no_reference, right, wrong
from workers.core.benchmarks.verifiers.units import UNITS
from workers.core.specs import TaskSpec

_RELATIVE = Fraction(1, 1_000_000)
_WHOLE = Fraction(1, 10_000)


@dataclass(frozen=True, slots=True)
class Numeric:
    key: str = "numeric"
    name: str = "Number"
    description: str = (
        "Compares numbers by value: fractions, percent, currency, thousands, scientific notation "
        "and LaTeX are read, units converted, with an optional tolerance."
    )

    async def verify(self, task: TaskSpec, *, answer: str | None, message: str) -> Verdict:
        expected = _reference(task)
        allowed = _tolerance(task.metadata, expected)
        if answer is None:
            return no_answer()
        given = final_quantity(answer)
        if given is None:
            return wrong(answer, task.reference, "it holds no number")
        if _equal(given, expected, allowed):
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
            remedy="Give a number as the reference, or choose the verifier latex or exact.",
        )
    unit = str(task.metadata.get("unit", "")).lower()
    return replace(expected, unit=unit) if expected.unit is None and unit in UNITS else expected


def _tolerance(metadata: Mapping[str, Any], expected: Quantity) -> Fraction:
    """The larger of the absolute and the relative one. Raises VerifierError for bad metadata."""
    size = abs(expected.value)
    if "tolerance" not in metadata and "relative_tolerance" not in metadata:
        return (
            min(_RELATIVE * size, _WHOLE) if expected.value.denominator == 1 else _RELATIVE * size
        )
    try:
        absolute = Fraction(str(metadata.get("tolerance", 0)))
        relative = Fraction(str(metadata.get("relative_tolerance", 0)))
    except (ValueError, ZeroDivisionError) as error:
        raise VerifierError(
            code="bad_tolerance",
            message="The task's tolerance is not a number.",
            remedy="Give metadata.tolerance and metadata.relative_tolerance as numbers from 0.",
        ) from error
    return max(absolute, relative * size)


def _equal(given: Quantity, expected: Quantity, allowed: Fraction) -> bool:
    converted = _in_unit_of(expected, given)
    if converted is None:
        return False
    if given.percent == expected.percent:
        readings = [converted]
    elif given.percent:
        readings = [converted, converted / 100]
    else:
        readings = [converted, converted * 100]
    return any(
        abs(reading - expected.value) <= allowed or _is_rounding(reading, given, expected)
        for reading in readings
    )


def _in_unit_of(expected: Quantity, given: Quantity) -> Fraction | None:
    """The given value in the expected unit; None when it measures something else."""
    if given.unit is None or expected.unit is None:
        return given.value
    given_dimension, given_factor = UNITS[given.unit]
    dimension, factor = UNITS[expected.unit]
    return given.value * given_factor / factor if dimension == given_dimension else None


def _is_rounding(reading: Fraction, given: Quantity, expected: Quantity) -> bool:
    """Whether `reading` is an endless decimal expansion, correctly cut or rounded."""
    if given.decimals is None or given.decimals < 1 or _is_finite(expected.value):
        return False
    last_digit = Fraction(1, 10**given.decimals)
    if abs(given.value) < 100 * last_digit:
        return False
    return abs(reading - expected.value) <= abs(reading / given.value) * last_digit / 2


def _is_finite(value: Fraction) -> bool:
    """Whether the decimal expansion ends: no prime but 2 and 5 in the denominator."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1
