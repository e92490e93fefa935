"""Roles, graphs and a scripted LLM for the tests of multi-agent execution."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from workers.core.events import Event
from workers.core.llm.types import ChatClient, ChatRequest, ChatResult, LLMError, OnDelta
from workers.core.mas.agent import Team, run_agent
from workers.core.mas.context import MethodContext
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.pool import MessagePool
from workers.core.specs import (
    AgentNode,
    Budget,
    Edge,
    EndpointSpec,
    GraphSpec,
    RoleSpec,
    Usage,
)

USAGE = Usage(prompt_tokens=10, completion_tokens=5, cost=0.001)


def role(key: str = "solver", **fields: Any) -> RoleSpec:
    base: dict[str, Any] = {
        "key": key,
        "name": key.title(),
        "family": "test",
        "description": f"Plays {key}.",
        "prompt": f"You are {key}.",
    }
    return RoleSpec(**{**base, **fields})


def graph(edges: str, *, alone: Sequence[str] = ()) -> GraphSpec:
    """`"a1>a2 a1>a3"`; every agent has a role of its own."""
    pairs = [edge.split(">") for edge in edges.split()]
    ids = sorted({agent for pair in pairs for agent in pair} | set(alone))
    return GraphSpec(
        nodes=tuple(AgentNode(id=i, role=role(f"role-{i}")) for i in ids),
        edges=tuple(Edge(source=source, target=target) for source, target in pairs),
    )


def endpoint(url: str = "http://127.0.0.1:1/v1", **fields: Any) -> EndpointSpec:
    base: dict[str, Any] = {
        "key": "stub",
        "base_url": url,
        "model": "stub",
        "max_concurrency": 64,
        "allow_private_address": True,
    }
    return EndpointSpec(**{**base, **fields})


def context(client: ChatClient, **fields: Any) -> MethodContext:
    base: dict[str, Any] = {"endpoint": endpoint(), "seed": 0, "budget": Budget(), "stream": False}
    return MethodContext(llm=client, **{**base, **fields})


def result(text: str, **fields: Any) -> ChatResult:
    return ChatResult(
        **{"text": text, "finish_reason": "stop", "usage": USAGE, "seconds": 0.0, **fields}
    )


def down(code: str = "server_error") -> LLMError:
    return LLMError(code=code, message="The server is down.", remedy="Start it.", permanent=False)


Script = Callable[[ChatRequest], ChatResult | str | BaseException]


class ScriptedClient:
    """Answers by a function of the request after yielding `turns` times to the event loop."""

    def __init__(self, script: Script = lambda _: "Answer: 1", *, turns: int = 1) -> None:
        self.script = script
        self.turns = turns
        self.requests: list[ChatRequest] = []
        self.active = 0
        self.peak = 0

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        self.requests.append(request)
        self.active += 1
        self.peak = max(self.peak, self.active)
        try:
            for _ in range(self.turns):
                await asyncio.sleep(0)
        finally:
            self.active -= 1
        said = self.script(request)
        if isinstance(said, BaseException):
            raise said
        reply = result(said) if isinstance(said, str) else said
        if on_delta is not None:
            on_delta(reply.text)
        return reply


class Gated(ScriptedClient):
    """Calls of one agent wait for `gate`."""

    def __init__(self, agent_id: str, script: Script = lambda _: "Answer: 1") -> None:
        super().__init__(script)
        self.gate = asyncio.Event()
        self._agent_id = agent_id

    async def chat(
        self, endpoint: EndpointSpec, request: ChatRequest, on_delta: OnDelta | None = None
    ) -> ChatResult:
        if speaker(request) == self._agent_id:
            await self.gate.wait()
        return await super().chat(endpoint, request, on_delta)


def speaker(request: ChatRequest) -> str:
    """The id in the system prompt of `graph`'s agents."""
    return request.messages[0].content.split("role-")[1].split(".")[0]


async def collect(events: AsyncGenerator[Event], into: list[Event] | None = None) -> list[Event]:
    """`into` keeps what came before an error."""
    seen = [] if into is None else into
    async for event in events:
        seen.append(event)
    return seen


async def turn(
    client: ChatClient,
    spec: RoleSpec,
    *,
    agent_id: str = "a1",
    query: str = "q",
    inputs: Sequence[AgentOutcome] = (),
    pool: MessagePool[Any] | None = None,
    outcomes: dict[str, AgentOutcome] | None = None,
    **fields: Any,
) -> list[Event]:
    """The events of one agent; `fields` are its context's."""
    ended = {} if outcomes is None else outcomes
    team = Team(query, context(client, **fields), pool or MessagePool(), ended)
    return await collect(run_agent(AgentNode(id=agent_id, role=spec), inputs, team=team))


def kinds(events: Sequence[Event]) -> list[str]:
    return [event.event for event in events]


def others() -> set[asyncio.Task[Any]]:
    """Tasks other than the test's own."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
