"""Answers in Unicode and plain words against LaTeX."""

import pytest

from workers.core.answers.latex_notation import latex_notation
from workers.core.benchmarks.verifiers.latex import Latex
from workers.core.tests.support import within

from .support import HOSTILE, judge


@pytest.mark.parametrize(
    ("answer", "reference", "same"),
    [
        ("√2", r"\sqrt{2}", True),
        ("x²+1", "x^2+1", True),
        ("∞", r"\infty", True),
        ("−∞", r"\infty", False),
        ("30°", r"30^\circ", True),
        ("2pi", r"2\pi", True),
        (r"0.\overline{3}", r"\frac{1}{3}", True),
        (r"0.\overline{3}", "0.3", False),
        ("α+β", r"\beta+\alpha", True),
        ("x ∈ [0, ∞)", r"[0,\infty)", True),
    ],
)
async def test_it_means_the_same_as_in_latex(answer: str, reference: str, same: bool) -> None:
    assert (await judge(Latex(), answer, reference)).correct is same


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_expressions_are_written_quickly(text: str) -> None:
    with within(0.5):
        latex_notation(text[:1_000])
