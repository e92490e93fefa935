"""Costs, usage and the shapes that servers send."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.llm.tests.helpers import endpoint_at
from workers.core.llm.wire import Garbage, StreamAssembler, cost, decode_answer, read_usage

URL = "http://127.0.0.1/v1"


@pytest.mark.parametrize(
    ("prices", "tokens", "expected"),
    [
        ((3.0, 15.0), (1_000, 200), 0.006),
        ((0.0, 0.0), (1_000, 200), 0.0),
        ((0.0, 0.0), (None, None), 0.0),
        ((3.0, 0.0), (1_000, None), 0.003),
        ((3.0, 15.0), (None, 200), None),
        ((3.0, 15.0), (1_000, None), None),
        ((None, 15.0), (1_000, 200), None),
        ((3.0, None), (1_000, 200), None),
        ((None, None), (1_000, 200), None),
        ((None, 0.0), (0, 0), None),
    ],
)
def test_cost(
    prices: tuple[float | None, float | None],
    tokens: tuple[int | None, int | None],
    expected: float | None,
) -> None:
    endpoint = endpoint_at(URL, prompt_price=prices[0], completion_price=prices[1])
    assert cost(endpoint, *tokens) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 5, "completion_tokens": 2}, (5, 2)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None)),
        ({"prompt_tokens": 5}, (5, None)),
        ({"prompt_tokens": "5", "completion_tokens": True}, (None, None)),
        ({"prompt_tokens": -5, "completion_tokens": 1e3}, (None, None)),
        ({"prompt_tokens": 2**80}, (None, None)),
        ([], (None, None)),
        (None, (None, None)),
    ],
)
def test_a_count_that_is_none_is_unknown(
    usage: object, expected: tuple[int | None, int | None]
) -> None:
    assert read_usage(usage, spoke=True) == expected


def test_a_silent_answer_may_have_no_tokens() -> None:
    assert read_usage({"prompt_tokens": 5, "completion_tokens": 0}, spoke=False) == (5, 0)


def body(message: object, **fields: object) -> bytes:
    return orjson.dumps({"choices": [{"message": message, **fields}]})


def test_what_servers_do_differently() -> None:
    parts = decode_answer(body({"content": [{"type": "text", "text": "a"}, {"text": "b"}]}))
    assert (parts.text, parts.finish_reason) == ("ab", "stop")
    call = {"function": {"name": "clock", "arguments": {"zone": "UTC"}}}
    answer = decode_answer(body({"content": None, "tool_calls": [call]}))
    assert answer.finish_reason == "tool_calls"
    assert (answer.tool_calls[0].id, answer.tool_calls[0].arguments) == ("call_0", '{"zone":"UTC"}')


KEYS = st.sampled_from(
    ["choices", "message", "delta", "content", "tool_calls", "function", "name", "usage", "index"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON)
def test_any_json_is_an_answer_or_garbage(value: object) -> None:
    for shape in (value, {"choices": [value]}, {"choices": [{"message": value}]}):
        try:
            answer = decode_answer(orjson.dumps(shape))
        except Garbage:
            continue
        assert isinstance(answer.text, str)


@settings(deadline=None)
@given(JSON)
def test_any_chunk_is_text_or_garbage(value: object) -> None:
    for shape in ({"choices": value}, {"choices": [value]}, {"choices": [{"delta": value}]}):
        assembler = StreamAssembler()
        try:
            text = assembler.take(shape)
        except Garbage:
            continue
        assert assembler.answer().text == text
