import math
import re
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.tools.base import ToolLimits
from workers.core.tools.calculator import Calculator
from workers.core.tools.expression import ExpressionError, evaluate
from workers.core.tools.numbers import shown


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("0.1 + 0.2", "0.3"),
        ("14 * 3 + 5 * 12", "102"),
        ("2 ** 3 ** 2", "512"),
        ("-2 ** 2", "-4"),
        ("(-2) ** 2", "4"),
        ("2 ** -1", "0.5"),
        ("2^10", "1024"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 % 3", "1"),
        ("7 % (1 + 2)", "1"),
        ("10 mod 4", "2"),
        ("15%", "0.15"),
        ("200 * 15%", "30"),
        ("15% * 200", "30"),
        ("50% + 1", "1.5"),
        ("1,234,567.5 + 0.5", "1234568"),
        ("1_000 * 2", "2000"),
        ("--3", "3"),
        ("+-+3", "-3"),
        ("1/3", "1/3 ≈ 0.333333333333333"),
        ("1/3 * 3", "1"),
        ("1/8", "0.125"),
        ("sqrt(16)", "4"),
        ("sqrt(9/4)", "1.5"),
        ("√16 + 1", "5"),
        ("sqrt(2) ** 2", "2"),
        ("4 ** 0.5", "2"),
        ("abs(-3.5)", "3.5"),
        ("max(1,200, 3)", "200"),
        ("min(1, 2, -3)", "-3"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(1.005, 2)", "1.01"),
        ("round(1234, -2)", "1200"),
        ("floor(-1.5) + ceil(1.2)", "0"),
        ("log(8, 2)", "3"),
        ("log10(1000)", "3"),
        ("log(e)", "1"),
        ("exp(0)", "1"),
        ("sin(0)", "0"),
        ("cos(pi)", "-1"),
        ("5!", "120"),
        ("factorial(20)", "2432902008176640000"),
        ("gcd(12, 18, 27)", "3"),
        ("comb(52, 5)", "2598960"),
        ("3 × 4 ÷ 2 − 1", "5"),
        ("1e3 + 2.5E-1", "1000.25"),
        (".5 + 5.", "5.5"),
        ("0 ** 0", "1"),
        ("1 ** 99999999999", "1"),
        ("(-1) ** 99999999999", "-1"),
        ("(-1) ** -3", "-1"),
        ("2**200", str(2**200)),
        ("SQRT(4) + PI * 0", "2"),
        ("1e-9", "0.000000001"),
    ],
)
def test_results(expression: str, result: str) -> None:
    assert shown(evaluate(expression)) == result


@pytest.mark.parametrize(
    ("expression", "column", "words"),
    [
        ("", 1, "no expression"),
        ("1 +", 4, "ends where a number"),
        ("1 + * 2", 5, "“*” stands"),
        ("(1 + 2", 1, "not closed"),
        ("1 + 2)", 6, "not expected"),
        ("2 3", 3, "not expected"),
        ("1 / 0", 3, "division by zero"),
        ("1 % 0", 3, "division by zero"),
        ("5 // (2 - 2)", 3, "division by zero"),
        ("sqrt(-1)", 1, "square root"),
        ("(-8) ** (1/3)", 6, "fractional power"),
        ("0 ** -1", 3, "negative power"),
        ("log(0)", 1, "not defined"),
        ("log(5, 1)", 1, "base 1"),
        ("exp(1000)", 1, "too large"),
        ("factorial(1.5)", 1, "whole"),
        ("factorial(-1)", 1, "0 to"),
        ("foo(1)", 1, "there is no “foo”"),
        ("sqrt 4", 6, "parentheses"),
        ("sqrt(1, 2)", 1, "2 arguments"),
        ("max()", 1, "0 arguments"),
        ("2 $ 3", 3, "“$” has no meaning"),
        ("__import__('os')", 1, "no meaning"),
        ("9**9**9", 2, "too many digits"),
        ("(-9)**9**9", 5, "too many digits"),
        ("factorial(99999)", 1, "0 to"),
        ("comb(1e9, 5e8)", 1, "too many digits"),
        ("1e999999", 1, "too large"),
        ("1.5 ** 9e8", 5, "too many digits"),
    ],
)
def test_errors_name_the_column(expression: str, column: int, words: str) -> None:
    with pytest.raises(ExpressionError, match=r"column") as caught:
        evaluate(expression)
    assert (caught.value.column, words in str(caught.value)) == (column, True), str(caught.value)


@pytest.mark.parametrize(
    "hostile",
    [
        "(" * 400 + "1" + ")" * 400,
        "pi/10**-400",
        "pi % 10**-400",
        "pi // 10**-400",
        "(10**-400)**(-0.3)",
        "log(2,1.00000000000000000001)",
        "-" * 900 + "1",
        "2" + "**2" * 300,
        "1+" * 600 + "1",
        "9" * 2000,
        "((((((9**9)**9)**9)**9)**9)**9)",
        "2000!!",
        "10**5000 * 10**5000",
        "0." + "1" * 990 + "!",
    ],
)
def test_hostile_expressions_are_refused_at_once(hostile: str) -> None:
    began = time.process_time()
    with pytest.raises(ExpressionError):
        evaluate(hostile)
    assert time.process_time() - began < 0.2


def test_a_fraction_too_long_to_write_is_shown_rounded() -> None:
    assert shown(evaluate("1/3**12000")).startswith("≈ ")


@settings(max_examples=200)
@given(st.text(alphabet="0123456789+-*/%().,! abcepisqrtlogmnx^!√e", max_size=40))
def test_any_text_is_a_number_or_an_expression_error(text: str) -> None:
    column = 1
    try:
        shown(evaluate(text))
    except ExpressionError as error:
        column = error.column
    assert 1 <= column <= len(text) + 1


@settings(max_examples=200)
@given(
    st.recursive(
        st.integers(0, 99).map(str),
        lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "/"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        max_leaves=8,
    )
)
def test_agrees_with_python_on_rationals(expression: str) -> None:
    try:
        # Every operation stands in parentheses; // gives an int, which / would turn into a float.
        exact = re.sub(r"(\d+)", r"Fraction(\1)", expression.replace("(", "Fraction("))
        expected = eval(exact, {"Fraction": Fraction})  # noqa: S307
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            evaluate(expression)
        return
    assert evaluate(expression) == expected


def test_floats_are_close_to_math() -> None:
    value = evaluate("sin(1) + cos(2) * tan(0.5) + log(7)")
    assert value == pytest.approx(math.sin(1) + math.cos(2) * math.tan(0.5) + math.log(7))


async def test_tool_returns_text_and_mendable_errors() -> None:
    tool, limits = Calculator(), ToolLimits()
    assert (await tool.run({"expression": "14*3 + 5*12 ="}, limits)).output == "102"
    assert (await tool.run({"expression": 5}, limits)).output == "5"
    bad = await tool.run({"expression": "1 +"}, limits)
    assert not bad.ok
    assert "column 4" in bad.output
    assert not (await tool.run({}, limits)).ok
    assert not (await tool.run({"expression": "factorial(1500)"}, ToolLimits(output_chars=99))).ok
