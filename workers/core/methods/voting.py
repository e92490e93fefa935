"""Turns the majority of several agents into one answer, for `self_consistency` and `debate`."""

from collections.abc import Sequence

from workers.core.answers.reading import counted
from workers.core.events import AnswerGroup, IntermediateAnswer
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.outcomes import stopping_failure
from workers.core.specs import AnswerForm


def majority(
    samples: Sequence[AgentOutcome], *, step: int = 1, answer_form: AnswerForm = "text"
) -> IntermediateAnswer:
    """The vote, represented by the first sample with the winning answer. A tie goes to the answer
    given first.

    Refusals, failures and messages without an answer abstain. Raises MethodError if no sample is
    usable and one failed.
    """
    usable = [sample for sample in samples if sample.usable]
    failure = stopping_failure(samples)
    if not usable and failure is not None:
        raise failure
    given = [(sample.agent_id, sample.answer) for sample in usable if sample.answer is not None]
    groups = tuple(
        AnswerGroup(answer=given[places[0]][1], agent_ids=tuple(given[p][0] for p in places))
        for places in counted([answer for _, answer in given], answer_form)
    )
    winner = max(groups, key=lambda group: len(group.agent_ids), default=None)
    return IntermediateAnswer(
        step=step,
        answer=winner.answer if winner else None,
        agent_id=winner.agent_ids[0] if winner else (usable or list(samples))[0].agent_id,
        groups=groups,
    )
