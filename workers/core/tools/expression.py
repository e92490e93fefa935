"""A small parser and evaluator of arithmetic. Text goes in, a number comes out. Nothing is
executed.

    sum     := product (("+" | "-") product)*
    product := unary (("*" | "×" | "·" | "/" | "÷" | "//" | "%" | "mod") unary)*
    unary   := ("+" | "-") unary | power
    power   := postfix (("**" | "^") unary)?
    postfix := atom ("!" | "%")*          a % with no operand after it is percent
    atom    := NUMBER | CONSTANT | FUNCTION "(" sum ("," sum)* ")" | "(" sum ")"

As in Python, -2**2 is -4 and 2**-1 is 1/2, and ** binds to the right.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from workers.core.tools import numbers
from workers.core.tools.functions import CONSTANTS, FUNCTIONS, Function
from workers.core.tools.numbers import MathsError, Number

MAX_CHARS = 1_000
MAX_DEPTH = 50


class ExpressionError(Exception):
    """`column` counts characters from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(f"{message} (column {column})")
        self.column = column


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+(?![\d])|\d+(?:_\d+)*)(?:\.\d+|\.(?!\d))?(?:[eE][-+]?\d+)?"
    r"|\.\d+(?:[eE][-+]?\d+)?)"
    r"|(?P<name>[A-Za-zπ][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|//|[-+*/%^()!,×·÷−√])"
)
_SAME = {"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "mod": "%"}


def evaluate(text: str) -> Number:
    """The value of an expression. Raises ExpressionError, which names the column."""
    if len(text) > MAX_CHARS:
        raise ExpressionError(f"the expression is longer than {MAX_CHARS:,} characters", MAX_CHARS)
    return _Parser(text).value()


def _tokens(text: str) -> list[_Token]:
    """The tokens. Between a function's parentheses a comma separates arguments, never thousands."""
    found: list[_Token] = []
    calls: list[bool] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"“{text[position]}” has no meaning here", position + 1)
        kind, word = str(match.lastgroup), match.group()
        if kind == "number" and "," in word and any(calls):
            word = word.split(",", 1)[0]
        if word == "(":
            calls.append(bool(found) and found[-1].kind == "name")
        elif word == ")" and calls:
            calls.pop()
        if kind != "space":
            found.append(_Token(kind, _SAME.get(word, word), position + 1))
        position += len(word)
    found.append(_Token("end", "", len(text) + 1))
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._index = 0
        self._depth = 0

    def value(self) -> Number:
        if self._here.kind == "end":
            raise ExpressionError("there is no expression", 1)
        value = self._sum()
        if self._here.kind != "end":
            raise ExpressionError(f"“{self._here.text}” was not expected", self._here.column)
        return value

    @property
    def _here(self) -> _Token:
        return self._tokens[self._index]

    def _take(self, *texts: str) -> _Token | None:
        token = self._here
        if token.kind in ("sign", "name") and token.text in texts:
            self._index += 1
            return token
        return None

    def _sum(self) -> Number:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError("too many nested parentheses or signs", self._here.column)
        value = self._product()
        while token := self._take("+", "-"):
            operation = numbers.add if token.text == "+" else numbers.subtract
            value = _at(token, operation, value, self._product())
        self._depth -= 1
        return value

    def _product(self) -> Number:
        value = self._unary()
        while token := self._take(*_PRODUCTS):
            value = _at(token, _PRODUCTS[token.text], value, self._unary())
        return value

    def _unary(self) -> Number:
        token = self._take("+", "-")
        if token is None:
            return self._power()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError("too many nested parentheses or signs", token.column)
        value = self._unary()
        self._depth -= 1
        return -value if token.text == "-" else value

    def _power(self) -> Number:
        base = self._postfix()
        token = self._take("**")
        if token is None:
            return base
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError("too many powers of powers", token.column)
        exponent = self._unary()
        self._depth -= 1
        return _at(token, numbers.power, base, exponent)

    def _postfix(self) -> Number:
        value = self._atom()
        while True:
            if token := self._take("!"):
                value = _at(token, numbers.factorial, value)
            elif self._here.text == "%" and not self._starts_operand(self._index + 1):
                self._index += 1
                value = value / 100
            else:
                return value

    def _starts_operand(self, index: int) -> bool:
        """Whether a % before this token is a remainder. `7 % -3` reads as 7 percent minus 3."""
        token = self._tokens[index]
        return token.text in ("(", "√") or (token.kind in ("number", "name") and token.text != "%")

    def _atom(self) -> Number:
        token = self._here
        self._index += 1
        if token.kind == "number":
            return _at(token, _literal, token.text)
        if token.text == "√":
            return _at(token, numbers.square_root, self._postfix())
        if token.kind == "name":
            return self._named(token)
        if token.text == "(":
            value = self._sum()
            self._close(token)
            return value
        what = "the expression ends" if token.kind == "end" else f"“{token.text}” stands"
        raise ExpressionError(f"{what} where a number is expected", token.column)

    def _named(self, token: _Token) -> Number:
        name = token.text if token.text in FUNCTIONS else token.text.lower()
        if name in CONSTANTS:
            return CONSTANTS[name]
        function = FUNCTIONS.get(name)
        if function is None:
            known = ", ".join([*FUNCTIONS, *CONSTANTS])
            raise ExpressionError(f"there is no “{token.text}”; known: {known}", token.column)
        return _at(token, function.compute, *self._arguments(token, function))

    def _arguments(self, token: _Token, function: Function) -> list[Number]:
        opening = self._take("(")
        if opening is None:
            raise ExpressionError(f"{token.text} needs parentheses", self._here.column)
        values: list[Number] = []
        if self._here.text != ")":
            values.append(self._sum())
            while self._take(","):
                values.append(self._sum())
        self._close(opening)
        if len(values) < function.least or len(values) > (function.most or len(values)):
            raise ExpressionError(f"{token.text} got {len(values)} arguments", token.column)
        return values

    def _close(self, opening: _Token) -> None:
        if self._take(")") is None:
            raise ExpressionError("this parenthesis is not closed", opening.column)


def _literal(text: str) -> Number:
    mantissa, _, exponent = text.replace(",", "").replace("_", "").lower().partition("e")
    if abs(int(exponent or 0)) > 1_000:
        raise MathsError("the number is too large or too small")
    return numbers.checked(Fraction(mantissa.rstrip(".")) * Fraction(10) ** int(exponent or 0))


def _at(token: _Token, operation: Callable[..., Number], *values: object) -> Number:
    """Make every arithmetic error name its place."""
    try:
        return operation(*values)
    except MathsError as error:
        raise ExpressionError(str(error), token.column) from None
    except (ArithmeticError, ValueError):
        raise ExpressionError("the result is too large", token.column) from None


_PRODUCTS: dict[str, Callable[[Number, Number], Number]] = {
    "*": numbers.multiply,
    "/": numbers.divide,
    "//": numbers.floor_divide,
    "%": numbers.modulo,
}
