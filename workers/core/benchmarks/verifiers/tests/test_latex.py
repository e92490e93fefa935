"""Expressions that mean the same, and expressions that would hang a worker."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers import latex_compare, latex_process
from workers.core.benchmarks.verifiers.latex import Latex
from workers.core.specs import TaskSpec

from .support import HOSTILE, judge


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("0.75", r"\frac{3}{4}"),
        (r"\boxed{\frac{3}{4}}", "0.75"),
        ("3/4", r"\frac{3}{4}"),
        ("1,000.0", "1000"),
        ("The result is 1000", "1000"),
        (r"$18.90$", r"\$18.90"),
        ("0.5", r"50\%"),
        ("90", r"90^\circ"),
        (r"10\text{ cm}", "10"),
        ("(x+1)^2", "x^2+2x+1"),
        (r"2\sqrt{2}", r"\sqrt{8}"),
        (r"\frac \pi 2", r"\frac{\pi}{2}"),
        ("1/2", r"\int_0^1 x\,dx"),
        ("(1, 2)", "(1,2)"),
        (r"\{2,1\}", r"\{1,2\}"),
        ("5, 3", "3, 5"),
        ("[0, 1)", "[0,1)"),
        ("[1,2]", r"x \in [1,2]"),
        ("x=5", "5"),
        ("5", "x=5"),
        (r"\begin{bmatrix}1\\2\end{bmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
        ("even", r"\text{even}"),
        ("$x=5$", "5"),
        (r"10\text{ cm}^2", "10"),
        (r"10 \mathrm{~km}", "10"),
        ("10 apples", "10"),
        (r"\$5", "5"),
        ("50 cents", r"\$0.50"),
        (r"12^\circ", "12"),
        (r"1{,}000", "1000"),
        ("5.", "5"),
        (r"1\frac{1}{2}", r"\frac{3}{2}"),
        (r"1.5 \times 10^3", "1500"),
        (r"2^{3}", "8"),
        (r"\sqrt{9}", "3"),
        (r"3 \cdot 4", "12"),
        ("3+4", "7"),
        (r"\binom{4}{2}", "6"),
        (r"\log_2 8", "3"),
        ("10!", "3628800"),
        ("|-5|", "5"),
        (r"75\%", r"\frac{3}{4}"),
        (r"12\%", "0.12"),
        (r"12\%", r"12\%"),
        ("101_2", "101_{2}"),
        ("101", "101_2"),
        (r"\boxed{5} = \boxed{5}", "5"),
        (r"\frac{1}{2^{98}}", "2^{-98}"),
        (r"\sqrt{2}+\sqrt{3}", r"\sqrt{5+2\sqrt{6}}"),
        ("3.141593", r"\pi"),
        ("0.5x", r"\frac{x}{2}"),
        (r"(0.5,1)", r"(\frac12,1)"),
    ],
)
async def test_the_same_meaning(answer: str, reference: str) -> None:
    verdict = await judge(Latex(), answer, reference)
    assert verdict.correct, verdict.explanation


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("0.74", r"\frac{3}{4}"),
        ("(x-1)^2", "x^2+2x+1"),
        ("(2,1)", "(1,2)"),
        ("(0,1)", "[0,1)"),
        ("3.14", r"\pi"),
        ("5, 3, 1", "3, 5"),
        ("$2$ and $3$", "2"),
        ("odd", r"\text{even}"),
        ("-x", "x"),
        # what holds the number among other things
        (r"\{3,5\}", "5"),
        ("(3,5)", "5"),
        ("[3,5]", "5"),
        ("3, 5", "5"),
        ("-2, 2", "2"),
        (r"\pm 2", "2"),
        ("x=0,1", "1"),
        (r"x=3 \text{ or } x=5", "5"),
        (r"1\text{ or }2", "2"),
        (r"\text{at least } 5", "5"),
        ("5 or more", "5"),
        (r"(-\infty,3)", "3"),
        (r"(-\infty,3]", "3"),
        ("x>5", "5"),
        (r"x \ge 5", "5"),
        (r"\boxed{3} \boxed{5}", "5"),
        (r"\boxed{3} \text{ or } \boxed{5}", "3"),
        # formulas
        (r"2\sqrt{5}", "5"),
        (r"3\sqrt{5}", "3"),
        (r"\sqrt{2}", "2"),
        (r"\sqrt{9}", "9"),
        (r"\frac{\sqrt 3}{2}", "2"),
        (r"\frac{\sqrt{2}}{3}", "3"),
        (r"\frac{x}{3}", "3"),
        (r"\frac{\pi}{4}", "4"),
        (r"-\frac{1}{x+1}", "1"),
        ("2x+5", "5"),
        ("12x", "12"),
        ("12xy", "12"),
        ("12x^2", "12"),
        ("x/12", "12"),
        ("x^2", "2"),
        ("2^3", "3"),
        ("e^1", "1"),
        ("a_2", "2"),
        ("5i", "5"),
        (r"3\pi", "3"),
        (r"\log 2", "2"),
        (r"\sin 30", "30"),
        ("sin 30", "30"),
        (r"\cos 1", "1"),
        (r"\binom{4}{2}", "2"),
        (r"\sum_{k=1}^{10} k", "10"),
        ("3+4", "4"),
        (r"3 \cdot 4", "4"),
        ("10!", "10"),
        ("101_2", "101"),
        ("101_3", "101_2"),
        ("5_7", "5"),
        (r"5 \pmod 7", "7"),
        # exact numbers, however small their difference
        (r"\frac{1}{2^{98}}", r"\frac{1}{2^{99}}"),
        (r"\frac{1}{20!}", r"\frac{1}{19!}"),
        ("e^{-40}", "e^{-41}"),
        (r"(\frac{1}{2^{98}}, 3)", r"(\frac{1}{2^{99}}, 3)"),
        (r"\frac{x}{2^{98}}", r"\frac{x}{2^{99}}"),
        ("x=10^{-20}", "x=10^{-21}"),
        ("[0,10^{-20}]", "[0,10^{-21}]"),
        (r"0.0000001\pi", r"0.0000002\pi"),
        (r"\frac{2^{2005}+1}{3 \cdot 2^{2006}}", r"\frac{1}{3 \cdot 2^{2006}}"),
        # another number
        (r"12\%", "12"),
        (r"0.5\%", "0.5"),
        (r"3 \text{ dozen}", "3"),
        ("__import__('os').system('true')", "1"),
    ],
)
async def test_another_meaning(answer: str, reference: str) -> None:
    assert not (await judge(Latex(), answer, reference)).correct


@pytest.mark.parametrize(
    ("query", "answer", "reference"),
    [
        ("What percent of them?", r"12\%", "12"),
        ("Write 5 in base $2$.", "101_2", "101"),
    ],
)
async def test_the_question_may_say_what_is_counted(
    query: str, answer: str, reference: str
) -> None:
    task = TaskSpec(query=query, reference=reference, verifier="latex")
    assert (await Latex().verify(task, answer=answer, message="")).correct


@pytest.mark.parametrize(
    "answer", ["9^{9^{9^{9}}}", "1000000!", r"\prod_{k=1}^{10^9} k", "{" * 500 + "}" * 500]
)
async def test_too_much_work_is_wrong_before_it_counts_as_hanging(answer: str) -> None:
    began = time.perf_counter()
    assert not (await judge(Latex(), answer, "x+1")).correct
    assert time.perf_counter() - began < latex_compare.ANSWER_SECONDS


def endless() -> None:
    while True:
        pass


def test_a_limit_counts_work_and_not_the_time_that_others_have_the_machine() -> None:
    with latex_process.limited(0.3):
        time.sleep(0.6)
    with pytest.raises(latex_process.TooLong, match="answer"), latex_process.limited(0.3, "answer"):
        endless()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong(answer: str) -> None:
    assert not (await judge(Latex(), answer, "x+1")).correct


async def test_the_event_loop_goes_on_meanwhile() -> None:
    judging = asyncio.create_task(judge(Latex(), r"\sum_{k=1}^{9000} \frac{1}{k^7}", "x+1"))
    longest = 0.0
    while not judging.done():
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        longest = max(longest, time.perf_counter() - began)
    assert longest < 1.0
    assert "takes too long" in judging.result().explanation


async def test_a_child_that_dies_or_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    async def all_at_once() -> list[bool]:
        judging = (judge(Latex(), "1+x", "x+1") for _ in range(latex_compare.PROCESSES))
        return [verdict.correct for verdict in await asyncio.gather(*judging)]

    await all_at_once()
    for blow in (signal.SIGKILL, signal.SIGSTOP):
        before = children()
        for child in before:
            os.kill(child, blow)
        monkeypatch.setattr(latex_compare, "ANSWER_SECONDS", 1.0)
        await all_at_once()
        monkeypatch.undo()
        assert await all_at_once() == [True] * latex_compare.PROCESSES
        assert not {*before} & {*children()}


def children() -> list[int]:
    """Process ids of the comparing children."""
    mine = Path(f"/proc/{os.getpid()}/task")
    ids = [int(each) for task in mine.iterdir() for each in (task / "children").read_text().split()]
    return [each for each in ids if b"latex_process" in Path(f"/proc/{each}/cmdline").read_bytes()]


async def test_it_works_in_any_thread_and_loop() -> None:
    def in_a_thread() -> bool:
        return asyncio.run(judge(Latex(), "1+x", "x+1")).correct

    assert all(await asyncio.gather(*(asyncio.to_thread(in_a_thread) for _ in range(4))))


async def test_a_task_that_cannot_be_judged() -> None:
    for reference in (None, "x+" * 1_000):
        with pytest.raises(VerifierError):
            await judge(Latex(), "x", reference)


async def test_no_answer_is_wrong() -> None:
    assert not (await judge(Latex(), None, "x")).correct
