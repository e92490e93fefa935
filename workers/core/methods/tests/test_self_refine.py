"""Self-refine against the stub LLM: when it stops, and whose draft stands."""

import pytest

from workers.core.graph import predecessors
from workers.core.methods.registry import METHODS
from workers.core.methods.self_refine import CRITIC, DRAFTER, REFINER, approves
from workers.core.methods.tests.support import kinds, only, ran_by
from workers.core.testing.stub_settings import Fault, Rule

TURN = ["graph_planned", "agent_started", "agent_finished"]
DRAFT = [*TURN, "intermediate_answer"]
DRAFTS = (Rule(DRAFTER.prompt, reply="Answer: 100"), Rule(REFINER.prompt, reply="Answer: 102"))
METHOD = METHODS["self_refine"]


@pytest.mark.parametrize("verdict", ["Fine.\nAnswer: right", "Answer: **Correct.**"])
async def test_it_stops_when_the_feedback_says_right(verdict: str) -> None:
    rules = (*DRAFTS, Rule(CRITIC.prompt, reply=verdict))
    events, _ = await ran_by(METHOD, rules, config={"rounds": 3})
    assert kinds(events) == DRAFT + TURN
    assert [e.answer for e in only(events, "intermediate_answer")] == ["100"]


@pytest.mark.parametrize("verdict", ["Answer: wrong", "The step 2 fails.\nIt is\nso."])
async def test_else_it_refines_round_by_round(verdict: str) -> None:
    rules = (*DRAFTS, Rule(CRITIC.prompt, reply=verdict))
    events, _ = await ran_by(METHOD, rules, config={"rounds": 2})
    assert kinds(events) == DRAFT + TURN + DRAFT + TURN + DRAFT
    given = [(e.step, e.answer, e.agent_id) for e in only(events, "intermediate_answer")]
    assert given == [(1, "100", "a1"), (2, "102", "a3"), (3, "102", "a5")]
    plans = [event.graph for event in only(events, "graph_planned")]
    assert [len(plan.nodes) for plan in plans] == [1, 2, 3, 4, 5]
    assert predecessors(plans[-1]) == {
        "a1": (),
        "a2": ("a1",),
        "a3": ("a1", "a2"),
        "a4": ("a3",),
        "a5": ("a3", "a4"),
    }


@pytest.mark.parametrize(
    "critic", [Rule(CRITIC.prompt, fault=Fault("401")), Rule(CRITIC.prompt, reply="REFUSE: no")]
)
async def test_without_feedback_the_draft_stands(critic: Rule) -> None:
    events, _ = await ran_by(METHOD, (*DRAFTS, critic))
    assert kinds(events)[:4] == DRAFT
    assert len(only(events, "intermediate_answer")) == 1


async def test_a_refined_draft_that_fails_leaves_the_one_before() -> None:
    rules = (
        Rule(DRAFTER.prompt, reply="Answer: 100"),
        Rule(CRITIC.prompt, reply="Answer: wrong"),
        Rule(REFINER.prompt, fault=Fault("401")),
    )
    events, _ = await ran_by(METHOD, rules, config={"rounds": 4})
    assert kinds(events)[-2:] == ["agent_failed", "intermediate_answer"]
    last = only(events, "intermediate_answer")[-1]
    assert (last.step, last.answer, last.agent_id) == (2, "100", "a1")


async def test_feedback_on_a_program_is_still_a_verdict() -> None:
    rules = (
        Rule(DRAFTER.prompt, reply="```python\nprint(1)\n```"),
        Rule(CRITIC.prompt, reply="Answer: wrong"),
        Rule(REFINER.prompt, reply="```python\nprint(2)\n```"),
    )
    events, requests = await ran_by(METHOD, rules, answer_form="code", config={"rounds": 1})
    prompts = [request["messages"][-1]["content"] for request in requests]
    assert only(events, "intermediate_answer")[-1].answer == "print(2)"
    assert [prompt.endswith("Answer: …") for prompt in prompts] == [False, True, False]


@pytest.mark.parametrize(
    ("verdict", "right"),
    [
        ("right", True),
        ("Right.", True),
        ("it is correct", True),
        ("wrong", False),
        ("not right", False),
        ("incorrect", False),
        ("right or wrong", False),
        ("42", False),
        (None, False),
    ],
)
def test_what_counts_as_approval(verdict: str | None, right: bool) -> None:
    assert approves(verdict) is right
