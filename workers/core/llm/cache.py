"""Keeps answers by exact request: at temperature 0 the same question is asked once.

The key is a hash of the server, the model and the whole request. The caller, prices and time-outs
do not matter. Identical questions asked at the same time share one call (single flight). The call
belongs to all who wait for it, and is cancelled when the last of them is.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol

import orjson

from workers.core.extra_body import spelled
from workers.core.llm import errors
from workers.core.llm.types import (
    ChatClient,
    ChatMessage,
    ChatRequest,
    ChatResult,
    OnDelta,
    ToolCall,
)
from workers.core.specs import EndpointSpec, Usage

KEY_VERSION = 1
LATER = frozenset({"reasoning", "images", "extra"})

Slot = tuple[str, bool]
"""Key of a request, and whether its answer is streamed."""


class ResponseCache(Protocol):
    """A store of answers: memory, Redis or Postgres.

    `get` and `put` must not raise while the store is away: a missing answer is no error. A store of
    bytes uses `result_to_bytes` and `result_from_bytes`.
    """

    async def get(self, key: str) -> ChatResult | None: ...

    async def put(self, key: str, result: ChatResult) -> None: ...


class MemoryCache:
    """Keeps the `max_entries` answers used last, with at most `max_chars` of text."""

    def __init__(self, *, max_entries: int = 10_000, max_chars: int = 50_000_000) -> None:
        self._max_entries = max_entries
        self._max_chars = max_chars
        self._chars = 0
        self._results: OrderedDict[str, ChatResult] = OrderedDict()

    def __len__(self) -> int:
        return len(self._results)

    async def get(self, key: str) -> ChatResult | None:
        result = self._results.get(key)
        if result is not None:
            self._results.move_to_end(key)
        return result

    async def put(self, key: str, result: ChatResult) -> None:
        self._forget(key)
        self._results[key] = result
        self._chars += _size(result)
        while self._results and (
            len(self._results) > self._max_entries or self._chars > self._max_chars
        ):
            self._forget(next(iter(self._results)))

    def _forget(self, key: str) -> None:
        forgotten = self._results.pop(key, None)
        if forgotten is not None:
            self._chars -= _size(forgotten)


def _size(result: ChatResult) -> int:
    told = len(result.text) + len(result.reasoning)
    return told + sum(len(call.arguments) for call in result.tool_calls)


def request_key(endpoint: EndpointSpec, request: ChatRequest) -> str:
    """64 hex digits, equal exactly for requests that a server can't tell apart.

    The keys of a tool's schema keep their order, because a model reads them in it. Raises LLMError
    for text that can't be sent.
    """
    try:
        spelled = orjson.dumps(
            [
                KEY_VERSION,
                endpoint.base_url.rstrip("/"),
                endpoint.model,
                request,
                *_extra(endpoint),
            ],
            default=_spelled,
            option=orjson.OPT_PASSTHROUGH_DATACLASS,
        )
    except orjson.JSONEncodeError as error:
        raise errors.unsendable() from error
    return hashlib.blake2b(spelled, digest_size=32).hexdigest()


def _extra(endpoint: EndpointSpec) -> list[str]:
    """Nothing where nothing is added, so answers that older versions kept are still found."""
    if not endpoint.extra_body:
        return []
    return [spelled(endpoint.extra_body).decode()]


def _spelled(value: ChatRequest | ChatMessage | ToolCall) -> dict[str, Any]:
    """The message without newer fields that are empty, so answers that older versions kept are
    still found."""
    told = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: each for name, each in told.items() if name not in LATER or each}


def result_to_bytes(result: ChatResult) -> bytes:
    """The result without earlier failed tries, which do not belong to a repeated answer."""
    told = asdict(replace(result, failed_tries=())) | {"usage": result.usage.model_dump()}
    del told["failed_tries"]
    return orjson.dumps(told)


def result_from_bytes(data: bytes) -> ChatResult:
    """Read what `result_to_bytes` wrote. Raises ValueError, KeyError, TypeError for other bytes."""
    told: dict[str, Any] = orjson.loads(data)
    told.pop("retries", None)  # written until causes were told
    calls = tuple(ToolCall(**call) for call in told.pop("tool_calls"))
    return ChatResult(**{**told, "usage": Usage(**told["usage"]), "tool_calls": calls})


@dataclass(eq=False, slots=True)
class _Flight:
    """An open call and those who wait for it, by ticket.

    A late joiner gets the text so far at once.
    """

    task: asyncio.Task[ChatResult] | None = None
    waiting: set[int] = field(default_factory=set)
    listeners: dict[int, OnDelta] = field(default_factory=dict)
    heard: list[str] = field(default_factory=list)
    tickets: int = 0

    def __call__(self, text: str, /) -> None:
        self.heard.append(text)
        for listener in tuple(self.listeners.values()):
            listener(text)

    def restart(self) -> None:
        """Restart listeners that can start over. The others get nothing more."""
        self.heard.clear()
        for ticket, listener in tuple(self.listeners.items()):
            restart = getattr(listener, "restart", None)
            if restart is None:
                del self.listeners[ticket]
            else:
                restart()

    def enter(self, on_delta: OnDelta | None) -> int:
        self.tickets += 1
        self.waiting.add(self.tickets)
        if on_delta is not None:
            if self.heard:
                on_delta("".join(self.heard))
            self.listeners[self.tickets] = on_delta
        return self.tickets

    def leave(self, ticket: int) -> None:
        self.waiting.discard(ticket)
        self.listeners.pop(ticket, None)


class CachingClient:
    """A `ChatClient` that keeps another client's answers to requests at temperature 0.

    A kept or joined answer has `cached=True` and the tokens it once used. Its cost is 0.0, because
    nothing new was paid, and `seconds` is the time this caller waited. The first of several
    identical calls pays. `on_delta` gets a kept answer in one piece. Errors are not kept, but all
    who joined a call get its error. An answer sampled at the server's own temperature is not kept
    either: another call would get another one.
    """

    def __init__(self, client: ChatClient, cache: ResponseCache | None = None) -> None:
        self._client = client
        self._cache = cache or MemoryCache()
        self._flights: dict[Slot, _Flight] = {}

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        if request.temperature != 0:
            return await self._client.chat(endpoint, request, on_delta)
        started = time.perf_counter()
        key = request_key(endpoint, request)
        # a streamed and a whole answer are two calls: a listener wants the text as it comes
        slot: Slot = (key, on_delta is not None)
        flight = self._flights.get(slot)
        if flight is None:
            kept = await self._cache.get(key)
            if kept is not None:
                return _again(kept, started, on_delta)
            # another caller may have taken off while the cache was asked
            flight = self._flights.get(slot)
        leads = flight is None
        if flight is None:
            flight = self._flights[slot] = _Flight()
            flight.task = asyncio.create_task(self._fly(slot, flight, endpoint, request))
        result = await self._wait(slot, flight, on_delta)
        return result if leads and not result.cached else _again(result, started)

    async def _fly(
        self, slot: Slot, flight: _Flight, endpoint: EndpointSpec, request: ChatRequest
    ) -> ChatResult:
        key, streamed = slot
        try:
            result = await self._client.chat(endpoint, request, flight if streamed else None)
            if not result.own_temperature:
                await self._cache.put(key, result)
            return result
        finally:
            self._land(slot, flight)

    async def _wait(self, slot: Slot, flight: _Flight, on_delta: OnDelta | None) -> ChatResult:
        if flight.task is None:
            raise RuntimeError("a flight is joined before it has a task")
        ticket = flight.enter(on_delta)
        try:
            # one who goes away must not take the call from the others
            return await asyncio.shield(flight.task)
        finally:
            flight.leave(ticket)
            if not flight.waiting:
                # nobody may join a call that is being cancelled
                self._land(slot, flight)
                flight.task.cancel()

    def _land(self, slot: Slot, flight: _Flight) -> None:
        if self._flights.get(slot) is flight:
            del self._flights[slot]


def _again(kept: ChatResult, started: float, on_delta: OnDelta | None = None) -> ChatResult:
    if on_delta is not None and kept.text:
        on_delta(kept.text)
    return replace(
        kept,
        usage=kept.usage.model_copy(update={"cost": 0.0}),
        seconds=time.perf_counter() - started,
        failed_tries=(),
        cached=True,
    )
