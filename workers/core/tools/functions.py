"""The functions and constants that an expression may name."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from workers.core.tools import numbers
from workers.core.tools.numbers import MathsError, Number


@dataclass(frozen=True, slots=True)
class Function:
    """`most` None: any number of arguments from `least`."""

    compute: Callable[..., Number]
    least: int = 1
    most: int | None = 1


def _real(function: Callable[[float], float]) -> Function:
    return Function(lambda value: numbers.inexact(lambda: function(value)))


def _logarithm(value: Number, base: Number | None = None) -> Number:
    """The logarithm, natural without a base. Exact for a whole power: log(8, 2) = 3."""
    if base is None:
        return numbers.inexact(lambda: math.log(value))
    near = numbers.inexact(lambda: _log(value) / _log(_not_one(base)))
    nearest = Fraction(round(near))
    exact = isinstance(base, Fraction) and isinstance(value, Fraction) and abs(nearest) < 5_000
    return nearest if exact and numbers.power(base, nearest) == value else near


def _log(value: Number) -> float:
    """math.log takes whole numbers of any size, but fractions only within the range of floats."""
    if isinstance(value, float) or value <= 0:
        return math.log(value)
    return math.log(value.numerator) - math.log(value.denominator)


def _not_one(base: Number) -> Number:
    if base == 1:
        raise MathsError("there is no logarithm to base 1")
    return base


FUNCTIONS: dict[str, Function] = {
    "sqrt": Function(numbers.square_root),
    "abs": Function(abs),
    "min": Function(lambda *values: min(values), 1, None),
    "max": Function(lambda *values: max(values), 1, None),
    "round": Function(numbers.rounded, 1, 2),
    "floor": Function(lambda value: Fraction(math.floor(value))),
    "ceil": Function(lambda value: Fraction(math.ceil(value))),
    "log": Function(_logarithm, 1, 2),
    "ln": Function(_logarithm),
    "log10": Function(lambda value: _logarithm(value, Fraction(10))),
    "log2": Function(lambda value: _logarithm(value, Fraction(2))),
    "exp": _real(math.exp),
    "sin": _real(math.sin),
    "cos": _real(math.cos),
    "tan": _real(math.tan),
    "factorial": Function(numbers.factorial),
    "gcd": Function(numbers.greatest_common_divisor, 1, None),
    "comb": Function(numbers.combinations, 2, 2),
}
CONSTANTS: dict[str, Number] = {"pi": math.pi, "π": math.pi, "e": math.e}
