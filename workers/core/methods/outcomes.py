"""Decides whose message gives a run's answer, also if no agent left a usable one."""

from collections.abc import Sequence

from workers.core.errors import MethodError
from workers.core.events import IntermediateAnswer
from workers.core.mas.outcome import AgentOutcome


def stopping_failure(outcomes: Sequence[AgentOutcome]) -> MethodError | None:
    """The first failure as the run's; None if no agent failed, for example if all refused."""
    for outcome in outcomes:
        if outcome.failure is not None:
            failure = outcome.failure
            return MethodError(code=failure.code, message=failure.message, remedy=failure.remedy)
    return None


def speaker_of(outcomes: Sequence[AgentOutcome]) -> AgentOutcome:
    """The agent whose answer counts: the newest with one. A summary comes last.

    If no agent has an answer, the newest usable message is shown, otherwise the newest agent, which
    says what went wrong. `outcomes` is not empty.
    """
    usable = [outcome for outcome in outcomes if outcome.usable]
    answering = [outcome for outcome in usable if outcome.answer is not None]
    return (answering or usable or list(outcomes))[-1]


def last_word(outcomes: Sequence[AgentOutcome], *, step: int = 1) -> IntermediateAnswer:
    """The answer of these outcomes' speaker, as an event.

    Raises MethodError if no agent left a usable message and one failed.
    """
    failure = stopping_failure(outcomes)
    if failure is not None and not any(outcome.usable for outcome in outcomes):
        raise failure
    speaker = speaker_of(outcomes)
    return IntermediateAnswer(step=step, answer=speaker.answer, agent_id=speaker.agent_id)
