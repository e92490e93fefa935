"""What becomes of a run: whose message answers, and what if no agent left a usable one."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.errors import MethodError
from workers.core.events import IntermediateAnswer
from workers.core.mas.outcome import AgentOutcome


def stopping_failure(outcomes: Sequence[AgentOutcome]) -> MethodError | None:
    """The first failure as the run's; None when nobody failed, such as when all refused."""
    for outcome in outcomes:
        if outcome.failure is not None:
            failure = outcome.failure
            return MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
    return None


def speaker_of(outcomes: Sequence[AgentOutcome]) -> AgentOutcome:
    """Whose answer a system gives: the newest agent's that has one; a summary comes last.

    Where nobody commits to an answer, the newest usable message still shows, else the newest agent
    says what went wrong. `outcomes` is not empty.
    """
    usable = [outcome for outcome in outcomes if outcome.usable]
    answering = [outcome for outcome in usable if outcome.answer is not None]
    return (answering or usable or list(outcomes))[-1]


def last_word(outcomes: Sequence[AgentOutcome], *, step: int = 1) -> IntermediateAnswer:
    """What the speaker of these outcomes says, as an event.

    Raises MethodError when nobody left a usable message and somebody failed.
    """
    failure = stopping_failure(outcomes)
    if failure is not None and not any(outcome.usable for outcome in outcomes):
        raise failure
    speaker = speaker_of(outcomes)
    return IntermediateAnswer(step=step, answer=speaker.answer, agent_id=speaker.agent_id)
