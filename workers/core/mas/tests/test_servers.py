"""Agents on servers that are not quite OpenAI's: tools work, and a missing answer is explained."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from workers.core.events import AgentFailed, AgentFinished, Event
from workers.core.llm.client import OpenAIClient
from workers.core.mas.tests.support import endpoint, role, turn
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw, Rule
from workers.core.tests.support import of_kind

QUERY = "What is 6 times 7?"
RULES = (
    Rule("No more tool calls", reply="Answer: 42"),
    Rule("Solve it with the calculator", tool_calls=(("calculator", '{"expression": "6*7"}'),)),
)
REFUSALS = {
    "system": "System role not supported",
    "user-after-tool": "Unexpected role 'user' after role 'tool'",
    "calls-without-tools": "Anthropic doesn't support tool calling without `tools=` param.",
    "turn-without-reasoning": "Missing `reasoning_content` field in the assistant message",
}


def refusing(history: str) -> Fault:
    body = json.dumps({"error": {"message": REFUSALS[history]}})
    return Fault("raw", raw=Raw((body,), 400, "application/json"), objects_to=(history,))


def answers(finish: str = "stop", **message: Any) -> Fault:
    body = json.dumps({"choices": [{"message": message, "finish_reason": finish}]})
    return Fault("raw", raw=Raw((body,), content_type="application/json"))


TURNS = {
    "filtered": answers("content_filter", content=None),
    "filtered in the middle": answers("SAFETY", content="The answer is 4"),
    "refused": answers(content=None, refusal="I can't help with that."),
    "thought": answers(content=None, reasoning_content="Six times seven …"),
    "thought until the limit": answers("length", content="", reasoning_content="Six times seven …"),
    "nothing": answers(content=""),
    "thought apart": answers(content="<think>Or 41?</think>Answer: 42", reasoning_content="Six …"),
}


@pytest.fixture(scope="module")
def stub() -> Iterator[RunningStub]:
    faults = {history: refusing(history) for history in REFUSALS} | TURNS
    with running_stub(rules=RULES, faults=faults) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient() as made:
        yield made


async def events_of(
    client: OpenAIClient, stub: RunningStub, model: str, prompt: str, *tools: str
) -> list[Event]:
    place = endpoint(stub.url, model=model, native_tools=True)
    return await turn(client, role(prompt=prompt, tools=tools), query=QUERY, endpoint=place)


@pytest.mark.parametrize("history", REFUSALS)
async def test_tools_work_though_the_server_refuses_a_history(
    client: OpenAIClient, stub: RunningStub, history: str
) -> None:
    events = await events_of(client, stub, history, "Solve it with the calculator.", "calculator")
    assert [event.event for event in events].count("tool_returned") == 4
    finished = of_kind(AgentFinished, events[-1])
    assert (finished.answer, finished.calls, finished.retries) == ("42", 5, 0)


async def test_each_call_has_an_id_of_its_own(client: OpenAIClient, stub: RunningStub) -> None:
    """The stub counts its calls from 0 in each turn."""
    stub.clear()
    await events_of(client, stub, "stub", "Solve it with the calculator.", "calculator")
    turns = [m for m in stub.log()["requests"][-1]["messages"] if m.get("tool_calls")]
    ids = [turn["tool_calls"][0]["id"] for turn in turns]
    assert ids == ["call_0", "call-2", "call-3", "call-4"]
    results = [m for m in stub.log()["requests"][-1]["messages"] if m["role"] == "tool"]
    assert [result["tool_call_id"] for result in results] == ids


@pytest.mark.parametrize(
    ("model", "code", "said"),
    [
        ("filtered", "content_filtered", ("content filter", "Reword")),
        ("filtered in the middle", "content_filtered", ("content filter", "Reword")),
        ("refused", "model_refused", ("I can't help with that.", "Reword")),
        ("thought", "only_thoughts", ("wrote no answer", "thinking off")),
        ("thought until the limit", "only_thoughts", ("used all its tokens", "Allow more")),
        ("nothing", "empty_message", ("wrote nothing", "Allow more")),
    ],
)
async def test_why_an_agent_has_no_answer_is_told(
    client: OpenAIClient, stub: RunningStub, model: str, code: str, said: tuple[str, str]
) -> None:
    failed = of_kind(AgentFailed, (await events_of(client, stub, model, "Solve it."))[-1])
    assert failed.failure.code == code
    assert said[0] in failed.failure.message
    assert said[1] in failed.failure.remedy
    if model == "filtered in the middle":
        assert failed.written == "The answer is 4"
    if code == "only_thoughts":
        assert failed.written == "Six times seven …"


async def test_thoughts_that_come_apart_from_the_text_stand_in_the_trace(
    client: OpenAIClient, stub: RunningStub
) -> None:
    finished = of_kind(
        AgentFinished, (await events_of(client, stub, "thought apart", "Solve it."))[-1]
    )
    assert (finished.message, finished.thoughts) == ("Answer: 42", "Six …\n\nOr 41?")
