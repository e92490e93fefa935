"""Hard expressions are refused, remembered, and hold nobody else up."""

import threading

import pytest

from workers.core.benchmarks.verifiers import latex_compare
from workers.core.benchmarks.verifiers.latex import Latex
from workers.core.benchmarks.verifiers.latex_compare import Comparison, expressions_equal
from workers.core.benchmarks.verifiers.latex_size import too_large
from workers.core.tests.support import within

from .support import HOSTILE, judge

LARGE = [
    "99999999999!",
    "1000000!",
    "(10^9)!",
    "9^{9^{9}}",
    "9^(9^9)",
    "{9^9}^{9^9}",
    "2^{99999999}",
    "2**99999999",
    "10^{20!}",
    "(x+1)^{999999}",
    r"\prod_{k=1}^{10^9} k",
    r"\sum_{k=1}^{99999999} k",
    r"\binom{100000000}{5}",
]
SENSIBLE = [
    r"\frac{1}{2006!}",
    r"\frac{2^{2005}+1}{3 \cdot 2^{2006}}",
    "7^{2^{10}}",
    "10^{6!}",
    "10^{-7}",
    "x^{100000}",
    "e^{x^2}",
    r"\sum_{k=1}^{10} k",
    r"\binom{50}{25}",
    "(n+1)!",
    "1e5",
    "",
    "^",
    "!",
]


@pytest.mark.parametrize("expression", LARGE)
async def test_what_is_too_large_is_refused_before_it_is_computed(expression: str) -> None:
    assert too_large(expression)
    for answer, reference in ((expression, "x+1"), ("x+1", expression)):
        with within(0.1):
            verdict = await judge(Latex(), answer, reference)
            assert "takes too long" in verdict.explanation
    assert (await judge(Latex(), expression, f" {expression}")).correct


@pytest.mark.parametrize("expression", SENSIBLE)
def test_what_can_be_computed_is(expression: str) -> None:
    assert not too_large(expression)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_hostile_expressions_are_measured_quickly(text: str) -> None:
    with within(0.5):
        too_large(text[:1_000])


class Slow:
    """Comparisons of `hard` wait until they may go on; those of others end at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[str, str, float]] = []
        self.may_end = threading.Event()
        monkeypatch.setattr(latex_compare, "_Child", lambda: self)
        monkeypatch.setattr(latex_compare, "_own", threading.local())
        monkeypatch.setattr(latex_compare, "_hard", latex_compare._Hard())
        lanes = {"_quick": (latex_compare.QUICK_SECONDS, False), "_slow": (9.0, True)}
        for name, (seconds, last) in lanes.items():
            lane = latex_compare._Lane(name, 1, seconds, last=last)
            monkeypatch.setattr(latex_compare, name, lane)

    alive = True

    def ask(self, reference: str, answer: str, seconds: float) -> tuple[Comparison, bool]:
        self.asked.append((reference, answer, seconds))
        if reference == "hard":
            if answer == "first":
                self.may_end.wait(10)
            return Comparison(equal=False, timed_out=True, side="reference"), True
        return Comparison(equal=True), True


async def test_references_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    jobs = [latex_compare._quick.submit("hard", answer) for answer in ("first", "2", "3", "4")]
    mine = latex_compare._quick.submit("mine", "x")
    slow.may_end.set()
    assert mine.result(10).equal
    [job.result(10) for job in jobs]
    assert [reference for reference, _, _ in slow.asked[:3]] == ["hard", "hard", "mine"]


async def test_what_was_too_much_work_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    assert (await expressions_equal("hard", "1")).timed_out
    assert [seconds for _, _, seconds in slow.asked] == [latex_compare.QUICK_SECONDS, 9.0]
    assert (await expressions_equal("hard", "1")).timed_out
    assert (await expressions_equal("hard", "2")).timed_out, "its reference alone is too much"
    assert len(slow.asked) == 2
    assert (await expressions_equal("mine", "2")).equal
