"""Measures how well an endpoint is used, and what a batch of calls cost.

    calls = Meter(full=endpoint.max_concurrency)
    client = calls.watching_answers(CachingClient(calls.watching_requests(client), cache))

`watching_requests` sees each try that is sent to the endpoint. `watching_answers` sees all calls.
The difference is what the cache saved.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from workers.core.llm.flight import followed
from workers.core.llm.types import ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec


@dataclass(slots=True)
class Meter:
    """`full` is the number of requests at which the endpoint is fully used. A request is in flight
    while the server has it, not while it waits for its turn or a retry.

    `tokens` and `cost` (USD) are those of calls that reached the endpoint. Unreported usage adds
    nothing and is counted in `unknown_usage`.
    """

    full: int
    clock: Callable[[], float] = time.monotonic
    answers: int = 0
    cached: int = 0
    requests: int = 0
    tokens: int = 0
    cost: float = 0.0
    unknown_usage: int = 0
    _in_flight: int = 0
    _since: float = field(init=False)
    _began: float = field(init=False)
    _full_seconds: float = 0.0

    def __post_init__(self) -> None:
        self._since = self._began = self.clock()

    @property
    def utilisation(self) -> float:
        """Share of the time since the start with `full` requests in flight, 0..1."""
        self._tick()
        lasted = self._since - self._began
        return self._full_seconds / lasted if lasted > 0 else 0.0

    def restart(self) -> None:
        """Reset everything except the requests that are in flight now."""
        self.answers = self.cached = self.requests = self.tokens = self.unknown_usage = 0
        self.cost = self._full_seconds = 0.0
        self._since = self._began = self.clock()

    def watching_requests(self, client: ChatClient) -> ChatClient:
        return _Requests(client, self)

    def watching_answers(self, client: ChatClient) -> ChatClient:
        return _Answers(client, self)

    def enter(self) -> None:
        self._tick()
        self._in_flight += 1
        self.requests += 1

    def leave(self) -> None:
        self._tick()
        self._in_flight -= 1

    def charge(self, result: ChatResult) -> None:
        usage = result.usage
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            self.unknown_usage += 1
        self.tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
        self.cost += usage.cost or 0.0

    def _tick(self) -> None:
        now = self.clock()
        if self._in_flight >= self.full:
            self._full_seconds += now - self._since
        self._since = now


@dataclass(frozen=True, slots=True)
class _Requests:
    client: ChatClient
    meter: Meter

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        with followed(departed=self.meter.enter, landed=self.meter.leave):
            result = await self.client.chat(endpoint, request, on_delta)
        self.meter.charge(result)
        return result


@dataclass(frozen=True, slots=True)
class _Answers:
    client: ChatClient
    meter: Meter

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        result = await self.client.chat(endpoint, request, on_delta)
        self.meter.answers += 1
        self.meter.cached += result.cached
        return result
