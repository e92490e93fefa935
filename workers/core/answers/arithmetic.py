"""The value of a computation that was written but not carried out: `5 + 3`, `3 * (2 + 1)`."""

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction

_MAX_CHARS = 200
_MAX_EXPONENT = 400
_MAX_BITS = 20_000
_ALLOWED = re.compile(r"[\d\s.+\-*/^()]+")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def computed(text: str) -> Fraction | None:
    """The exact value of numbers with `+ - * / ^` and parentheses. None for anything else, a
    division by zero, or a number of absurd size."""
    text = _GROUPING.sub("", text.replace("$", "")).strip().rstrip(".")
    if len(text) > _MAX_CHARS or not _ALLOWED.fullmatch(text):
        return None
    try:
        return _value(ast.parse(text.replace("^", "**"), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def power(base: Fraction, exponent: int) -> Fraction:
    """Raises ValueError for an absurd size, ZeroDivisionError for a negative power of zero."""
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) > _MAX_EXPONENT or abs(exponent) * bits > _MAX_BITS:
        raise ValueError(exponent)
    return base**exponent


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand) if isinstance(node.op, ast.USub) else _value(node.operand)
    if not isinstance(node, ast.BinOp):
        raise TypeError(node)
    left, right = _value(node.left), _value(node.right)
    if isinstance(node.op, ast.Pow):
        if right.denominator != 1:
            raise ValueError(right)
        return power(left, right.numerator)
    if type(node.op) not in _OPERATORS:
        raise TypeError(node.op)
    return _OPERATORS[type(node.op)](left, right)
