"""Shortest ways to an endpoint and a request."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from workers.core.llm.types import ChatMessage, ChatRequest, ChatResult, LLMError
from workers.core.specs import EndpointSpec
from workers.core.testing.stub_llm import RunningStub


def endpoint_at(url: str, model: str = "stub", **fields: Any) -> EndpointSpec:
    told = {"key": "stub", "timeout_seconds": 5.0, "allow_private_address": True, **fields}
    return EndpointSpec(base_url=url, model=model, **told)


def ask(text: str, **fields: Any) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage("user", text),), **fields)


async def failing(call: Awaitable[ChatResult]) -> LLMError:
    """The error that the call ends in."""
    with pytest.raises(LLMError) as caught:
        await call
    return caught.value


async def eventually(condition: Callable[[], bool], seconds: float = 3.0) -> None:
    """Waits until the condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


class Deltas(list[str]):
    """An `OnDelta` that can start over; `restarts` counts how often it did."""

    restarts = 0

    def __call__(self, text: str, /) -> None:
        self.append(text)

    def restart(self) -> None:
        self.clear()
        self.restarts += 1


def faulty(stub: RunningStub, kind: str, **fields: Any) -> EndpointSpec:
    return endpoint_at(stub.url, f"fault-{kind}", **fields)
