import asyncio
import time

import pytest

from workers.core.llm import flight
from workers.core.llm.cache import CachingClient
from workers.core.llm.client import OpenAIClient
from workers.core.llm.meter import Meter
from workers.core.llm.tests.helpers import ask, endpoint_at
from workers.core.llm.types import ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec, Usage
from workers.core.testing.stub_llm import running_stub
from workers.core.testing.stub_settings import Fault, Rule

ENDPOINT = EndpointSpec(key="e", base_url="http://127.0.0.1:1/v1", model="m", max_concurrency=2)


class Held:
    """Answers when told to."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        self.gate = asyncio.Event()

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        await flight.leaves()
        await self.gate.wait()
        return ChatResult("ok", "stop", self.usage, 0.0)


async def test_full_use_is_the_time_with_enough_requests_in_flight() -> None:
    now = [0.0]
    meter = Meter(full=2, clock=lambda: now[0])
    held = Held(Usage(prompt_tokens=3, completion_tokens=4, cost=0.5))
    client = meter.watching_requests(held)
    first = asyncio.create_task(client.chat(ENDPOINT, ask("a")))
    await asyncio.sleep(0)
    now[0] = 1.0  # one in flight: not full
    second = asyncio.create_task(client.chat(ENDPOINT, ask("b")))
    await asyncio.sleep(0)
    now[0] = 4.0  # two in flight for 3 s
    held.gate.set()
    await asyncio.gather(first, second)
    assert meter.utilisation == pytest.approx(0.75)
    assert (meter.requests, meter.tokens, meter.cost) == (2, 14, 1.0)
    meter.restart()
    now[0] = 5.0
    assert meter.utilisation == 0


async def test_calls_that_wait_are_not_in_flight() -> None:
    """Neither for a slot of the endpoint nor to be tried again: it stands idle then."""
    rule = Rule("busy", fault=Fault("429", times=1, retry_after=0.8))
    with running_stub(latency=0.05, rules=(rule,)) as stub:
        endpoint = endpoint_at(stub.url, max_concurrency=2)
        async with OpenAIClient() as client:
            meter = Meter(full=2)
            watched = meter.watching_requests(client)
            began = time.monotonic()
            await asyncio.gather(*(watched.chat(endpoint, ask(text)) for text in ("busy", "1+1")))
            lasted = time.monotonic() - began
    assert meter.requests == 3
    assert lasted > 0.8
    assert meter.utilisation < 0.5


async def test_a_turn_that_is_waited_for_is_no_request_in_flight() -> None:
    with running_stub(latency=0.05) as stub:
        one_at_a_time = endpoint_at(stub.url, max_concurrency=1)
        async with OpenAIClient() as client:
            meter = Meter(full=2)
            watched = meter.watching_requests(client)
            await asyncio.gather(*(watched.chat(one_at_a_time, ask(f"{n}+1")) for n in range(4)))
    assert (meter.requests, meter.utilisation) == (4, 0)


async def test_what_the_cache_saved_is_the_difference() -> None:
    meter = Meter(full=1)
    held = Held(Usage(prompt_tokens=3, completion_tokens=4))
    held.gate.set()
    client = meter.watching_answers(CachingClient(meter.watching_requests(held)))
    for _ in range(3):
        await client.chat(ENDPOINT, ask("the same"))
    assert (meter.answers, meter.cached, meter.requests, meter.tokens) == (3, 2, 1, 7)


async def test_unknown_usage_is_counted_and_is_no_number() -> None:
    meter = Meter(full=1)
    held = Held(Usage())
    held.gate.set()
    await meter.watching_requests(held).chat(ENDPOINT, ask("a"))
    assert (meter.unknown_usage, meter.tokens, meter.cost) == (1, 0, 0.0)
