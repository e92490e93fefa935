"""How many answers of a run were cut, whose, and whether the run's own is one of them."""

from typing import Any

import pytest

from workers.core.errors import Failure
from workers.core.events import (
    AgentFailed,
    AgentFinished,
    AgentStarted,
    Event,
    IntermediateAnswer,
    PlanRejected,
    SubtasksPlanned,
)
from workers.core.mas.cut_answers import CutAnswers
from workers.core.specs import SubtaskSpec, TaskGraphSpec, Usage

GRAPH = TaskGraphSpec(subtasks=(SubtaskSpec(id="s1", text="2 + 2?"),))


def started(agent_id: str, *reads: str) -> AgentStarted:
    return AgentStarted(
        agent_id=agent_id, role_key="r", role_name="R", family="f", endpoint="e", reads=reads
    )


def said(agent_id: str, answer: str | None = "4", **fields: Any) -> AgentFinished:
    told = {"cut_calls": int(fields.get("truncated", False)), **fields}
    return AgentFinished(
        agent_id=agent_id, message="…", answer=answer, usage=Usage(), seconds=0.1, **told
    )


def answered(agent_id: str | None, answer: str | None = "4") -> IntermediateAnswer:
    return IntermediateAnswer(step=1, answer=answer, agent_id=agent_id)


def folded(*events: Event) -> CutAnswers:
    cuts = CutAnswers()
    for event in events:
        cuts.take(event)
    return cuts


def test_each_answer_counts_once() -> None:
    cuts = folded(said("a1"), said("a2", truncated=True), said("a3"), answered("a2"))
    assert (cuts.answers, cuts.cut, cuts.agents, cuts.final) == (3, 1, ["a2"], True)


def test_a_cut_reply_of_a_tool_loop_cuts_the_answer_and_not_the_final_message() -> None:
    cuts = folded(said("a1", calls=3, cut_calls=1), answered("a1"))
    assert (cuts.answers, cuts.cut, cuts.agents, cuts.final) == (1, 1, ["a1"], False)


def test_events_of_an_older_studio_tell_of_the_message_alone() -> None:
    cuts = folded(said("a1", truncated=True, cut_calls=None), said("a2", cut_calls=None))
    assert (cuts.answers, cuts.cut, cuts.agents) == (2, 1, ["a1"])


def test_a_message_that_is_taken_over_is_an_answer_and_a_count_or_a_person_is_none() -> None:
    cuts = folded(
        said("a1", truncated=True, calls=0, reused=True, cut_calls=0),
        said("vote", calls=0),
        said("person", calls=0, given="person"),
    )
    assert (cuts.answers, cuts.cut, cuts.agents) == (1, 1, ["a1"])


def test_who_was_cut_before_a_word_has_failed_and_counts() -> None:
    failure = Failure(code="empty_message", message="Nothing.")
    cuts = folded(
        AgentFailed(agent_id="a1", failure=failure, cut_calls=1),
        AgentFailed(agent_id="a2", failure=failure, cut_calls=0),
        AgentFailed(agent_id="a3", failure=failure),
    )
    assert (cuts.answers, cuts.cut, cuts.agents, cuts.final) == (1, 1, ["a1"], None)


def test_a_planner_counts_where_it_was_asked() -> None:
    rejected = PlanRejected(endpoint="e", reply="", problem="", usage=Usage(), truncated=True)
    cuts = folded(rejected, SubtasksPlanned(planner="llm", task_graph=GRAPH, truncated=False))
    assert (cuts.answers, cuts.cut, cuts.agents) == (2, 1, ["planner"])
    assert folded(SubtasksPlanned(planner="own", task_graph=GRAPH)).answers == 0


@pytest.mark.parametrize(
    ("cut", "final"), [((), False), (("a1",), False), (("a1", "a2"), True), (("a3",), False)]
)
def test_a_vote_is_cut_where_all_who_gave_its_answer_were(
    cut: tuple[str, ...], *, final: bool
) -> None:
    answers = {"a1": "4", "a2": "4.0", "a3": "5"}
    spoke = [said(name, answer, truncated=name in cut) for name, answer in answers.items()]
    counted = (started("v", *answers), said("v", "4", calls=0))
    assert folded(*spoke, *counted, answered("v")).final is final


def test_without_an_answer_of_a_model_nothing_final_was_cut() -> None:
    assert folded(said("a1", truncated=True)).final is None
    assert folded(said("a1"), answered(None)).final is None
    assert folded(started("p"), said("p", calls=0), answered("p")).final is None
    no_answer = folded(said("a1", None, truncated=True), answered("a1", None))
    assert no_answer.final is True
