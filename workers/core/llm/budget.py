"""Limits what a run may spend: tokens, cost and seconds, also over calls that run side by side.

Before it starts, a call reserves the most it can use. When it ends, it settles what it used. The
prompt's tokens are estimated. If the server counts more, the server's count is charged. So a run
overshoots by at most the estimates' error for the open calls.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from workers.core.llm.flight import Flight, followed
from workers.core.llm.types import (
    BudgetExceeded,
    ChatClient,
    ChatRequest,
    ChatResult,
    LLMError,
    OnDelta,
)
from workers.core.llm.wire import cost
from workers.core.specs import AttemptSpent, Budget, EndpointSpec, Usage

NOTHING_SPENT = AttemptSpent()
BYTES_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 8
TOKENS_PER_IMAGE = 2_500
"""About what models count for a picture with sides of 1,536 pixels. Most count less."""
LOST = {
    "tokens": "{0.tokens} tokens",
    "cost": "${0.cost:.6f}",
    "seconds": "{0.seconds:.0f} seconds",
}
LEAST_COMPLETION_TOKENS = 16
"""A call that could write less than this is not made: it would only pay for its prompt."""


def estimate_tokens(text: str) -> int:
    """UTF-8 bytes / 4, rounded up: characters / 4 for English, more for other scripts."""
    return math.ceil(len(text.encode(errors="surrogatepass")) / BYTES_PER_TOKEN)


def estimate_prompt(request: ChatRequest) -> int:
    """Estimated tokens of the messages, their framing and images, and the tools' descriptions."""
    text = "".join(
        [message.content for message in request.messages]
        + [call.arguments for message in request.messages for call in message.tool_calls]
        + [str(tool) for tool in request.tools]
    )
    images = sum(len(message.images) for message in request.messages)
    framing = TOKENS_PER_MESSAGE * len(request.messages) + TOKENS_PER_IMAGE * images
    return estimate_tokens(text) + framing


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """The most that a call may use: `completion_tokens`, and `cost` in USD."""

    prompt_tokens: int
    completion_tokens: int
    cost: float

    @classmethod
    def of(cls, endpoint: EndpointSpec, prompt: int, completion: int) -> Reservation:
        return cls(prompt, completion, cost(endpoint, prompt, completion) or 0.0)

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def taken(endpoint: EndpointSpec, prompt_estimate: int, result: ChatResult) -> tuple[int, float]:
    """Tokens and USD of an answer, estimated if the server reported none."""
    prompt, completion = result.usage.prompt_tokens, result.usage.completion_tokens
    if prompt is None:
        prompt = prompt_estimate
    if completion is None:
        completion = estimate_tokens(
            result.text + "".join(call.arguments for call in result.tool_calls)
        )
    spent = 0.0 if result.cached else cost(endpoint, prompt, completion)
    return prompt + completion, spent or 0.0


class BudgetLedger:
    """One run's account. The run's time starts with the ledger. `before` is what lost attempts
    used; the run's limits include it.

    A granted reservation always keeps `tokens + reserved tokens ≤ max_tokens`, and the same for
    cost. A reservation that does not fit waits until open ones settle, first come, first served. If
    none is open it gets what is left, or BudgetExceeded. `under_way` are the open calls.
    `last_state` is what the last stopped call waited for.
    """

    def __init__(self, budget: Budget, *, before: AttemptSpent = NOTHING_SPENT) -> None:
        self.budget = budget
        self.before = before
        self.tokens = before.tokens
        self.cost = before.cost
        self.estimated = False
        self.under_way: set[Flight] = set()
        self.last_state = ""
        self._ends = time.monotonic() + budget.max_seconds - before.seconds
        self._open: set[Reservation] = set()
        self._queue = asyncio.Lock()
        self._settled = asyncio.Event()

    def seconds_left(self) -> float:
        return self._ends - time.monotonic()

    async def reserve(
        self, endpoint: EndpointSpec, prompt_tokens: int, completion_tokens: int
    ) -> Reservation:
        """Raises BudgetExceeded, or LLMError if the cost can't be limited."""
        self._check_prices(endpoint)
        wanted = Reservation.of(endpoint, prompt_tokens, completion_tokens)
        if not self._queue.locked() and self._fits(wanted):
            return self._opened(wanted)
        async with self._queue:
            while not self._fits(wanted) and self._open:
                self._settled.clear()
                await self._settled.wait()
            if not self._fits(wanted):
                wanted = self._clamped(endpoint, wanted)
            return self._opened(wanted)

    def settle(self, reservation: Reservation, *, tokens: int, spent: float) -> None:
        """Close a reservation with what the call used, in tokens and USD."""
        self._open.discard(reservation)
        self.tokens += tokens
        self.cost += spent
        self._settled.set()

    @contextmanager
    def watching(self, flight: Flight) -> Iterator[None]:
        """Follow the call. When the run's seconds are over, the message says what it waits for."""
        self.under_way.add(flight)
        try:
            yield
        except asyncio.CancelledError:
            self.last_state = flight.state()
            raise
        finally:
            self.under_way.discard(flight)

    def charge(self, usage: Usage) -> None:
        """Add earlier usage. Unknown parts are not counted."""
        self.tokens += (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
        self.cost += usage.cost or 0.0

    def exceeded(self, limit: str) -> BudgetExceeded:
        budget = self.budget
        allowed, used = {
            "tokens": (f"{budget.max_tokens} tokens", f"{self.tokens} are used"),
            "cost": (f"${budget.max_cost}", f"${self.cost:.6f} is used"),
            "seconds": (f"{budget.max_seconds:g} seconds", "they have passed"),
        }[limit]
        waited = f" {self._waited()}".rstrip() if limit == "seconds" else ""
        message = (
            f"The run may use {allowed}, and {used}.{self._lost(limit)}{waited} Raise this "
            "limit in the run's budget."
        )
        return BudgetExceeded(limit=limit, message=message)

    def _lost(self, limit: str) -> str:
        """Why the limit came early, if lost attempts used a part of it."""
        if not getattr(self.before, limit):
            return ""
        lost = LOST[limit].format(self.before)
        return (
            f" Earlier attempts whose worker was lost used {lost}. A retry starts with the full "
            "budget."
        )

    def _waited(self) -> str:
        """What a call waited for when the time was over: its server or its turn."""
        states = (flight.state() for flight in self.under_way)
        return next(filter(None, states), self.last_state)

    def _opened(self, reservation: Reservation) -> Reservation:
        self._open.add(reservation)
        return reservation

    def _fits(self, wanted: Reservation) -> bool:
        if wanted.tokens > self._tokens_left():
            return False
        left = self._cost_left()
        return left is None or wanted.cost <= left

    def _tokens_left(self) -> int:
        return self.budget.max_tokens - self.tokens - sum(r.tokens for r in self._open)

    def _cost_left(self) -> float | None:
        if self.budget.max_cost is None:
            return None
        return self.budget.max_cost - self.cost - sum(r.cost for r in self._open)

    def _clamped(self, endpoint: EndpointSpec, wanted: Reservation) -> Reservation:
        least = min(LEAST_COMPLETION_TOKENS, wanted.completion_tokens)
        completion = min(wanted.completion_tokens, self._tokens_left() - wanted.prompt_tokens)
        if completion < least:
            raise self.exceeded("tokens")
        left = self._cost_left()
        if left is not None:
            completion = min(completion, _affordable(endpoint, wanted, left))
            if completion < least:
                raise self.exceeded("cost")
        return Reservation.of(endpoint, wanted.prompt_tokens, completion)

    def _check_prices(self, endpoint: EndpointSpec) -> None:
        unknown = endpoint.prompt_price is None or endpoint.completion_price is None
        if self.budget.max_cost is not None and unknown:
            raise LLMError(
                code="price_unknown",
                message=f"The run has a cost limit, but the endpoint {endpoint.key} has no prices.",
                remedy="Enter the endpoint's prices (0 if it is free), or remove the cost limit.",
                permanent=True,
            )


class BudgetedClient:
    """A `ChatClient` bound to one run's ledger.

    `max_tokens` is lowered to `max_completion_tokens_per_call` and to what is left. Unknown usage
    is charged as estimated (then `ledger.estimated` is true) and reported as unknown. A cached
    answer is charged its tokens, so a run goes the same way with and without kept answers, but no
    cost. A try that broke or was cancelled after the server may have generated is charged all that
    the call reserved. A refused try is charged nothing. Raises what the client raises, and
    BudgetExceeded with limit `tokens`, `cost` or `seconds`.
    """

    def __init__(self, client: ChatClient, ledger: BudgetLedger) -> None:
        self._client = client
        self._ledger = ledger

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        deadline = asyncio.timeout(max(self._ledger.seconds_left(), 0.0))
        try:
            async with deadline:
                return await self._within_time(endpoint, request, on_delta)
        except TimeoutError:
            if deadline.expired():
                raise self._ledger.exceeded("seconds") from None
            raise

    async def _within_time(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None
    ) -> ChatResult:
        ledger = self._ledger
        asked = request.max_tokens
        wanted = min(asked, ledger.budget.max_completion_tokens_per_call)
        held = await ledger.reserve(endpoint, estimate_prompt(request), wanted)
        tokens, spent = 0, 0.0
        if held.completion_tokens != asked:
            request = replace(request, max_tokens=held.completion_tokens)
        try:
            with followed() as flight, ledger.watching(flight):
                result = await self._client.chat(endpoint, request, on_delta)
            if held.completion_tokens < asked:
                result = replace(result, limit=held.completion_tokens)
            usage = result.usage
            ledger.estimated |= usage.prompt_tokens is None or usage.completion_tokens is None
            tokens, spent = taken(endpoint, held.prompt_tokens, result)
            return result
        finally:
            lost = flight.broken
            tokens, spent = tokens + lost * held.tokens, spent + lost * held.cost
            ledger.settle(held, tokens=tokens, spent=spent)


def _affordable(endpoint: EndpointSpec, wanted: Reservation, left: float) -> int:
    """The most completion tokens that `left` USD can pay after the prompt."""
    prompt_cost = cost(endpoint, wanted.prompt_tokens, 0) or 0.0
    if prompt_cost > left:
        return -1
    if not endpoint.completion_price:
        return wanted.completion_tokens
    return math.floor((left - prompt_cost) / endpoint.completion_price * 1_000_000)
