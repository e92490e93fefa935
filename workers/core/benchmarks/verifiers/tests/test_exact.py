"""Text, letter for letter."""

import pytest

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers.exact import Exact

from .support import HOSTILE, judge


@pytest.mark.parametrize(
    ("answer", "reference", "correct"),
    [
        ("Paris", "paris", True),
        (" **Paris**. ", "Paris", True),
        ("“Paris”", "Paris", True),
        ("new\n york", "New York", True),
        ("ﬁne", "fine", True),
        ("STRASSE", "straße", True),
        ("...", "...", True),
        ("Paris, France", "Paris", False),
        ("Pariss", "Paris", False),
        ("!!!", "...", False),
        ("", "Paris", False),
    ],
)
async def test_what_counts_as_the_same(answer: str, reference: str, correct: bool) -> None:
    assert (await judge(Exact(), answer, reference)).correct is correct


async def test_aliases_and_case() -> None:
    assert (await judge(Exact(), "UK", "United Kingdom", aliases=["UK", "Britain"])).correct
    assert not (await judge(Exact(), "US", "United Kingdom", aliases=["UK"])).correct
    assert not (await judge(Exact(), "paris", "Paris", case_sensitive=True)).correct
    assert (await judge(Exact(), " Paris ", "Paris", case_sensitive=True)).correct


async def test_no_answer_and_no_reference() -> None:
    assert not (await judge(Exact(), None, "Paris")).correct
    with pytest.raises(VerifierError):
        await judge(Exact(), "Paris", None)


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong(answer: str) -> None:
    assert not (await judge(Exact(), answer, "Paris")).correct
