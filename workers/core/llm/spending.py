"""Counts what a long job spends at its endpoint, and keeps its limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from workers.core.llm.budget import Reservation, estimate_prompt, taken
from workers.core.llm.flight import Flight, followed
from workers.core.llm.types import BudgetExceeded, ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec, TrainingBudget, Usage

JOB = "job"
"""`BudgetExceeded.limit` for the whole job; the others are those of one run or team."""


@dataclass(frozen=True, slots=True)
class Spent:
    """`usage` is what the answers reported. One unknown value makes the sum unknown. Broken calls
    have no answer and are not in it.

    `tokens` and `cost` (USD) count for the limit and are always known. Unknown usage is estimated.
    A try that broke or was cancelled after it was sent counts with all that it could use. One that
    still waited for its turn counts nothing.
    """

    usage: Usage
    tokens: int
    cost: float

    @staticmethod
    def zero() -> Spent:
        return Spent(Usage.zero(), 0, 0.0)

    def plus(self, usage: Usage, tokens: int, cost: float) -> Spent:
        return Spent(self.usage + usage, self.tokens + tokens, self.cost + cost)


Most = tuple[int, float]
"""Tokens and USD."""
Promise = Callable[[Callable[[], Most]], Awaitable[None]]
"""Returns once the current value of what it reads is stored."""


async def _unstored(_: Callable[[], Most]) -> None:
    pass


class Spending:
    """A `ChatClient` that adds up what another client's calls use, starting from `spent`.

    Raises BudgetExceeded with limit `job` once `budget` is spent, also for calls that still wait
    for their turn. So a job overshoots by at most the calls that the server has.

    A killed process leaves calls at the server, and what they used is never known. So no try leaves
    before `promise` has stored `most`. The next attempt counts from there.
    """

    def __init__(
        self,
        client: ChatClient,
        spent: Spent,
        budget: TrainingBudget | None = None,
        promise: Promise = _unstored,
    ) -> None:
        self.spent = spent
        self._client = client
        self._budget = budget or TrainingBudget()
        self._promise = promise
        self._leaving: dict[Flight, Reservation] = {}

    def most(self) -> Most:
        """What counts now, including the most that the open calls could still use."""
        tokens, cost = self.spent.tokens, self.spent.cost
        for flight, most in self._leaving.items():
            tries = flight.broken + 1
            tokens, cost = tokens + tries * most.tokens, cost + tries * most.cost
        return tokens, cost

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        self._require_left()
        prompt = estimate_prompt(request)
        most = Reservation.of(endpoint, prompt, request.max_tokens)

        async def allowed() -> None:
            self._require_left()
            self._leaving[flight] = most
            await self._promise(self.most)
            self._require_left()

        try:
            with followed(allowed) as flight:
                result = await self._client.chat(endpoint, request, on_delta)
        finally:
            self._leaving.pop(flight, None)
            lost = flight.broken
            self.spent = self.spent.plus(Usage.zero(), lost * most.tokens, lost * most.cost)
        self.spent = self.spent.plus(result.usage, *taken(endpoint, prompt, result))
        return result

    def _require_left(self) -> None:
        budget, spent = self._budget, self.spent
        if budget.max_tokens is not None and spent.tokens >= budget.max_tokens:
            raise BudgetExceeded(
                limit=JOB, message=f"{spent.tokens} of {budget.max_tokens} tokens are used."
            )
        if budget.max_cost is not None and spent.cost >= budget.max_cost:
            raise BudgetExceeded(
                limit=JOB, message=f"${spent.cost:.6f} of ${budget.max_cost} is used."
            )
