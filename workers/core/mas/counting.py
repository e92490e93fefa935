"""An agent that counts: the most frequent answer among those it reads. It asks no model."""

from __future__ import annotations

from collections.abc import Sequence

from workers.core.mas.answers import vote, vote_key
from workers.core.mas.contribution import Contribution
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AnswerForm

NOTHING_TO_COUNT = "REFUSE: no agent that I read has given an answer."


def count_votes(inputs: Sequence[AgentOutcome], answer_form: AnswerForm = "text") -> Contribution:
    """The count, its winner last; a tie goes to the answer that was given first."""
    given = [(outcome.name, outcome.answer) for outcome in inputs if outcome.answer is not None]
    winner = vote([answer for _, answer in given], answer_form)
    if winner is None:
        return Contribution(NOTHING_TO_COUNT, None, refused=True, truncated=False)
    supporters: dict[str, list[str]] = {}
    shown: dict[str, str] = {}
    for name, answer in given:
        key = vote_key(answer, answer_form)
        supporters.setdefault(key, []).append(name)
        shown.setdefault(key, answer)
    lines = [
        f"- {len(names)} for {_shown(shown[key], number, answer_form)}: {', '.join(names)}"
        for number, (key, names) in enumerate(supporters.items(), start=1)
    ]
    ending = f"```python\n{winner}\n```" if answer_form == "code" else f"Answer: {winner}"
    text = "\n".join([f"{len(given)} answers:", *lines, "", ending])
    return Contribution(text, winner, refused=False, truncated=False)


def _shown(answer: str, number: int, answer_form: AnswerForm) -> str:
    return f"program {number}" if answer_form == "code" else answer
