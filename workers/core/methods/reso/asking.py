"""What an agent reads from the subtasks before its own: answers flow along the edges (ReSo, §3.2).

Messages have the names that questions use. If an answer is a number, the agent reads only the
question and the number, not the solution: a small model would otherwise continue the program that
it reads instead of answering. Any other text of an agent is read whole, quoted as a message.
"""

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
    """What the agent with `question` reads from the subtask `needed`, the graph's `place`-th."""
    named = replace(outcome, name=name_of(place))
    if answer is None or not outcome.usable or not is_short_number(answer):
        return named
    said = f"Answer: {answer}"
    return replace(named, message=said if needed.id in question.told else f"{needed.text}\n{said}")
