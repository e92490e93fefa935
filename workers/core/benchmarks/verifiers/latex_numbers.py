"""Compares the numbers of expressions. Runs in the process of `latex_process`, on sympy alone.

math-verify compares two exact numbers with an absolute tolerance, so 1/2^98 equals 1/2^99. Here
exact numbers are compared exactly, irrational ones to 50 digits. A decimal number may be rounded,
so it is compared to a millionth of itself.
"""

from typing import Any

DIGITS = 60
_CLOSE = 50
_RELATIVE = 1e-6


def numbers_equal(
    gold: Any, given: Any, float_rounding: int = 0, numeric_precision: int = 0
) -> bool:
    """Replaces `math_verify.grader.sympy_numeric_eq` and ignores its tolerances.

    False for anything but numbers, which is compared symbolically next.
    """
    from sympy import MatrixBase

    if isinstance(gold, MatrixBase) and isinstance(given, MatrixBase):
        same_shape = gold.shape == given.shape
        return same_shape and all(map(_equal, gold.doit().flat(), given.doit().flat()))
    return bool(_equal(gold, given))


def _equal(gold: Any, given: Any) -> bool:
    from sympy import Float, Rational, nsimplify, simplify

    gold, given = (each.doit() if hasattr(each, "doit") else each for each in (gold, given))
    rounded = any(each.has(Float) for each in (gold, given))
    if gold.free_symbols or given.free_symbols:
        return rounded and simplify(nsimplify(gold - given, rational=True)) == 0
    if isinstance(gold, Rational) and isinstance(given, Rational):
        return bool(gold == given)
    try:
        one, other = gold.evalf(DIGITS), given.evalf(DIGITS)
        if not (one.is_finite and other.is_finite):
            return bool(one == other)
        difference, size = abs(one - other), max(abs(one), abs(other))
        return bool(difference <= size * (_RELATIVE if rounded else Rational(1, 10**_CLOSE)))
    except (TypeError, ValueError, AttributeError):
        return False
