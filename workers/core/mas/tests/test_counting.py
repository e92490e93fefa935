"""Agents that count answers, without a model."""

import pytest

from workers.core.events import AgentFailed, AgentFinished, AgentStarted
from workers.core.mas.counting import count_votes
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import ScriptedClient, kinds, role, turn
from workers.core.specs import Usage
from workers.core.tests.support import of_kind

COUNTER = role("counter", tools=("vote",))
NO_MODEL = ScriptedClient(lambda _: pytest.fail("a model was asked"))


def said(agent_id: str, answer: str | None) -> AgentOutcome:
    message = "I cannot say." if answer is None else f"I say so.\nAnswer: {answer}"
    return AgentOutcome(agent_id, f"Agent {agent_id}", message, answer)


@pytest.mark.parametrize(
    ("answers", "winner"),
    [
        (["7", "8", "8"], "8"),
        (["7", "8"], "7"),
        (["1,000.0", "12", "$1000"], "1,000.0"),
        ([None, "5", None], "5"),
        (["Paris", "paris", "Rome"], "Paris"),
    ],
)
def test_the_most_frequent_answer_wins_and_the_earliest_a_tie(
    answers: list[str | None], winner: str
) -> None:
    counted = count_votes([said(f"a{n}", answer) for n, answer in enumerate(answers)])
    assert counted.answer == winner
    assert counted.text.endswith(f"\nAnswer: {winner}")


def test_it_says_who_voted_for_what() -> None:
    counted = count_votes([said("a1", "7"), said("a2", "8"), said("a3", "8.0")])
    assert "- 1 for 7: Agent a1" in counted.text
    assert "- 2 for 8: Agent a2, Agent a3" in counted.text


def test_programs_that_differ_in_layout_count_together() -> None:
    short, long, other = "print(1+1)", "print(1 + 1)  # two", "print(3)"
    counted = count_votes([said("a1", other), said("a2", short), said("a3", long)], "code")
    assert counted.answer == short
    assert f"```python\n{short}\n```" in counted.text


def test_without_an_answer_it_refuses() -> None:
    counted = count_votes([said("a1", None)])
    assert counted.refused
    assert counted.answer is None


async def test_its_turn_asks_no_model() -> None:
    outcomes: dict[str, AgentOutcome] = {}
    inputs = [said("a1", "3"), said("a2", "2"), said("a4", "2")]
    events = await turn(NO_MODEL, COUNTER, agent_id="a3", inputs=inputs, outcomes=outcomes)
    assert kinds(events) == ["agent_started", "agent_finished"]
    started, finished = events
    assert isinstance(started, AgentStarted)
    assert isinstance(finished, AgentFinished)
    assert (started.prompt, started.reads) == ((), ("a1", "a2", "a4"))
    assert (finished.answer, finished.calls, finished.usage) == ("2", 0, Usage.zero())
    assert outcomes["a3"].answer == "2"


async def test_whoever_reads_only_failed_agents_is_not_started() -> None:
    (event,) = await turn(NO_MODEL, COUNTER, inputs=[AgentOutcome("a2", "Agent a2")])
    assert of_kind(AgentFailed, event).failure.code == "no_input"
