"""Judges a run's answer and returns the verdict as an event."""

import logging
from collections.abc import Mapping

from workers.core.benchmarks.base import Verifier, VerifierError
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.events import AnswerVerified
from workers.core.specs import TaskSpec

log = logging.getLogger(__name__)


async def answer_verified(
    task: TaskSpec,
    *,
    answer: str | None,
    message: str,
    verifiers: Mapping[str, Verifier] = VERIFIERS,
) -> AnswerVerified | None:
    """None for a task without a verifier, and for one that can't be judged (no such verifier, no
    tests, no sandbox). Then the problem is the task or the studio, so the answer counts neither as
    right nor as wrong, and the log says why."""
    if task.verifier is None:
        return None
    verifier = verifiers.get(task.verifier)
    if verifier is None:
        log.warning("an answer was not judged: there is no verifier %r", task.verifier)
        return None
    try:
        verdict = await verifier.verify(task, answer=answer, message=message)
    except VerifierError as error:
        log.warning("an answer was not judged: %s %s", error.message, error.remedy)
        return None
    return AnswerVerified(
        verifier=verifier.key,
        correct=verdict.correct,
        reward=verdict.reward,
        explanation=verdict.explanation,
    )
