"""Arithmetic for the calculator: exact rationals as long as possible, with bounded size.

Whole and rational numbers stay `Fraction`. Only values that are not exact become floats. Limits are
checked before the work, so `9**9**9` costs nothing.
"""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

Number = Fraction | float

EXACT_BITS = 200
MAX_BITS = 20_000
"""About 6,000 decimal digits: more than a person reads, and still computed at once."""
MAX_FACTORIAL = 2_000
_DIGITS = 15


class MathsError(Exception):
    """Why something can't be computed, in words for the writer of the expression."""


def checked(value: Number) -> Number:
    """The value itself. Raises MathsError if it is too large or not a real number."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise MathsError("the result is too large or not a number")
    elif max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise MathsError("the result has too many digits")
    return value


def add(left: Number, right: Number) -> Number:
    return checked(left + right)


def subtract(left: Number, right: Number) -> Number:
    return checked(left - right)


def multiply(left: Number, right: Number) -> Number:
    return checked(left * right)


def divide(left: Number, right: Number) -> Number:
    return checked(left / _divisor(right))


def floor_divide(left: Number, right: Number) -> Number:
    return checked(Fraction(left // _divisor(right)))


def modulo(left: Number, right: Number) -> Number:
    return checked(left % _divisor(right))


def power(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and isinstance(base, Fraction):
        if exponent.denominator == 1:
            return _whole_power(base, exponent.numerator)
        if exponent == Fraction(1, 2):
            return square_root(base)
    if base == 0 and exponent < 0:
        raise MathsError("0 has no negative power")
    if base < 0 and exponent % 1 != 0:
        raise MathsError("a negative number has no real fractional power")
    return inexact(lambda: float(base) ** float(exponent))


def square_root(value: Number) -> Number:
    """Exact for squares of rationals: sqrt(9/4) = 3/2."""
    if value < 0:
        raise MathsError("a negative number has no real square root")
    if isinstance(value, Fraction):
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return inexact(lambda: math.sqrt(value))


def factorial(value: Number) -> Number:
    count = whole(value, "factorial")
    if not 0 <= count <= MAX_FACTORIAL:
        raise MathsError(f"factorial takes 0 to {MAX_FACTORIAL:,}")
    return checked(Fraction(math.factorial(count)))


def combinations(total: Number, chosen: Number) -> Number:
    n, k = whole(total, "comb"), whole(chosen, "comb")
    if n < 0 or k < 0:
        raise MathsError("comb takes numbers from 0")
    if min(k, n - k) > MAX_FACTORIAL or n.bit_length() * max(min(k, n - k), 1) > 4 * MAX_BITS:
        raise MathsError("the result has too many digits")
    return checked(Fraction(math.comb(n, k)))


def greatest_common_divisor(*values: Number) -> Number:
    return Fraction(math.gcd(*(whole(value, "gcd") for value in values)))


def rounded(value: Number, digits: Number = Fraction(0)) -> Number:
    """Half away from zero, as people round: round(2.5) = 3 and round(1.005, 2) = 1.01."""
    places = whole(digits, "round")
    if abs(places) > 100:
        raise MathsError("round takes at most 100 digits")
    scale = Fraction(10) ** places
    exact = Fraction(repr(value)) if isinstance(value, float) else value
    scaled = abs(exact) * scale
    whole_part = Fraction(math.floor(scaled + Fraction(1, 2)))
    return checked(whole_part / scale if exact >= 0 else -whole_part / scale)


def inexact(compute: Callable[[], float]) -> float:
    """A float result. Raises MathsError outside the function's domain or range."""
    try:
        value = compute()
    except OverflowError:
        raise MathsError("the result is too large") from None
    except ValueError:
        raise MathsError("the function is not defined there") from None
    return float(checked(value))


def whole(value: Number, name: str) -> int:
    if value != int(value):
        raise MathsError(f"{name} takes whole numbers")
    return int(value)


def shown(value: Number) -> str:
    """Whole and finite decimal numbers exactly, other rationals as `1/3 ≈ 0.333…`, floats to 15
    significant digits."""
    if isinstance(value, float):
        return _plain(Decimal(repr(float(f"{value:.{_DIGITS}g}"))))
    if value.denominator == 1:
        return str(Decimal(value.numerator)) if value.numerator == 0 else _integer(value.numerator)
    digits = _decimal_places(value.denominator)
    if digits is not None and digits <= 30:
        return _fixed(value, digits)
    with localcontext() as context:
        context.prec = _DIGITS
        near = Decimal(value.numerator) / Decimal(value.denominator)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > EXACT_BITS:
        return f"≈ {_plain(near)}"
    exact = f"{value.numerator}/{value.denominator}"
    return f"{exact} ≈ {_plain(near)}" if len(exact) <= 60 else f"≈ {_plain(near)}"


def _whole_power(base: Fraction, exponent: int) -> Number:
    if base == 0 and exponent < 0:
        raise MathsError("0 has no negative power")
    if abs(base) in (0, 1):
        return base ** (exponent % 2 if base < 0 else min(exponent, 1) if exponent >= 0 else 1)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if max(bits, 1) * abs(exponent) > MAX_BITS:
        raise MathsError("the result has too many digits")
    return checked(base**exponent)


def _divisor(value: Number) -> Number:
    if value == 0:
        raise MathsError("division by zero")
    return value


def _integer(value: int) -> str:
    # Decimal has no limit on digits, str(int) has
    with localcontext() as context:
        context.prec = MAX_BITS
        return format(Decimal(value), "f")


def _decimal_places(denominator: int) -> int | None:
    """Digits after the point of a finite decimal fraction; None for one that repeats."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


def _fixed(value: Fraction, digits: int) -> str:
    with localcontext() as context:
        context.prec = MAX_BITS
        return format(Decimal(int(value * 10**digits)).scaleb(-digits).normalize(), "f")


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f") if -7 < value.adjusted() < _DIGITS else f"{value:.15g}"
    return text.replace("E", "e")
