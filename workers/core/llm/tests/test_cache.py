"""Exact requests are asked once; who goes away takes nothing from who stays."""

import asyncio
from dataclasses import replace

import orjson
import pytest

from workers.core.llm.cache import (
    CachingClient,
    MemoryCache,
    request_key,
    result_from_bytes,
    result_to_bytes,
)
from workers.core.llm.client import OpenAIClient
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at, eventually, faulty
from workers.core.llm.types import ChatMessage, ChatRequest, ChatResult, LLMError, ToolCall
from workers.core.specs import EndpointSpec, FailedTry, Usage
from workers.core.testing.stub_llm import RunningStub

SLOW = "think slowly"


@pytest.fixture
def caching(client: OpenAIClient, stub: RunningStub) -> CachingClient:
    stub.clear()
    return CachingClient(client, MemoryCache())


async def test_the_second_answer_is_kept(caching: CachingClient, stub: RunningStub) -> None:
    endpoint = endpoint_at(stub.url, prompt_price=5.0, completion_price=5.0)
    first = await caching.chat(endpoint, ask("2 + 2"))
    second = await caching.chat(endpoint, ask("2 + 2"))
    assert (first.cached, second.cached) == (False, True)
    assert (second.text, second.finish_reason) == (first.text, first.finish_reason)
    assert second.usage == first.usage.model_copy(update={"cost": 0.0})
    assert (first.usage.cost or 0) > 0
    assert stub.log()["total"] == 1


async def test_a_kept_answer_streams_in_one_piece(
    caching: CachingClient, stub: RunningStub
) -> None:
    first = await caching.chat(endpoint_at(stub.url), ask("2 + 2"))
    deltas = Deltas()
    assert (await caching.chat(endpoint_at(stub.url), ask("2 + 2"), deltas)).cached
    assert list(deltas) == [first.text]


async def test_sampled_answers_are_not_kept(caching: CachingClient, stub: RunningStub) -> None:
    for _ in range(2):
        result = await caching.chat(endpoint_at(stub.url), ask("2 + 2", temperature=0.5))
        assert not result.cached
    assert stub.log()["total"] == 2


async def test_errors_are_not_kept(caching: CachingClient, stub: RunningStub) -> None:
    for _ in range(2):
        with pytest.raises(LLMError, match="refuses"):
            await caching.chat(faulty(stub, "401"), ask("hi"))
    assert stub.log()["total"] == 2


async def test_identical_calls_at_once_are_one(caching: CachingClient, stub: RunningStub) -> None:
    calls = [caching.chat(endpoint_at(stub.url), ask(SLOW)) for _ in range(20)]
    results = await asyncio.gather(*calls)
    assert stub.log()["total"] == 1
    assert {result.text for result in results} == {"slow thought"}
    assert [result.cached for result in results].count(False) == 1


async def test_a_cancelled_leader_leaves_the_call_to_the_others(
    caching: CachingClient, stub: RunningStub
) -> None:
    leader, follower = (
        asyncio.create_task(caching.chat(endpoint_at(stub.url), ask(SLOW))) for _ in range(2)
    )
    await eventually(lambda: stub.log()["active"] == 1)
    leader.cancel()
    assert (await follower).text == "slow thought"
    assert leader.cancelled()
    assert (stub.log()["total"], stub.log()["dropped"]) == (1, 0)


async def test_the_last_one_to_leave_cancels_the_call(
    caching: CachingClient, stub: RunningStub
) -> None:
    endpoint = faulty(stub, "hang")
    callers = [asyncio.create_task(caching.chat(endpoint, ask("hi"))) for _ in range(3)]
    await eventually(lambda: stub.log()["active"] == 1)
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    await eventually(lambda: stub.log()["dropped"] == 1)


async def test_who_comes_after_a_cancelled_call_starts_a_new_one(
    caching: CachingClient, stub: RunningStub
) -> None:
    first = asyncio.create_task(caching.chat(endpoint_at(stub.url), ask(SLOW)))
    await eventually(lambda: stub.log()["active"] == 1)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await caching.chat(endpoint_at(stub.url), ask(SLOW))).text == "slow thought"


async def test_an_error_reaches_all_who_joined(caching: CachingClient, stub: RunningStub) -> None:
    calls = [caching.chat(faulty(stub, "403"), ask("hi")) for _ in range(3)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [getattr(result, "code", None) for result in results] == ["forbidden"] * 3
    assert stub.log()["total"] == 1


async def test_late_listeners_hear_everything(caching: CachingClient, stub: RunningStub) -> None:
    early, late = Deltas(), Deltas()
    first = asyncio.create_task(
        caching.chat(faulty(stub, "hang-mid-stream", timeout_seconds=0.4), ask("hi"), early)
    )
    await eventually(lambda: len("".join(early)) > 0)
    second = asyncio.create_task(
        caching.chat(faulty(stub, "hang-mid-stream", timeout_seconds=0.4), ask("hi"), late)
    )
    await asyncio.gather(first, second, return_exceptions=True)
    assert "".join(early) == "".join(late) == "word word word "
    assert stub.log()["total"] == 2, "one call and its retry"


async def test_a_restart_reaches_every_listener(caching: CachingClient, stub: RunningStub) -> None:
    """The stub breaks this stream after some words, and then says something else."""
    deltas, plain = Deltas(), list[str]()
    endpoint, request = endpoint_at(stub.url), ask("quite another matter")
    await asyncio.gather(
        caching.chat(endpoint, request, deltas), caching.chat(endpoint, request, plain.append)
    )
    assert ("".join(deltas), deltas.restarts) == ("no relation", 1)
    assert "".join(plain) == "word word word "


BASE = ChatRequest(messages=(ChatMessage("user", "a"),))


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, messages=(ChatMessage("user", "b"),)),
        replace(BASE, messages=(ChatMessage("system", "a"),)),
        replace(BASE, messages=(*BASE.messages, ChatMessage("user", ""))),
        replace(BASE, max_tokens=7),
        replace(BASE, seed=0),
        replace(BASE, stop=("a",)),
        replace(BASE, tools=({"type": "function"},)),
        replace(BASE, response_schema={}),
    ],
)
def test_every_field_of_a_request_counts(other: ChatRequest) -> None:
    endpoint = endpoint_at("http://h/v1")
    assert request_key(endpoint, other) != request_key(endpoint, BASE)


def test_the_server_and_the_model_count_and_the_rest_does_not() -> None:
    key = request_key(endpoint_at("http://h/v1"), BASE)
    assert key == request_key(endpoint_at("http://h/v1/", prompt_price=3.0), BASE)
    assert key != request_key(endpoint_at("http://g/v1"), BASE)
    assert key != request_key(endpoint_at("http://h/v1", "other"), BASE)
    extra = {"top_p": 0.9, "min_p": 0.1}
    widened = request_key(endpoint_at("http://h/v1", extra_body=extra), BASE)
    assert key != widened
    again = dict(reversed(extra.items()))
    assert widened == request_key(endpoint_at("http://h/v1", extra_body=again), BASE)
    for other in (1, True, 0):
        changed = {**extra, "min_p": other}
        assert widened != request_key(endpoint_at("http://h/v1", extra_body=changed), BASE)


def result(text: str) -> ChatResult:
    return ChatResult(
        text, "stop", Usage(prompt_tokens=1), 0.5, (), False, (ToolCall("i", "n", ""),)
    )


async def test_the_memory_is_bounded_by_entries_and_by_text() -> None:
    cache = MemoryCache(max_entries=2)
    for key in "abc":
        await cache.put(key, result(key))
        await cache.get("a")
    assert [await cache.get(key) is not None for key in "abc"] == [True, False, True]
    small = MemoryCache(max_chars=10)
    await small.put("a", result("x" * 8))
    await small.put("b", result("x" * 8))
    await small.put("b", result("x" * 9))
    assert (len(small), await small.get("a")) == (1, None)
    await small.put("c", result("x" * 11))
    assert len(small) == 0


THOUGHT = ChatResult("", "stop", Usage.zero(), 0.1, reasoning="Hm.", refusal="No.")


@pytest.mark.parametrize("kept", [result("é"), THOUGHT])
def test_an_answer_travels_as_bytes(kept: ChatResult) -> None:
    assert result_from_bytes(result_to_bytes(kept)) == kept


def test_what_went_wrong_before_it_stays_behind_and_older_answers_are_read() -> None:
    tried = replace(result("é"), failed_tries=(FailedTry(code="timeout"),))
    kept = orjson.loads(result_to_bytes(tried))
    assert result_from_bytes(orjson.dumps({**kept, "retries": 2})) == result("é")


def test_keys_stay_as_they_are_and_reasoning_that_is_sent_back_counts() -> None:
    """A key that changes loses the answers of every evaluation that is asked again."""
    call = ToolCall("1", "n", "{}")
    turns = (ChatMessage("system", "é"), ChatMessage("assistant", "", tool_calls=(call,)))
    request = ChatRequest(
        messages=(*turns, ChatMessage("tool", "x", tool_call_id="1")),
        max_tokens=512,
        seed=3,
        tools=({"b": 1, "a": {"z": [1]}},),
        response_schema={"q": 1},
        stop=("a",),
    )
    endpoint = EndpointSpec(key="k", base_url="http://x/v1", model="m")
    known = "2a063011a53feb6b6a84f9586b4df94bdeb303fe76c1f06763b6b433cbad6983"
    assert request_key(endpoint, request) == known
    thought = replace(turns[1], reasoning="Hm.")
    other = replace(request, messages=(turns[0], thought, request.messages[2]))
    assert request_key(endpoint, other) != known
