"""Marks beside digits: read in one spelling, or the number is not read at all."""

from fractions import Fraction

import pytest

from workers.core.answers.commitment import final_quantity
from workers.core.answers.marks import plain_marks
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.tests.support import known

from .support import judge


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        *((f"{dash}5", "-5") for dash in "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u2796"),
        ("负5个", "-5"),
        ("1'000", "1000"),
        ("1’234’567", "1234567"),
        ("12_500_000", "12500000"),
        ("1.234.567", "1234567"),
        ("1٬000", "1000"),
        ("５０", "50"),
        ("＄１，０００．５０", "1000.5"),
        ("$3B", "3000000000"),
        ("$3m", "3000000"),
        ("4bn", "4000000000"),
        ("2 crore", "20000000"),
        ("3 lakh", "300000"),
        ("2 millions", "2000000"),
        ("2 hundred thousand", "200000"),
        ("3万", "30000"),
        ("5億", "500000000"),
        ("3 млн", "3000000"),
        ("18元", "18"),
        ("18eggs", "18"),
        ("5kWh", "5"),
        ("2nd", "2"),
        ("USD5", "5"),
        ("-₹500", "-500"),
        ("5\ufe0f\u20e3", "5"),
        ("18\u200b", "18"),
        ("18✅", "18"),
        ("half a million", "500000"),
        ("0.\\overline{36}", "4/11"),
        ("0.1(6)", "1/6"),
        ("0.3\u0305", "1/3"),
        ("seven point five", "7.5"),
        ("three point one four", "3.14"),
        ("8-7", "1"),
    ],
)
def test_marks_that_are_understood(answer: str, value: str) -> None:
    found = known(final_quantity(answer))
    assert found.value == Fraction(value)


@pytest.mark.parametrize(("answer", "percent"), [("７‰", "0.7"), ("５０％", "50"), ("5 pct", "5")])
def test_shares(answer: str, percent: str) -> None:
    found = known(final_quantity(answer))
    assert (found.value, found.percent) == (Fraction(percent), True)


@pytest.mark.parametrize(
    "answer",
    [
        *("--5", "—5", "7–8", "7 – 8", "7-8", "10—12", "3、4", "1.2.3", "v2.0", "6'2\"", "5′"),
        *("4q", "7x", "3b", "5 B", "5 k", "3b", "5 mil", "5₂", "5⁺", "5§", "CO2", "x5", "%5"),
        *(
            "5 hundredths",
            "5 squared",
            "a quarter of 10",
            "at least 5",
            "more than 5",
            "up to $5",
            "twice 10",
            "5兆",
            "1億2000万",
        ),
    ],
)
def test_a_mark_that_is_not_understood_leaves_the_number_unread(answer: str) -> None:
    assert final_quantity(answer) is None


@pytest.mark.parametrize(
    ("answer", "reference"),
    [("x = 3 and y = 5", "5"), ("3 apples and 4 pears", "4"), ("5 boys and 3 girls", "5")],
)
async def test_two_things_that_are_counted_are_no_answer(answer: str, reference: str) -> None:
    assert not (await judge(Numeric(), answer, reference)).correct


def test_plain_marks_leave_words_alone() -> None:
    assert plain_marks("it’s well-known – isn't it — since 1990–1995") == (
        "it’s well-known - isn't it — since 1990–1995"
    )
