"""A system that ran, taken over and not changed, asks the same and answers the same."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from workers.core.designs.spec import DesignSpec, config_of
from workers.core.designs.taking import departures, taken_over
from workers.core.designs.tests.support import design, drawn
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Event
from workers.core.mas.context import MethodContext
from workers.core.mas.record import RunRecord
from workers.core.methods.registry import METHODS
from workers.core.methods.tests.support import context_for, events_of, only, small_pool
from workers.core.specs import AnswerForm
from workers.core.testing.stub_process import RunningStub, running_stub
from workers.core.testing.stub_settings import SEED, Rule

SEEDS = (3, 11)
"""Graphs by chance: of the second one, agents stand in another order than that of speaking."""
QUERY = "What is it worth?"
VOTERS = DesignSpec(
    agents=tuple(
        drawn(key, prompt="Say a number.").model_copy(update={"temperature": 0.5, "sample": sample})
        for key, sample in zip("abc", (2, 0, 1), strict=True)
    ),
    vote=("c", "a", "b"),
)
RUNS: dict[str, tuple[dict[str, Any], ...]] = {
    "direct": ({},),
    "chain_of_thought": ({},),
    "self_consistency": ({}, {"k": 3, "temperature": 1.1, "program": True}),
    "program": ({},),
    "self_refine": ({},),
    "cascade": ({}, {"tries": 4, "temperature": 0.3}),
    "multi_persona": ({},),
    "debate": ({}, {"agents": 2, "rounds": 3}),
    "fixed_graph": ({}, {"shape": "star"}, {"shape": "tree", "agents": 5}),
    "random_graph": (
        {},
        {"final_answer": "agent", "agents": 9},
        {"final_answer": "summary", "agents": 9},
    ),
    "design": (
        {"graph": config_of(design("dcba", "ab ac bd cd")).graph.model_dump(), "answer_from": "b"},
        config_of(VOTERS).model_dump(),
    ),
    "mashost": (
        {},
        {"temperature": 0.8},
        {"final_answer": "agent", "temperature": 0.8},
        {"final_answer": "agent", "feedback_edges": True},
    ),
}
CASES = [
    pytest.param(key, options, id=f"{key}-{number}")
    for key, runs in RUNS.items()
    for number, options in enumerate(runs)
]


DEPARTING = {"reso", "at_grpo", "evomas", "metaagent_x"}
"""Their agents are asked something else each, which no design can say."""


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    rules = (Rule("right, if nothing has to change"), Rule("Reviews"), Rule("", f"Answer: {SEED}"))
    with running_stub(rules=rules) as running:
        yield running


def test_no_method_is_missing() -> None:
    assert RUNS.keys() | DEPARTING == METHODS.keys()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("key", "options"), CASES)
async def test_unchanged_it_says_the_same(
    key: str, options: dict[str, Any], seed: int, embedder: MiniLMEmbedder, stub: RunningStub
) -> None:
    pool, seeded = small_pool(), {"seed": seed, "embedder": embedder}
    requests(stub)
    async with context_for(stub.url, config=options, pool=pool, **seeded) as context:
        before = await played(key, context)
        asked = requests(stub)
        taken = taken_over(before.graph, method=key, options=options, answered=before.answered)
        config = json.loads(config_of(taken).model_dump_json())
        after = await played("design", replace(context, config=config, pool=None))
    assert after.messages == before.messages
    assert after.answer == before.answer
    assert requests(stub) == asked


async def test_of_a_script_the_calls_are_taken_over_without_the_designer() -> None:
    script = """from workflow import agent, deliver
first = agent("A", "Solve it.")()
deliver(agent("B", "Improve it.")(first))"""
    design = Rule("You design a team", f"```python\n{script}\n```")
    with running_stub(rules=(design, Rule("", "Answer: 42"))) as stub:
        async with context_for(stub.url) as context:
            before = await played("metaagent_x", context)
            taken = taken_over(
                before.graph, method="metaagent_x", options={}, answered=before.answered
            )
            config = json.loads(config_of(taken).model_dump_json())
            after = await played("design", replace(context, config=config))
    assert [agent.id for agent in taken.agents] == ["a1", "a2"]
    assert before.messages.keys() - after.messages.keys() == {"designer"}
    assert (after.answer, after.answered) == (before.answer, before.answered) == ("42", "a2")


@pytest.mark.parametrize(
    ("method", "form", "answer", "code"),
    [
        ("self_refine", "text", "7", None),
        ("self_refine", "code", "print(7)", "feedback_as_answer"),
        ("self_refine", "text", None, "feedback_as_answer"),
        ("debate", "code", None, None),
        ("fixed_graph", "text", "7", None),
        ("reso", "text", "7", "subtasks_as_one_question"),
        ("metaagent_x", "text", "7", "calls_as_graph"),
    ],
)
def test_what_cannot_be_taken_over_exactly_is_told(
    method: str, form: AnswerForm, answer: str | None, code: str | None
) -> None:
    found = list(departures(method=method, options={}, answer_form=form, answer=answer))
    assert [problem.code for problem in found] == ([code] if code else [])
    assert all(problem.remedy and problem.severity == "warning" for problem in found)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"feedback_edges": True}, True),
        ({"feedback_edges": True, "final_answer": "agent"}, False),
        ({}, False),
    ],
)
def test_a_summary_of_revised_messages_departs(options: dict[str, Any], told: bool) -> None:
    found = departures(method="mashost", options=options, answer_form="text", answer="7")
    assert [p.code for p in found] == ["revisions_and_first_messages"] * told


def test_options_of_another_version_are_told() -> None:
    options = {"rounds": 99}
    graph = config_of(design("ab")).graph
    taken = taken_over(graph, method="debate", options=options, answered="b")
    assert (taken.answer_from, taken.vote) == ("b", ())
    found = departures(method="debate", options=options, answer_form="text", answer="7")
    assert [problem.code for problem in found] == ["unknown_options"]


class Played:
    """What a run came to."""

    def __init__(self, events: list[Event]) -> None:
        record = RunRecord(small_pool())
        for event in events:
            record.take(event)
        last = only(events, "intermediate_answer")[-1]
        self.graph, self.answer, self.answered = record.graph, last.answer, last.agent_id
        self.messages = {e.agent_id: e.message for e in only(events, "agent_finished")}


async def played(key: str, context: MethodContext) -> Played:
    return Played(await events_of(METHODS[key], context, QUERY))


def requests(stub: RunningStub) -> list[str]:
    """What was asked since the last time, in an order of its own: agents that wait for nobody
    race."""
    found = sorted(json.dumps(request, sort_keys=True) for request in stub.log()["requests"])
    stub.clear()
    return found
