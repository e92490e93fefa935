"""What a training has asked of its endpoint, counted where the answers come in."""

from __future__ import annotations

from workers.core.llm.types import ChatClient, ChatRequest, ChatResult, OnDelta
from workers.core.specs import EndpointSpec, Usage


class Spending:
    """A `ChatClient` that adds up the usage of another's answers, on top of `spent` so far.

    Also what a step took that was lost with its worker. Unknown usage makes the sum unknown.
    """

    def __init__(self, client: ChatClient, spent: Usage) -> None:
        self.spent = spent
        self._client = client

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        result = await self._client.chat(endpoint, request, on_delta)
        self.spent += result.usage
        return result
