"""Judges the answers of a training, and knows the failures that say nothing about them."""

import asyncio
import hashlib

from workers.core.benchmarks.base import VerifierError
from workers.core.benchmarks.registry import VERIFIERS
from workers.core.errors import Failure, MethodError
from workers.core.llm.errors import CONTENT_FILTERED
from workers.core.mas.control import NOBODY_TO_ASK
from workers.core.mas.failures import MODEL_REFUSED, NO_INPUT, ONLY_THOUGHTS, OUT_OF_TIME
from workers.core.mas.record import RunRecord
from workers.core.specs import TaskSpec

NOT_THE_ENDPOINT = frozenset(
    (
        *("budget_exceeded", OUT_OF_TIME, NO_INPUT, "empty_message", "unknown_endpoint"),
        *(ONLY_THOUGHTS, "context_length_exceeded", NOBODY_TO_ASK.code),
        *(CONTENT_FILTERED, MODEL_REFUSED),
    )
)
"""Failures of an agent that concern its team, not whether the endpoint works."""


def failures_of_the_endpoint(record: RunRecord) -> tuple[Failure, ...]:
    """The agents' failures, in order."""
    return tuple(each for each in record.failures if each.code not in NOT_THE_ENDPOINT)


class Judge:
    """Asks each task's verifier once per answer."""

    def __init__(self) -> None:
        self._verdicts: dict[bytes, asyncio.Future[bool]] = {}

    async def correct(self, task: TaskSpec, answer: str | None, message: str) -> bool:
        """Raises MethodError for a task that can't be judged."""
        if answer is None and not message:
            return False
        # The whole task: two may ask the same and want other answers.
        asked = (task.model_dump_json(), answer, message if task.answer_form == "code" else "")
        key = hashlib.sha256(repr(asked).encode(errors="surrogatepass")).digest()
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = asyncio.ensure_future(_verify(task, answer, message))
        return await asyncio.shield(known)


async def _verify(task: TaskSpec, answer: str | None, message: str) -> bool:
    verifier = VERIFIERS.get(task.verifier or "")
    if verifier is None:
        raise MethodError(
            code="no_verifier",
            message=f"The task “{task.query[:60]}” has no verifier, so its answers get no reward.",
            remedy="Train on a dataset whose tasks have a reference and a verifier.",
        )
    try:
        return (await verifier.verify(task, answer=answer, message=message)).correct
    except VerifierError as error:
        raise MethodError(code=error.code, message=error.message, remedy=error.remedy) from error
