"""What an agent hears of the subtasks before its own: answers flow along the edges (ReSo, §3.2).

Messages go by the names that questions use. Of an answer that is a number only the question and the
number are read, not how it was found: a small model otherwise goes on with the program that it
reads instead of answering. Whatever else an agent wrote is read whole, quoted as a message.
"""

from __future__ import annotations

from dataclasses import replace

from workers.core.benchmarks.answer_names import Question, is_short_number, name_of
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import SubtaskSpec


def heard(
    outcome: AgentOutcome,
    needed: SubtaskSpec,
    question: Question,
    *,
    place: int,
    answer: str | None,
) -> AgentOutcome:
    """What the reader of `question` hears of the subtask `needed`, the graph's `place`-th."""
    named = replace(outcome, name=name_of(place))
    if answer is None or not outcome.usable or not is_short_number(answer):
        return named
    said = f"Answer: {answer}"
    return replace(named, message=said if needed.id in question.told else f"{needed.text}\n{said}")
