"""What the tests of all methods share: a stub LLM, small pools, and a reading of event streams."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.core.embed.base import Embedder
from workers.core.events import Event
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.mas.context import MethodContext
from workers.core.methods.base import Method
from workers.core.methods.program_writer import PROGRAM_WRITER
from workers.core.specs import Budget, EndpointSpec, PoolSpec, RoleSpec, TaskSpec
from workers.core.testing.stub_process import running_stub
from workers.core.testing.stub_settings import Rule

QUERY = "A baker sells 14 loaves at 3 dollars and 5 cakes at 12 dollars. How much in all?"


def role(key: str, description: str, *, family: str = "test", refuse: str = "") -> RoleSpec:
    return RoleSpec(
        key=key,
        name=key.replace("-", " ").capitalize(),
        family=family,
        description=description,
        prompt=f"You are the {key}.",
        refuse_condition=refuse,
    )


def small_pool() -> PoolSpec:
    """Two solvers, a stranger, a planner and a checker."""
    roles = (
        role(
            "word-problems",
            "Solves word problems: a shop sells loaves and cakes, how many dollars in all?",
        ),
        role("arithmetic", "Adds and multiplies prices and numbers exactly."),
        role("physician", "Knows diseases and medicines."),
        role("planner", "Breaks a task into an ordered plan of steps before anyone solves it."),
        role("critic", "Reviews the other agents' answers: verifier, checker, critic."),
    )
    return PoolSpec(key="small", name="Small", roles=roles)


def large_pool(count: int) -> PoolSpec:
    roles = tuple(role(f"role-{i}", f"Knows subject number {i}.") for i in range(count))
    return PoolSpec(key="large", name="Large", roles=roles)


def writes(program: str) -> Rule:
    return Rule(PROGRAM_WRITER.prompt, reply=f"```python\n{program}\n```")


class HashEmbedder:
    """Deterministic unit vectors, unrelated for unrelated texts: for what needs no meaning."""

    dimension = 384

    async def embed(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        vector = np.random.default_rng(seed).standard_normal(self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@asynccontextmanager
async def context_for(url: str, **changes: Any) -> AsyncIterator[MethodContext]:
    """A context whose client talks to the stub at `url`; nothing is tried twice."""
    model = changes.pop("model", "stub")
    endpoint = EndpointSpec(
        key="stub",
        base_url=url,
        model=model,
        timeout_seconds=10,
        allow_private_address=True,
        parameters=changes.pop("parameters", None),
    )
    values: dict[str, Any] = {"seed": 0, "budget": Budget(), "stream": False, **changes}
    async with OpenAIClient(retry=RetryPolicy(tries=1)) as client:
        yield MethodContext(llm=client, endpoint=endpoint, **values)


async def events_of(method: Method, context: MethodContext, query: str = QUERY) -> list[Event]:
    return [event async for event in method.solve(TaskSpec(query=query), context)]


async def ran(
    method: Method,
    url: str,
    *,
    query: str = QUERY,
    heard: list[Event] | None = None,
    **changes: Any,
) -> list[Event]:
    """What a run at the stub at `url` tells. `heard` keeps what came before an error."""
    events = [] if heard is None else heard
    async with context_for(url, **changes) as context:
        async for event in method.solve(TaskSpec(query=query), context):
            events.append(event)
    return events


async def ran_by(
    method: Method, rules: Sequence[Rule], **changes: Any
) -> tuple[list[Event], list[dict[str, Any]]]:
    """What a run at a stub with these rules tells, and the requests that the stub got."""
    with running_stub(rules=tuple(rules)) as stub:
        return await ran(method, stub.url, **changes), stub.log()["requests"]


def shown(events: list[Event]) -> list[dict[str, Any]]:
    """Events by agent, without times: agents that do not read each other may end in any order."""
    dumped = [event.model_dump(exclude={"at", "seconds"}) for event in events]
    return sorted(dumped, key=lambda event: str(event.get("agent_id", "")))


def kinds(events: list[Event]) -> list[str]:
    return [event.event for event in events]


def only(events: list[Event], kind: str) -> list[Any]:
    return [event for event in events if event.event == kind]


_: type[Embedder] = HashEmbedder
