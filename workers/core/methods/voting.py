"""The majority of several agents as one answer: what `self_consistency` and `debate` share."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.events import IntermediateAnswer
from workers.core.mas.answers import vote
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.outcomes import stopping_failure
from workers.core.specs import AnswerForm


def majority(
    samples: Sequence[AgentOutcome], *, step: int = 1, answer_form: AnswerForm = "text"
) -> IntermediateAnswer:
    """The vote, and the first sample that gave the winning answer as its representative.

    Refusals, failures and messages without an answer abstain. Raises MethodError when no sample is
    usable and one failed.
    """
    usable = [sample for sample in samples if sample.usable]
    failure = stopping_failure(samples)
    if not usable and failure is not None:
        raise failure
    answer = vote([sample.answer for sample in usable], answer_form)
    winners = [s for s in usable if s.answer and s.answer == answer]
    representative = (winners or usable or list(samples))[0]
    return IntermediateAnswer(step=step, answer=answer, agent_id=representative.agent_id)
