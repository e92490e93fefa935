"""An agent that counts: it gives the most frequent answer that it reads, without a model."""

from collections.abc import Sequence

from workers.core.answers.reading import counted, vote
from workers.core.mas.contribution import Contribution
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AnswerForm

NOTHING_TO_COUNT = "REFUSE: no agent that I read has given an answer."


def count_votes(inputs: Sequence[AgentOutcome], answer_form: AnswerForm = "text") -> Contribution:
    """The count, with the winner last. A tie goes to the answer given first."""
    given = [(outcome.name, outcome.answer) for outcome in inputs if outcome.answer is not None]
    winner = vote([answer for _, answer in given], answer_form)
    if winner is None:
        return Contribution(NOTHING_TO_COUNT, None, refused=True, truncated=False)
    lines = [
        f"- {len(group)} for {_shown(given[group[0]][1], number, answer_form)}: "
        + ", ".join(given[place][0] for place in group)
        for number, group in enumerate(
            counted([answer for _, answer in given], answer_form), start=1
        )
    ]
    ending = f"```python\n{winner}\n```" if answer_form == "code" else f"Answer: {winner}"
    text = "\n".join([f"{len(given)} answers:", *lines, "", ending])
    return Contribution(text, winner, refused=False, truncated=False)


def _shown(answer: str, number: int, answer_form: AnswerForm) -> str:
    return f"program {number}" if answer_form == "code" else answer
