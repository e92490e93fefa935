"""What becomes of a run: whose message answers, and what if no agent left a usable one."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.events import IntermediateAnswer
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.base import MethodError


def stopping_failure(outcomes: Sequence[AgentOutcome]) -> MethodError | None:
    """The first failure as the run's; None when nobody failed, such as when all refused."""
    for outcome in outcomes:
        if outcome.failure is not None:
            failure = outcome.failure
            return MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
    return None


def last_word(outcomes: Sequence[AgentOutcome], *, step: int = 1) -> IntermediateAnswer:
    """The answer of the last outcome that has one, else the message of the last usable one.

    Raises MethodError when nobody left a usable message and somebody failed.
    """
    usable = [outcome for outcome in outcomes if outcome.usable]
    failure = stopping_failure(outcomes)
    if not usable and failure is not None:
        raise failure
    answering = [outcome for outcome in usable if outcome.answer is not None]
    speaker = (answering or usable or list(outcomes))[-1]
    return IntermediateAnswer(step=step, answer=speaker.answer, agent_id=speaker.agent_id)
