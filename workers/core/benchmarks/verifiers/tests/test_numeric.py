"""Numbers as people, models and LaTeX write them."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.benchmarks.verifiers.quantities import final_quantity

from .support import HOSTILE, judge

SAME = [
    # thousands, decimals, signs
    ("1,000.0", "1000"),
    ("1000", "1,000.0"),
    ("1,234,567.89", "1234567.89"),
    ("1.000,50", "1000.5"),
    ("1\u202f000", "1000"),
    (r"1\,000", "1000"),
    ("1{,}000", "1000"),
    ("18.", "18"),
    (".5", "0.5"),
    ("7.0", "7"),
    ("+7", "7"),
    ("07", "7"),
    ("-5", "-5"),
    ("−5", "-5"),
    ("minus 5", "-5"),
    ("-$5", "-5"),
    ("$-5", "-5"),
    # fractions and mixed numbers
    ("3/4", "0.75"),
    ("0.75", "3/4"),
    (r"\frac{3}{4}", "0.75"),
    (r"\dfrac34", "3/4"),
    (r"$\frac{3}{4}$", "0.75"),
    (r"-\frac{1}{2}", "-0.5"),
    ("0.75", r"\frac{3}{4}"),
    ("1 1/2", "1.5"),
    ("1½", "3/2"),
    ("½", "0.5"),
    (r"1\frac{1}{2}", "1.5"),
    # percent
    ("75%", "3/4"),
    ("75", "75%"),
    ("0.75", "75%"),
    ("20 percent", "20%"),
    (r"20\%", "20"),
    ("33.33%", "1/3"),
    # currency and units
    ("$1000", "1000"),
    ("1000$", "1000"),
    ("$70,000", "70000"),
    (r"\$70,000", "70000"),
    ("Rs. 500", "500"),
    ("¥5", "5"),
    ("50 cents", "$0.50"),
    ("120 minutes", "2 hours"),
    ("2 h", "120 minutes"),
    ("5 km", "5000 m"),
    ("18 eggs", "18"),
    ("60 km/h", "60"),
    ("60 km per hour", "60"),
    ("5-day", "5"),
    ("90°", "90"),
    ("5 dozen", "5"),
    # scientific notation and scales
    ("1e3", "1000"),
    ("1E-3", "0.001"),
    ("1.0 × 10^3", "1000"),
    (r"1.0 \times 10^{3}", "1000"),
    ("10^3", "1000"),
    ("10³", "1000"),
    ("2 million", "2000000"),
    ("2.5k", "2500"),
    ("$1.5 million", "1500000"),
    # words
    ("one thousand", "1000"),
    ("five", "5"),
    ("twenty-five", "25"),
    ("one hundred and five", "105"),
    ("minus three", "-3"),
    # boxes, markdown, prose
    (r"\boxed{18}", "18"),
    (r"\boxed{18\text{ km}}", "18 km"),
    ("**18**", "18"),
    ("x = 5", "5"),
    ("The total is $18.00", "18"),
    # several numbers
    ("18 dollars per day", "18"),
    ("18 dollars for 2 days", "18"),
    ("72 clips in 2 months", "72"),
    ("In 2 months she sold 72 clips", "72"),
    ("48 + 24 = 72", "72"),
    ("48/2 = 24, 48+24 = 72 clips", "72"),
    ("12 (3 boxes of 4)", "12"),
    ("She needs 5 of 20", "5"),
    ("3 apples and 4 oranges, so 7 in total", "7"),
    # endless expansions, rounded
    ("0.333", "1/3"),
    ("0.6667", "2/3"),
    ("3.142857", "22/7"),
]

DIFFERENT = [
    ("999", "1000"),
    ("1,000", "1"),
    ("10,00", "1000"),
    ("5", "-5"),
    ("1/2", "2"),
    ("5 m", "5 km"),
    ("5 hours", "5 km"),
    ("$5", "€5"),
    ("500", "5%"),
    ("7.5", "75%"),
    ("50%", "5"),
    ("0.33", "1/3"),
    ("0.334", "1/3"),
    ("0.667", "0.6667"),
    ("3", "3.14"),
    ("18 or 20", "18"),
    ("1 2 3 4 5 6 7 8 9 10", "5"),
    ("no one knows", "1"),
    ("NaN", "5"),
    ("inf", "5"),
    ("1/0", "5"),
    ("1e999", "5"),
    ("x", "5"),
]


@pytest.mark.parametrize(("answer", "reference"), SAME)
async def test_the_same_number_written_otherwise(answer: str, reference: str) -> None:
    verdict = await judge(Numeric(), answer, reference)
    assert verdict.correct, verdict.explanation


@pytest.mark.parametrize(("answer", "reference"), DIFFERENT)
async def test_another_number(answer: str, reference: str) -> None:
    verdict = await judge(Numeric(), answer, reference)
    assert not verdict.correct, verdict.explanation


@pytest.mark.parametrize(
    ("answer", "reference", "metadata", "correct"),
    [
        ("3.14", "3.14159", {"tolerance": 0.01}, True),
        ("3.13", "3.14159", {"tolerance": 0.01}, False),
        ("101", "100", {"relative_tolerance": "0.01"}, True),
        ("102", "100", {"relative_tolerance": "0.01"}, False),
        ("100.00001", "100", {}, True),
        ("2.9999999999996", "3", {}, True),
        ("192000001", "192000000", {}, False),
        ("0.3333334", "0.3333333", {}, True),
        ("1.001e-9", "1e-9", {}, False),
        ("100.001", "100", {}, False),
        ("5000 m", "5", {"unit": "km"}, True),
        ("5 m", "5", {"unit": "km"}, False),
        ("5", "5", {"unit": "km"}, True),
    ],
)
async def test_tolerance_and_unit(
    answer: str, reference: str, metadata: dict[str, Any], correct: bool
) -> None:
    assert (await judge(Numeric(), answer, reference, **metadata)).correct is correct


async def test_no_answer_is_wrong() -> None:
    verdict = await judge(Numeric(), None, "5", message="I think it is 5")
    assert (verdict.correct, verdict.explanation) == (False, "No answer was given.")


@pytest.mark.parametrize(
    ("reference", "metadata", "code"),
    [
        (None, {}, "no_reference"),
        ("", {}, "no_reference"),
        ("a cat", {}, "bad_reference"),
        ("3 or 4", {}, "bad_reference"),
        ("5", {"tolerance": "wide"}, "bad_tolerance"),
    ],
)
async def test_a_task_that_cannot_be_judged(
    reference: str | None, metadata: dict[str, Any], code: str
) -> None:
    with pytest.raises(VerifierError) as caught:
        await judge(Numeric(), "5", reference, **metadata)
    assert caught.value.code == code
    assert caught.value.remedy


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong_and_quick(answer: str) -> None:
    began = time.process_time()
    assert not (await judge(Numeric(), answer, "5")).correct
    assert time.process_time() - began < 1.0


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6))
def test_every_fraction_reads_back(value: Fraction) -> None:
    found = final_quantity(f"{value.numerator}/{value.denominator}")
    assert found is not None
    assert found.value == value


@given(st.integers(-(10**15), 10**15))
def test_every_integer_reads_back_with_separators(value: int) -> None:
    found = final_quantity(f"The answer is {value:,}.")
    assert found is not None
    assert found.value == value


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    final_quantity(text)
