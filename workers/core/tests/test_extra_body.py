"""Fields that an endpoint adds to each request: which may be, and what is said of the others."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from workers.core.extra_body import MOST_CHARS, MOST_DEPTH, SENT
from workers.core.llm.request import request_body
from workers.core.llm.types import ChatMessage, ChatRequest
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
        nested(MOST_DEPTH - 1),
    ],
)
def test_any_json_that_a_server_may_know_is_kept_as_it_is(fields: dict[str, Any]) -> None:
    kept = endpoint(fields)
    assert kept.extra_body == fields
    assert EndpointSpec.model_validate_json(kept.model_dump_json()) == kept
    assert hash(kept) == hash(endpoint(json.loads(json.dumps(fields))))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        *(({name: 1}, f"The studio sends “{name}” itself") for name in sorted(SENT)),
        ({" model": "x"}, "without spaces"),
        ({"": 1}, "is no name of a field"),
        ({"a": "x" * MOST_CHARS}, "at most 4,000 characters"),
        ({"a": [0] * MOST_CHARS}, "at most 4,000 characters"),
        (nested(MOST_DEPTH), "at most 8 levels"),
        (nested(900), "at most 8 levels"),
        ({"a": float("nan")}, "no JSON"),
        ({"a": [float("inf")]}, "no JSON"),
        ({"a": "\0"}, "can't be sent"),
        ({"a": {"\ud800": 1}}, "can't be sent"),
        ({"a": {1, 2}}, "set is no JSON"),
        ({"a": {1: 2}}, "Names of fields are texts"),
    ],
)
def test_the_others_are_refused_with_a_way_out(fields: dict[Any, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        endpoint(fields)


def test_whatever_the_studio_sends_is_not_for_the_endpoint_to_say() -> None:
    request = ChatRequest(
        messages=(ChatMessage("user", "hi"),),
        seed=1,
        stop=("a",),
        tools=({"type": "function"},),
        response_schema={"type": "object"},
    )
    assert request_body("m", request, stream=True).keys() <= SENT
