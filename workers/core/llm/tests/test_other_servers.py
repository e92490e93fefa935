"""Servers that are not quite OpenAI's: the right answer, or the right error in its own words."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager

import pytest

from workers.core.llm.client import OpenAIClient
from workers.core.llm.flight import followed
from workers.core.llm.retry import RetryPolicy
from workers.core.llm.tests.helpers import Deltas, ask, endpoint_at, failing
from workers.core.llm.tests.other_servers import ALL, STOP, Case, event, sent, stream, whole, words
from workers.core.testing.stub_llm import RunningStub, running_stub
from workers.core.testing.stub_settings import Fault, Raw, Rule

ANSWERED = [case for case in ALL if case.text is not None]
REFUSED = [case for case in ALL if case.text is None]
NOISES = (": keep-alive\n\n", "\n", "data: ping\n\n", sent({"type": "ping"}), event({}))
NOISY = [stream(words("Half"), *([noise] * 40), pause=0.1) for noise in NOISES]


@pytest.fixture(scope="module")
def servers() -> Iterator[RunningStub]:
    replies = [(case.name, case.raw) for case in ALL]
    replies += [(f"noise {place}", raw) for place, raw in enumerate(NOISY)]
    rules = tuple(Rule(f"«{name}»", fault=Fault("raw", raw=raw)) for name, raw in replies)
    with running_stub(rules=rules) as running:
        yield running


@pytest.fixture
async def twice() -> AsyncIterator[OpenAIClient]:
    async with OpenAIClient(retry=RetryPolicy(tries=2, base_seconds=0.01)) as made:
        yield made


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.name)
async def test_it_is_understood(
    twice: OpenAIClient, servers: RunningStub, case: Case, stream: bool
) -> None:
    servers.clear()
    deltas = Deltas()
    question = ask(f"«{case.name}»", max_tokens=64)
    result = await twice.chat(endpoint_at(servers.url), question, deltas if stream else None)
    assert (result.text, result.finish_reason) == (case.text, case.finish)
    assert (result.reasoning, result.refusal) == (case.reasoning, case.refusal)
    if case.tokens is not None:
        assert result.usage.completion_tokens == case.tokens
    if stream:
        assert "".join(deltas) == result.text
    assert servers.log()["total"] == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
async def test_its_error_is_named(
    twice: OpenAIClient, servers: RunningStub, case: Case, stream: bool
) -> None:
    servers.clear()
    question = ask(f"«{case.name}»", max_tokens=64)
    error = await failing(
        twice.chat(endpoint_at(servers.url), question, Deltas() if stream else None)
    )
    assert (error.code, error.permanent) == (case.code, case.tries == 1)
    assert case.said in error.message
    assert error.remedy
    assert servers.log()["total"] == case.tries


def reply(raw: Raw) -> AbstractContextManager[RunningStub]:
    return running_stub(faults={"stub": Fault("raw", raw=raw)})


async def test_a_slow_model_that_speaks_is_not_timed_out(twice: OpenAIClient) -> None:
    slow = stream(*(words("x") for _ in range(8)), STOP, pause=0.15)
    with reply(slow) as server:
        endpoint = endpoint_at(server.url, timeout_seconds=0.5)
        result = await twice.chat(endpoint, ask("hi"), Deltas())
    assert result.text == "x" * 8
    assert result.seconds > 1


@pytest.mark.parametrize("place", range(len(NOISY)))
async def test_a_server_that_only_pings_is_silent(
    twice: OpenAIClient, servers: RunningStub, place: int
) -> None:
    endpoint = endpoint_at(servers.url, timeout_seconds=0.4)
    late = await failing(twice.chat(endpoint, ask(f"«noise {place}»"), Deltas()))
    assert (late.code, late.permanent) == ("timeout", False)
    assert "was silent for 0.4 s in the middle of an answer" in late.message


LONG_AGO = "Wed, 21 Oct 2015 07:28:"


async def test_a_date_in_retry_after_is_waited_for(twice: OpenAIClient) -> None:
    dates = [("Date", f"{LONG_AGO}00 GMT"), ("Retry-After", f"{LONG_AGO}01 GMT")]
    limited = whole({"error": {"message": "Slow down"}}, status=429, headers=tuple(dates))
    with running_stub(faults={"stub": Fault("raw", times=1, raw=limited)}) as server:
        result = await twice.chat(endpoint_at(server.url), ask("hi"))
    assert result.seconds >= 1
    assert "The server asks to wait 1 s." in result.failed_tries[0].message


async def test_a_wait_in_the_words_of_an_error_is_waited_for(twice: OpenAIClient) -> None:
    limited = whole({"error": {"message": "Slow down. Please try again in 1.2s."}}, status=429)
    with running_stub(faults={"stub": Fault("raw", times=1, raw=limited)}) as server:
        result = await twice.chat(endpoint_at(server.url), ask("hi"))
    assert result.seconds >= 1.2
    assert "The server asks to wait 1.2 s." in result.failed_tries[0].message


async def test_a_server_that_is_not_ready_names_its_wait(twice: OpenAIClient) -> None:
    starting = whole({"error": "Loading"}, status=503, headers=(("Retry-After", "3600"),))
    with reply(starting) as server:
        away = await failing(twice.chat(endpoint_at(server.url), ask("hi")))
        assert server.log()["total"] == 1
    assert away.code == "server_error"
    assert "The server asks to wait 3600 s." in away.message


async def test_what_broke_off_after_words_counts_as_written(twice: OpenAIClient) -> None:
    """An error after half an answer has used tokens; one before it has not."""
    error = sent({"error": {"message": "Engine gone", "code": 500}})
    for pieces, broken in ((("x",), 2), ((), 0)):
        with reply(stream(words(*pieces) or ": hm\n\n", error)) as server, followed() as flight:
            await failing(twice.chat(endpoint_at(server.url), ask("hi"), Deltas()))
            assert flight.broken == broken
