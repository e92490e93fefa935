"""Readers hear what was found, by the names that their questions use."""

from workers.core.benchmarks.answer_names import question_of
from workers.core.errors import Failure
from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.asking import heard
from workers.core.specs import SubtaskSpec, TaskGraphSpec

LOAVES = SubtaskSpec(id="p1", text="What do 14 loaves at 3 dollars bring?")
CAKES = SubtaskSpec(id="p2", text="What do 5 cakes at 12 dollars bring?")


def graph(text: str) -> TaskGraphSpec:
    last = SubtaskSpec(id="p3", text=text, depends_on=("p1", "p2"))
    return TaskGraphSpec(subtasks=(LOAVES, CAKES, last))


def test_of_a_number_its_reader_hears_the_question_and_not_how_it_was_found() -> None:
    whole = graph("Half of the answer of Problem 1, and then both?")
    question = question_of(whole.subtasks[-1], whole, {"p1": "42", "p2": "60"})
    programmer = AgentOutcome("p1-1", "Programmer", "```python\nprint(14 * 3)\n```", "42")
    first = heard(programmer, LOAVES, question, place=1, answer="42")
    assert (first.name, first.message) == ("Problem 1", "Answer: 42")
    second = heard(programmer, CAKES, question, place=2, answer="60")
    assert (second.name, second.message) == ("Problem 2", f"{CAKES.text}\nAnswer: 60")
    assert second.agent_id == "p1-1"


def test_of_any_other_answer_its_reader_hears_all_by_the_subtask_s_name() -> None:
    whole = graph("Sum up.")
    question = question_of(whole.subtasks[-1], whole, {})
    for outcome, answer in (
        (AgentOutcome("p1-1", "Writer", "A long essay.\nAnswer: yes", "yes"), "yes"),
        (AgentOutcome("p1-1", "Writer", "A long essay.", None), None),
    ):
        found = heard(outcome, LOAVES, question, place=1, answer=answer)
        assert (found.name, found.message) == ("Problem 1", outcome.message)
    failure = Failure(code="x", message="m", remedy="r")
    silent = heard(
        AgentOutcome("p1-1", "W", failure=failure), LOAVES, question, place=1, answer=None
    )
    assert not silent.usable
