"""Costs, usage and the shapes that servers send."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.llm.reported import Reported
from workers.core.llm.request import request_body
from workers.core.llm.stream import StreamAssembler
from workers.core.llm.tests.helpers import endpoint_at
from workers.core.llm.types import ChatMessage, ChatRequest
from workers.core.llm.wire import Garbage, cost, decode_answer, read_usage

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
def test_any_json_is_an_answer_an_error_or_garbage(value: object) -> None:
    for shape in (value, {"choices": [value]}, {"choices": [{"message": value}]}):
        try:
            answer = decode_answer(orjson.dumps(shape))
        except (Garbage, Reported):
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


def pieces(*raw: dict[str, object]) -> list[tuple[str, str, str]]:
    """The calls that these pieces of a stream, one per chunk, are put together to."""
    assembler = StreamAssembler()
    for call in raw:
        assembler.take({"choices": [{"delta": {"tool_calls": [call]}}]})
    return [(call.id, call.name, call.arguments) for call in assembler.answer().tool_calls]


def piece(
    name: str | None, arguments: str, given: str | None = None, **index: object
) -> dict[str, object]:
    return {"id": given, "function": {"name": name, "arguments": arguments}, **index}


TWO = [("x", "clock", '{"a":1}'), ("y", "map", '{"b":2}')]


@pytest.mark.parametrize("index", [{}, {"index": None}, {"index": 0}])
def test_calls_that_only_their_ids_tell_apart(index: dict[str, Any]) -> None:
    first, second = piece("clock", '{"a":1}', "x", **index), piece("map", '{"b":2}', "y", **index)
    assert pieces(first, second) == TWO
    assert pieces(
        piece("clock", '{"a"', "x", **index),
        piece(None, ":1}", **index),
        piece("map", '{"b"', "y", **index),
        piece(None, ":2}", **index),
    ) == TWO  # fmt: skip


def test_calls_without_ids_and_without_places() -> None:
    assert pieces(piece("clock", '{"a":1}'), piece("clock", "{}")) == [
        ("call_0", "clock", '{"a":1}'),
        ("call_1", "clock", "{}"),
    ]
    assert len(pieces(piece("clock", ""), piece("map", "{}"))) == 2


@pytest.mark.parametrize("name", [None, "clock", ""])
@pytest.mark.parametrize("given", ["x", None, ""])
def test_servers_that_repeat_the_name_or_the_id(name: str | None, given: str | None) -> None:
    whole = pieces(piece("clock", '{"a"', "x", index=0), piece(name, ":1}", given, index=0))
    assert whole == TWO[:1]


def test_a_new_id_in_each_piece_is_no_new_call() -> None:
    assert pieces(piece("clock", '{"a"', "x", index=0), piece(None, ":1}", "z", index=0)) == TWO[:1]


@pytest.mark.parametrize("given", [None, "x"])
@pytest.mark.parametrize("index", [{}, {"index": 0}, {"index": -1}])
@pytest.mark.parametrize("second", ["clock", "map"])
def test_calls_that_nothing_tells_apart_but_their_ends(
    second: str, index: dict[str, Any], given: str | None
) -> None:
    """Neither ids nor places differ, as from gateways that number each chunk anew."""
    calls = pieces(piece("clock", '{"a":1}', given, **index), piece(second, "{}", given, **index))
    assert [call[1:] for call in calls] == [("clock", '{"a":1}'), (second, "{}")]


def test_pieces_that_come_in_turns_belong_to_the_calls_with_their_ids() -> None:
    assert pieces(
        piece("clock", '{"a"', "x"), piece("map", '{"b"', "y"),
        piece(None, ":1}", "x"), piece(None, ":2}", "y"),
    ) == TWO  # fmt: skip


def test_a_call_that_is_sent_whole_again_at_the_end_is_made_once() -> None:
    begun, rest = piece("clock", '{"a"', "x", index=0), piece(None, ":1}", index=0)
    assert pieces(begun, rest, piece("clock", '{"a":1}', "x", index=0)) == TWO[:1]


def test_an_empty_piece_with_the_name_again_is_no_call() -> None:
    assert pieces(piece("clock", '{"a"'), piece("clock", ":1}"), piece("clock", "")) == [
        ("call_0", *TWO[0][1:])
    ]


def test_a_new_id_and_the_name_in_each_piece_is_no_new_call() -> None:
    first, then = piece("clock", '{"a"', "x", index=0), piece("clock", ":1}", "z", index=0)
    assert pieces(first, then) == TWO[:1]


def test_places_with_a_fraction() -> None:
    first, then = piece("clock", '{"a"', "x", index=0.0), piece(None, ":1}", index=0.0)
    assert pieces(first, then) == TWO[:1]


def test_a_single_call_without_its_list() -> None:
    assembler = StreamAssembler()
    call = piece("clock", "{}", "x", index=0)
    assembler.take({"choices": [{"delta": {"tool_calls": call}}]})
    assert [call.name for call in assembler.answer().tool_calls] == ["clock"]


SIGNED = {"google": {"thought_signature": "c2ln"}}


def test_what_a_server_wants_back_with_a_call_is_sent_back() -> None:
    """Gemini refuses the next request without it."""
    call = piece("clock", "{}", "x", extra_content=SIGNED)
    assembler = StreamAssembler()
    assembler.take({"choices": [{"delta": {"tool_calls": [call]}}]})
    whole = decode_answer(orjson.dumps({"choices": [{"message": {"tool_calls": [call]}}]}))
    for answer in (assembler.answer(), whole):
        turn = ChatMessage("assistant", "", tool_calls=answer.tool_calls)
        body = request_body("m", ChatRequest(messages=(turn,)), stream=False)
        assert body["messages"][0]["tool_calls"][0]["extra_content"] == SIGNED


def test_places_as_text_and_out_of_order() -> None:
    assert pieces(piece("map", '{"b":2}', "y", index="1"), piece("clock", '{"a":1}', "x", index=0)
                  ) == TWO  # fmt: skip


def test_half_a_character_in_arguments() -> None:
    assert (
        pieces(piece("clock", '{"a":"\ud83d', "x"), piece(None, '\ude00"}'))[0][2] == '{"a":"😀"}'
    )
