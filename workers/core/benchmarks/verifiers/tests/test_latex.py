"""Expressions that mean the same, and expressions that would hang a worker."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.verifiers import latex_compare
from workers.core.benchmarks.verifiers.latex import Latex

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
        ("__import__('os').system('true')", "1"),
    ],
)
async def test_another_meaning(answer: str, reference: str) -> None:
    assert not (await judge(Latex(), answer, reference)).correct


@pytest.mark.parametrize(
    "answer", ["9^{9^{9^{9}}}", "1000000!", r"\prod_{k=1}^{10^9} k", "{" * 500 + "}" * 500]
)
async def test_too_much_work_is_wrong_within_seconds(answer: str) -> None:
    began = time.perf_counter()
    assert not (await judge(Latex(), answer, "x+1")).correct
    assert time.perf_counter() - began < 3 * latex_compare.ANSWER_SECONDS


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda text: repr(text[:12]))
async def test_hostile_answers_are_wrong(answer: str) -> None:
    assert not (await judge(Latex(), answer, "x+1")).correct


async def test_the_event_loop_goes_on_meanwhile() -> None:
    judging = asyncio.create_task(judge(Latex(), "9^{9^{9^{8}}}", "x+1"))
    longest = 0.0
    while not judging.done():
        began = time.perf_counter()
        await asyncio.sleep(0.01)
        longest = max(longest, time.perf_counter() - began)
    assert longest < 1.0


async def test_a_child_that_dies_or_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    await judge(Latex(), "y", "x+1")
    for blow in (signal.SIGKILL, signal.SIGSTOP):
        for child in children():
            os.kill(child, blow)
        monkeypatch.setattr(latex_compare, "ANSWER_SECONDS", 1.0)
        for _ in range(2 * latex_compare.PROCESSES):
            await judge(Latex(), "1+x", "x+1")
        monkeypatch.undo()
        verdicts = [await judge(Latex(), "1+x", "x+1") for _ in range(2 * latex_compare.PROCESSES)]
        assert all(verdict.correct for verdict in verdicts)


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
