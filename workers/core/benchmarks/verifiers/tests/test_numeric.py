"""Numbers as people, models and LaTeX write them."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.commitment import final_quantity
from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers.numeric import Numeric
from workers.core.specs import TaskSpec
from workers.core.tests.support import known, within

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
    ("70 000", "70000"),
    ("12,34,567", "1234567"),
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
    ("3 dozen", "36"),
    ("two dozen eggs", "24"),
    ("36", "3 dozen"),
    ("1 hour 30 minutes", "90 minutes"),
    ("5 feet 6 inches", "66 inches"),
    ("66 inches", "5 feet 6 inches"),
    ("$5 and 20 cents", "$5.20"),
    ("18 m^2", "18"),
    # scientific notation and scales
    ("1e3", "1000"),
    ("1E-3", "0.001"),
    ("1.0 × 10^3", "1000"),
    (r"1.0 \times 10^{3}", "1000"),
    ("10^3", "1000"),
    ("10³", "1000"),
    ("2**10", "1024"),
    ("**2**", "2"),
    ("2 million", "2000000"),
    ("2.5k", "2500"),
    ("$1.5 million", "1500000"),
    ("1M", "1000000"),
    ("3²", "9"),
    # computations that are the whole answer
    ("5+3", "8"),
    ("5 - 3", "2"),
    ("$5 + $3", "8"),
    ("10/2/5", "1"),
    (r"2 \times (3 + 4)", "14"),
    ("5 + 3 = 8", "8"),
    ("8 = 5 + 3", "8"),
    # words
    ("one thousand", "1000"),
    ("five", "5"),
    ("twenty-five", "25"),
    ("one hundred and five", "105"),
    ("minus three", "-3"),
    ("a hundred", "100"),
    ("half", "0.5"),
    ("one and a half", "1.5"),
    ("2 and a half", "2.5"),
    ("three quarters", "0.75"),
    ("half an hour", "30 minutes"),
    ("fifty percent", "0.5"),
    ("The answer is one.", "1"),
    ("two out of three", "2"),
    ("ten, which is half the total", "10"),
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
    ("She makes 9 * 2 = $<<9*2=18>>18 every day at the market.\n#### 18", "18"),
    ("16 - 3 - 4 = 9 eggs, and 9 * 2 = 18 dollars", "18"),
    ("It rose from 10 to 12, so by 2", "2"),
    ("2 or 3 eggs a day, 9 * 2 = 18", "18"),
    ("In 2020, 72", "72"),
    ("9 * 2 -> 18", "18"),
    ("<answer>18</answer>", "18"),
    ("18 or 18.00", "18"),
    ("0.5 or 50%", "0.5"),
    (r"\boxed{18} and again \boxed{18.0}", "18"),
    (r"\boxed{50}\%", "0.5"),
    (r"\boxed{18} since 20 - 2 is that", "18"),
    # denied, announced
    ("the answer is 7, not 8", "7"),
    ("It's not 8.5, it's 7", "7"),
    ("not 8 but 7", "7"),
    ("7 rather than 8 or 9", "7"),
    ("42 is the answer. I am 100% sure.", "42"),
    ("So the answer is 7. Check: 7 - 3 = 4.", "7"),
    ("Answer: 7\n\nExplanation: 3 + 4 = 7, then 7*2=14", "7"),
    ("The answer is 8. Wait, the answer is 7.", "7"),
    ("Step 1: 5+8. Step 2: the result is 13. Step 3: done", "13"),
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
    ("one of them", "1"),
    ("She is one of us", "1"),
    ("5000%", "50"),
    ("150%", "1.5"),
    ("1%", "100"),
    # several candidates, whichever of them is right
    ("18 or 20", "18"),
    ("20 or 18", "18"),
    ("$18 (or maybe $20)", "20"),
    ("it's 18 or it's 20", "20"),
    ("x = 5 or x = 7", "7"),
    ("18, 20", "20"),
    ("18 and 20", "20"),
    ("18\n20", "20"),
    ("1 2 3 4", "4"),
    ("between 5 and 10", "10"),
    ("between 5 eggs and 10 eggs", "10"),
    ("10-12", "12"),
    ("10 - 12 dollars", "12"),
    ("10–12", "12"),
    ("10 to 12", "12"),
    ("10 to 12", "10"),
    ("12:30", "30"),
    (r"\boxed{9} \boxed{10}", "10"),
    (r"\boxed{9} or \boxed{10}", "9"),
    ("not 8", "8"),
    ("The answer is not 8.", "8"),
    # a part of something else
    ("√9", "9"),
    (r"\sqrt{9}", "9"),
    (r"\sqrt 9", "9"),
    (r"5\sqrt{2}", "5"),
    ("4, so the diagonal is 4√2", "4"),
    (r"\frac{\sqrt{3}}{2}", "2"),
    ("10!", "10"),
    ("5 factorial", "5"),
    ("log 2", "2"),
    (r"\sin(30)", "30"),
    (r"3\pi", "3"),
    ("x^2", "2"),
    ("x > 5", "5"),
    ("5 < x", "5"),
    ("±2", "2"),
    ("She makes 16 - 3 eggs", "3"),
    ("5 apples + 3 pears", "3"),
    ("3 dozen", "3"),
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


@pytest.mark.parametrize(
    ("answer", "correct"), [("3", True), ("3 dozen", True), ("36 eggs", False), ("4 dozen", False)]
)
async def test_a_question_for_dozens(answer: str, correct: bool) -> None:
    task = TaskSpec(query="How many dozen eggs are left?", reference="3", verifier="numeric")
    assert (await Numeric().verify(task, answer=answer, message="")).correct is correct


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
    with within(1.0):
        assert not (await judge(Numeric(), answer, "5")).correct


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6))
def test_every_fraction_reads_back(value: Fraction) -> None:
    found = known(final_quantity(f"{value.numerator}/{value.denominator}"))
    assert found.value == value


@given(st.integers(-(10**15), 10**15))
def test_every_integer_reads_back_with_separators(value: int) -> None:
    found = known(final_quantity(f"The answer is {value:,}."))
    assert found.value == value


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    final_quantity(text)
