"""What a server does not take is learned from its error, once per endpoint."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.request import Dialect, request_body
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at, failing
from workers.core.llm.types import ChatMessage, ChatRequest, ToolCall
from workers.core.specs import REPLY_TOKENS
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw

SCHEMA = {"type": "object"}


def refusal(body: object, status: int = 400, content_type: str = "application/json") -> Raw:
    return Raw((json.dumps(body),), status, content_type)


def openai(message: str, status: int = 400, **fields: Any) -> Raw:
    return refusal(
        {"error": {"message": message, "type": "invalid_request_error", **fields}}, status
    )


ONLY_DEFAULT = openai(
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
    "value is supported.",
    param="temperature",
    code="unsupported_value",
)
EXTRA = refusal(
    {
        "detail": [
            {"type": "extra_forbidden", "loc": ["body", "{field}"], "msg": "Extra inputs are not "
             "permitted", "input": {"temperature": "seed"}}
        ]
    },
    422,
)  # fmt: skip
MISTRAL = refusal(
    {
        "object": "error",
        "message": {
            "detail": [
                {"type": "extra_forbidden", "loc": ["body", "{field}"], "msg": "Extra inputs"}
            ]
        },
        "type": "invalid_request_error",
    },
    422,
)


@dataclass(frozen=True, slots=True)
class Refusing:
    """A server that refuses `fields`, and what it is asked without in the end."""

    name: str
    raw: Raw
    fields: tuple[str, ...]
    asked: int = 2


PARAMETERS = (
    Refusing("one temperature", ONLY_DEFAULT, ("temperature=0.0",)),
    Refusing("TGI", openai("`temperature` must be strictly positive", 422), ("temperature=0.0",)),
    Refusing("no temperature", openai("temperature is deprecated for it"), ("temperature",)),
    Refusing("vLLM's 422", EXTRA, ("stream_options", "seed"), 3),
    Refusing("Mistral's 422", MISTRAL, ("seed",)),
    Refusing("three fields", openai("Unknown parameter: {field}."),
             ("stream_options", "seed", "response_format"), 4),
    Refusing("a newer OpenAI", openai("Unsupported parameter: 'max_tokens' is not supported with "
             "this model. Use 'max_completion_tokens' instead."), ("max_tokens",)),
    Refusing("a limit by another name", EXTRA, ("max_tokens",)),
    Refusing("no stream", openai("Unsupported value: 'stream' does not support true with this "
             "model.", param="stream"), ("stream",)),
    Refusing("an error in a body", refusal({"error": {"message": "seed is not supported"}}, 200),
             ("seed",)),
    Refusing("an error in a stream",
             Raw(('data: {"error": {"message": "seed is not supported", "code": 400}}\n\n',)),
             ("seed",)),
)  # fmt: skip


@pytest.fixture(scope="module")
def refusing() -> Iterator[RunningStub]:
    """A model per server."""
    faults = {case.name: Fault("raw", raw=case.raw, objects_to=case.fields) for case in PARAMETERS}
    for history, message, status in HISTORIES:
        raw = openai(message, status)
        faults[f"{message} {status}"] = Fault("raw", raw=raw, objects_to=(history,))
    faults |= {said: Fault("raw", raw=openai(said)) for said, _ in NOT_LEFT_OUT}
    with running_stub(faults=faults) as running:
        yield running


@pytest.mark.parametrize("case", PARAMETERS, ids=lambda case: case.name)
async def test_a_field_that_is_refused_is_left_out_from_then_on(
    client: OpenAIClient, refusing: RunningStub, case: Refusing
) -> None:
    refusing.clear()
    for _ in range(2):
        request = ask("2 + 2", seed=1, response_schema=SCHEMA)
        deltas = Deltas()
        result = await client.chat(endpoint_at(refusing.url, case.name), request, deltas)
        assert result.text.endswith("Answer: 4")
        assert "".join(deltas) == result.text
        assert result.failed_tries == ()
    sent = refusing.log()["requests"]
    assert len(sent) == case.asked + 1, "it is learned once"
    names = {name.partition("=")[0] for name in case.fields}
    assert not names & sent[-1].keys()
    dropped = {"stream", "stream_options"} if "stream" in names else names
    assert sent[0].keys() - sent[-1].keys() == dropped
    assert sent[-1].get("max_tokens", sent[-1].get("max_completion_tokens")) == REPLY_TOKENS


async def test_a_temperature_is_learned_by_its_value(client: OpenAIClient) -> None:
    fault = Fault("raw", raw=ONLY_DEFAULT, objects_to=("temperature=0.0",))
    with running_stub(faults={"stub": fault}) as stub:
        for temperature in (0.0, 0.7, 0.0):
            await client.chat(endpoint_at(stub.url), ask("2 + 2", temperature=temperature))
        sent = [body.get("temperature") for body in stub.log()["requests"]]
    assert sent == [0.0, None, 0.7, None]


async def test_calls_at_once_all_learn(client: OpenAIClient) -> None:
    fault = Fault("raw", raw=ONLY_DEFAULT, objects_to=("temperature",))
    with running_stub(faults={"stub": fault}, latency=0.1) as stub:
        endpoint = endpoint_at(stub.url)
        asked = [client.chat(endpoint, ask(f"{n} + {n}")) for n in range(6)]
        assert len(await asyncio.gather(*asked)) == 6


async def test_an_error_that_quotes_the_request_teaches_nothing(client: OpenAIClient) -> None:
    """It names every field, and is no better without them."""
    raw = openai("Bad request: {'temperature': 0, 'seed': 1, 'stream_options': {}}")
    with running_stub(faults={"stub": Fault("raw", times=4, raw=raw)}) as stub:
        endpoint = endpoint_at(stub.url)
        refused = await failing(client.chat(endpoint, ask("2 + 2", seed=1), Deltas()))
        assert refused.code == "bad_request"
        stub.clear()
        await client.chat(endpoint, ask("2 + 2", seed=1), Deltas())
        assert {"temperature", "seed", "stream_options"} <= stub.log()["requests"][0].keys()


async def test_a_crash_that_names_a_field_teaches_nothing(client: OpenAIClient) -> None:
    raw = refusal({"error": {"message": "CUDA error in the kernel for the seed"}}, 200)
    with running_stub(faults={"stub": Fault("raw", times=1, raw=raw)}) as stub:
        result = await client.chat(endpoint_at(stub.url), ask("2 + 2", seed=1))
        assert [each.code for each in result.failed_tries] == ["server_error"]
        assert stub.log()["requests"][-1]["seed"] == 1


NOT_LEFT_OUT = (
    ("'max_tokens' is too large: 512. This model's maximum context length is 256 tokens.",
     "context_length_exceeded"),
    ("max_tokens is too large: 512. This model supports at most 256 completion tokens.",
     "bad_request"),
    ("the number of messages is not right", "bad_request"),
)  # fmt: skip


@pytest.mark.parametrize(("message", "code"), NOT_LEFT_OUT)
async def test_what_cannot_be_left_out_is_an_error_at_once(
    client: OpenAIClient, refusing: RunningStub, message: str, code: str
) -> None:
    refusing.clear()
    refused = await failing(client.chat(endpoint_at(refusing.url, message), ask("2 + 2")))
    assert (refused.code, refusing.log()["total"]) == (code, 1)


CALL = ToolCall("call_7", "clock", "{}")
TOOLS = ({"type": "function", "function": {"name": "clock"}},)
CALLED = (
    ChatMessage("system", "Be brief."),
    ChatMessage("user", "2 + 2"),
    ChatMessage("assistant", "", tool_calls=(CALL,), reasoning="Let me look."),
    ChatMessage("tool", "12:00", tool_call_id="call_7"),
    ChatMessage("user", "No more calls: 2 + 2"),
)
TWICE = (
    ChatMessage("system", ""),
    ChatMessage("user", "2 + 2"),
    ChatMessage("user", "Answer now: 2 + 2"),
)
HISTORIES = (
    ("system", "System role not supported", 400),
    ("system", "System role not supported", 500),
    ("system", "Unsupported value: 'messages[0].role' does not support 'system' with o1-mini", 400),
    ("system", "Only user and assistant roles are supported!", 400),
    ("system", "Developer instruction is not enabled for models/gemma-3-27b-it", 400),
    ("system", "Conversation roles must alternate user/assistant/user/assistant/...", 400),
    ("system", "At body -> role: Input should be 'user' or 'assistant'", 422),
    ("system", "Invalid role: system", 400),
    ("system", "Role system is not allowed", 400),
    ("system", "role must be one of: user, assistant, tool", 422),
    ("user-after-tool", "Unexpected role 'user' after role 'tool'", 400),
    ("user-after-tool", "After the optional system message, conversation roles must alternate "
     "user/assistant/user/assistant/...", 400),
    ("calls-without-tools", "litellm.UnsupportedParamsError: Anthropic doesn't support tool "
     "calling without `tools=` param specified.", 400),
    ("calls-without-tools", "The toolConfig field must be defined when using toolUse and "
     "toolResult content blocks.", 400),
    ("calls-without-tools", "Requests which include `tool_use` or `tool_result` blocks must define "
     "tools.", 400),
    ("turn-without-reasoning", "Missing `reasoning_content` field in the assistant message at "
     "message index 2.", 400),
    ("turn-without-reasoning", "The `reasoning_content` in the thinking mode must be passed back "
     "to the API.", 400),
)  # fmt: skip


@pytest.mark.parametrize(("message", "status"), [case[1:] for case in HISTORIES])
async def test_a_history_that_is_refused_is_told_differently_from_then_on(
    client: OpenAIClient, refusing: RunningStub, message: str, status: int
) -> None:
    refusing.clear()
    endpoint = endpoint_at(refusing.url, f"{message} {status}")
    for _ in range(2):
        result = await client.chat(endpoint, ChatRequest(messages=CALLED))
        assert result.text.endswith("Answer: 4")
    refused, *_, accepted, again = refusing.log()["requests"]
    assert accepted == again != refused
    text = json.dumps(accepted["messages"])
    assert all(said in text for said in ("Be brief.", "2 + 2", "12:00", "No more calls", "clock"))


def told(history: str, messages: tuple[ChatMessage, ...]) -> dict[str, Any]:
    dialect = Dialect(history=frozenset({history}))
    return request_body("m", ChatRequest(messages=messages), stream=False, dialect=dialect)


def test_how_refused_histories_are_told() -> None:
    assert told("system", CALLED)["messages"][0] == {
        "role": "user",
        "content": "Be brief.\n\n2 + 2",
    }
    assert [message["role"] for message in told("system", TWICE)["messages"]] == ["user", "user"]
    last = told("alternate", CALLED)["messages"][-1]
    assert (last["role"], last["content"]) == ("tool", "12:00\n\nNo more calls: 2 + 2")
    joined = [{"role": "user", "content": "2 + 2\n\nAnswer now: 2 + 2"}]
    assert told("alternate", TWICE)["messages"] == joined
    body = told("tools", CALLED)
    assert (body["tools"][0]["function"]["name"], body["tool_choice"]) == ("clock", "none")
    assert "tools" not in told("tools", TWICE)
    assert told("reasoning", CALLED)["messages"][2]["reasoning_content"] == "Let me look."


async def test_a_first_request_is_sent_as_the_protocol_has_it(client: OpenAIClient) -> None:
    with running_stub() as stub:
        await client.chat(endpoint_at(stub.url), ChatRequest(messages=CALLED, tools=TOOLS))
        (body,) = stub.log()["requests"]
    assert [message["role"] for message in body["messages"]] == [each.role for each in CALLED]
    assert not any("reasoning_content" in message for message in body["messages"])
    assert "tool_choice" not in body


async def test_a_server_that_takes_no_tools_names_the_setting(client: OpenAIClient) -> None:
    said = "registry.ollama.ai/library/gemma:2b does not support tools"
    with running_stub(faults={"stub": Fault("raw", raw=openai(said))}) as stub:
        refused = await failing(client.chat(endpoint_at(stub.url), ask("hi", tools=TOOLS)))
    assert refused.code == "bad_request"
    assert "Native tool calls" in refused.remedy
