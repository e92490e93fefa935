"""Fields that an endpoint adds to each request: which may be, and what is said of the others."""

import json
from typing import Any

import pytest

from workers.core.extra_body import ELSEWHERE, MOST_CHARS, MOST_DEPTH, SENT, checked_extra_body
from workers.core.llm.request import Dialect, request_body
from workers.core.llm.types import ChatMessage, ChatRequest, ToolCall
from workers.core.specs import EndpointSpec


def endpoint(fields: dict[Any, Any]) -> EndpointSpec:
    return EndpointSpec(key="e", base_url="https://llm.example/v1", model="m", extra_body=fields)


def nested(depth: int) -> dict[str, Any]:
    return {"a": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"top_p": 0.9, "top_k": 20, "min_p": None, "echo": False, "ids": [1, [2.5]], "t": "é"},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"a": "x" * (MOST_CHARS - 1)},
        {"a": 2**53 - 1},
        nested(MOST_DEPTH - 1),
    ],
)
def test_any_json_that_a_server_may_know_is_kept_as_it_is(fields: dict[str, Any]) -> None:
    checked_extra_body(fields)
    kept = endpoint(fields)
    assert kept.extra_body == fields
    assert EndpointSpec.model_validate_json(kept.model_dump_json()) == kept
    assert hash(kept) == hash(endpoint(json.loads(json.dumps(fields))))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        *(({name: 1}, f"The studio sends “{name}” itself") for name in sorted(SENT)),
        *(({name: 1}, f"With “{name}”, some servers") for name in sorted(ELSEWHERE)),
        ({"Model": "x"}, "The studio sends “Model” itself"),
        ({"MAX_TOKENS": 9}, "The studio sends"),
        ({"ſtream": True}, "The studio sends"),
        ({" model": "x"}, "without spaces"),
        ({"": 1}, "is no name of a field"),
        ({"a": "x" * MOST_CHARS}, "at most 4,000 characters"),
        ({"a": [0] * MOST_CHARS}, "at most 4,000 characters"),
        (nested(MOST_DEPTH), "at most 8 levels"),
        (nested(900), "at most 8 levels"),
        ({"a": float("nan")}, "no number"),
        ({"a": [float("inf")]}, "too large"),
        ({"a": 1e20}, "too large"),
        ({"a": -(10**30)}, "too large"),
        ({"a": "\0"}, "can't be sent"),
        ({"a": {"\ud800": 1}}, "can't be sent"),
    ],
)
def test_the_others_are_refused_with_a_way_out(fields: dict[Any, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        checked_extra_body(fields)


def test_what_json_tells_apart_makes_another_endpoint() -> None:
    different = [endpoint({"k": value}) for value in (1, True, 1.0, 0, False, None)]
    assert len(set(different)) == len(different)
    assert endpoint({"a": 1, "b": 2}) == endpoint({"b": 2, "a": 1})


def test_what_was_stored_before_a_rule_is_read_and_replaces_nothing() -> None:
    stored = endpoint({"model": "other", "n": 3, "top_p": 0.5})
    request = ChatRequest(messages=(ChatMessage("user", "hi"),))
    body = request_body("m", request, stream=False, extra=stored.extra_body)
    assert (body["model"], body["top_p"]) == ("m", 0.5)


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(),
        Dialect(max_tokens_field="max_completion_tokens"),
        Dialect(history=frozenset({"tools", "system", "alternate", "reasoning"})),
    ],
)
def test_whatever_the_studio_sends_is_not_for_the_endpoint_to_say(dialect: Dialect) -> None:
    call = ToolCall("call_1", "clock", "{}")
    messages = (ChatMessage("user", "hi"), ChatMessage("assistant", "", tool_calls=(call,)))
    more: dict[str, Any] = {"seed": 1, "stop": ("a",), "response_schema": {"type": "object"}}
    for tools in ((), ({"type": "function"},)):
        request = ChatRequest(messages=messages, tools=tools, **more)
        assert request_body("m", request, stream=True, dialect=dialect).keys() <= SENT
