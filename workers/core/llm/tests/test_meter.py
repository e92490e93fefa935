import asyncio

import pytest

from workers.core.llm.cache import CachingClient
from workers.core.llm.meter import Meter
from workers.core.llm.types import ChatMessage, ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec, Usage

ENDPOINT = EndpointSpec(key="e", base_url="http://127.0.0.1:1/v1", model="m", max_concurrency=2)


class Held:
    """Answers when told to."""

    def __init__(self, usage: Usage) -> None:
        self.usage = usage
        self.gate = asyncio.Event()

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        await self.gate.wait()
        return ChatResult("ok", "stop", self.usage, 0.0)


def ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage("user", text),))


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
