"""What a long job has asked of its endpoint, counted where the answers come in, and its limit."""

from __future__ import annotations

from workers.core.llm.budget import estimate_prompt, estimate_tokens
from workers.core.llm.types import BudgetExceeded, ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec, TrainingBudget, Usage

JOB = "job"
"""`BudgetExceeded.limit` of the whole job's; the others are those of one run or system."""


class Spending:
    """A `ChatClient` that adds up the usage of another's answers, on top of `spent` so far.

    Also what a step took that was lost with its worker. Unknown usage makes the sum unknown; for
    the limit it is estimated. Raises BudgetExceeded with limit `job` once `budget` is spent: what
    is under way then is still answered, so a job takes more by at most the calls of that moment.
    """

    def __init__(
        self, client: ChatClient, spent: Usage, budget: TrainingBudget | None = None
    ) -> None:
        self.spent = spent
        self._client = client
        self._budget = budget or TrainingBudget()
        self._tokens = (spent.prompt_tokens or 0) + (spent.completion_tokens or 0)
        self._cost = spent.cost or 0.0

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        self._require_left()
        result = await self._client.chat(endpoint, request, on_delta)
        self.spent += result.usage
        self._tokens += _prompt(request, result.usage) + _completion(result)
        self._cost += result.usage.cost or 0.0
        return result

    def _require_left(self) -> None:
        budget = self._budget
        if budget.max_tokens is not None and self._tokens >= budget.max_tokens:
            raise BudgetExceeded(
                limit=JOB, message=f"{self._tokens} of {budget.max_tokens} tokens are used."
            )
        if budget.max_cost is not None and self._cost >= budget.max_cost:
            raise BudgetExceeded(
                limit=JOB, message=f"${self._cost:.6f} of ${budget.max_cost} is used."
            )


def _prompt(request: ChatRequest, usage: Usage) -> int:
    known = usage.prompt_tokens
    return estimate_prompt(request) if known is None else known


def _completion(result: ChatResult) -> int:
    known = result.usage.completion_tokens
    return estimate_tokens(result.text) if known is None else known
