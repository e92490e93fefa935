"""Answers of GAIA: numbers, lists and texts by the rules of its published scorer."""

import pytest

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers.gaia import Gaia

from .support import HOSTILE, judge


@pytest.mark.parametrize(
    ("answer", "reference", "correct"),
    [
        # A number.
        ("17", "17", True),
        (" 17.0 ", "17", True),
        ("$1,205", "1205", True),
        ("90%", "90", True),
        ("1.7e1", "17", True),
        ("+4.6", "4.6", True),
        ("89706", "89706.00", True),
        ("-0", "0", True),
        ("17 km", "17", False),
        ("seventeen", "17", False),
        ("17.0001", "17", False),
        ("1 205", "1205", False),
        ("17; 17", "17", False),
        # A list.
        ("b,e", "b, e", True),
        ("B ; E", "b, e", True),
        ("3.1.3.1;1.11.1.7", "3.1.3.1; 1.11.1.7", True),
        ("$5, 10%", "5, 10", True),
        ("5.0,apples", "5, Apples", True),
        ("1,205", "1,205", True),
        ("Santa  Fe, Bonn", "santa fe,bonn", True),
        ("e, b", "b, e", False),
        ("b", "b, e", False),
        ("b, e, f", "b, e", False),
        ("b, e,", "b, e", False),
        ("b and e", "b, e", False),
        ("1205", "1,205", False),
        ("b., e", "b, e", False),
        ("3131; 11117", "3.1.3.1; 1.11.1.7", False),
        ("5 km, 10", "5, 10", False),
        # A text.
        ("St. Petersburg", "st petersburg", True),
        ("“Bonn”", "Bonn", False),
        ('"Bonn".', "Bonn", True),
        ("Sea Gull", "seagull", True),
        ("b, e", "be", True),
        ("Bonn am Rhein", "Bonn", False),
        # Hostile.
        ("nan", "nan", True),
        ("nan", "17", False),
        ("inf", "17", False),
        ("inf", "1e999", False),
        ("anything", "1e999", False),
        ("1e999", "1e999", True),
        ("1e999", "17", False),
        ("-inf, 2", "1, 2", False),
        ("anything, 2", "1e999, 2", False),
        ("", "17", False),
        ("", "Bonn", False),
        ("", "b, e", False),
        (",", "b, e", False),
        ("!!!", "...", False),
        ("", "...", False),
        ("...", "...", True),
        ("17" + "0" * 2_000, "17", False),
        ("17." + "0" * 2_000, "17", False),
        ("Bonn" + " " * 200_000, "Bonn", True),
        ("Bonn" + " " * 200_000 + "Rome", "Bonn", False),
        ("b," * 100_000, "b, e", False),
    ],
)
async def test_what_counts_as_the_same(answer: str, reference: str, correct: bool) -> None:
    assert (await judge(Gaia(), answer, reference)).correct is correct


async def test_no_answer_and_no_reference() -> None:
    assert not (await judge(Gaia(), None, "Paris")).correct
    for reference in (None, "", " "):
        with pytest.raises(VerifierError):
            await judge(Gaia(), "Paris", reference)


@pytest.mark.parametrize("reference", ["17", "b, e", "Paris", "1e999", "nan, 2"])
@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong(answer: str, reference: str) -> None:
    assert not (await judge(Gaia(), answer, reference)).correct
