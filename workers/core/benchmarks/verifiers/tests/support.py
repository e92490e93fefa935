"""Asking a verifier about one answer."""

from typing import Any

from workers.core.benchmarks.base import Verdict, Verifier
from workers.core.specs import TaskSpec


async def judge(
    verifier: Verifier,
    answer: str | None,
    reference: str | None,
    message: str = "",
    **metadata: Any,
) -> Verdict:
    task = TaskSpec(query="q", reference=reference, verifier=verifier.key, metadata=metadata)
    verdict = await verifier.verify(task, answer=answer, message=message)
    assert verdict.reward == float(verdict.correct)
    assert verdict.explanation.endswith(".")
    return verdict


HOSTILE = (
    "1" * 100_000,
    "1," * 50_000,
    "1 " * 50_000,
    "1/" * 50_000,
    "-" * 100_000,
    "$" * 100_000,
    "\\frac{1}" * 20_000,
    "\\text{" * 20_000,
    "{" * 100_000,
    "one hundred " * 10_000,
    "\\boxed{" * 20_000,
    "\\boxed{1}" * 20_000,
    "not 1 " * 20_000,
    "answer: " * 20_000,
    "answer: a b c " * 10_000,
    "1 or " * 20_000,
    "1 hour 30 minutes " * 8_000,
    "½" * 50_000,
    "<<1" * 30_000,
    "(1+" * 30_000,
    "√" * 50_000,
    "a half " * 20_000,
    "=" * 100_000 + "1",
    "1e" * 50_000,
    "(" * 100_000,
    "A " * 50_000,
    "not " * 30_000,
    "\ud800",
    "\0",
    "9" * 4_301,
    "1e999999999",
    "10^99999",
    "9^400^400",
    "1/0",
    "",
    " ",
)
"""Answers that are long, broken or absurd."""
