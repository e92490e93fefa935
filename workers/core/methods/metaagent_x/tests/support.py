"""Designers and agents that follow a script, told apart by what they are asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from workers.core.events import AgentStarted, Event
from workers.core.llm.types import ChatRequest
from workers.core.mas.tests.support import Script, ScriptedClient, collect, context
from workers.core.methods.metaagent_x.method import MetaAgentX
from workers.core.specs import TaskSpec

E = TypeVar("E", bound=Event)
Say = str | Callable[[ChatRequest], Any]

NAMES = "agent, conditional, debate, deliver, ensemble, graph, loop, question, reflection, router"
TASK = TaskSpec(query="What is 6 times 7?", reference="42", verifier="numeric")
ALONE = 'deliver(agent("Solver", "Solve it."))'


def script(*lines: str) -> str:
    return "\n".join((f"from workflow import {NAMES}, sequence", *lines))


def fenced(*lines: str) -> str:
    return f"Here is the team.\n```python\n{script(*lines)}\n```"


def asked_of(request: ChatRequest) -> str:
    return "\n".join(message.content for message in request.messages)


def plays(designs: Sequence[str], **says: Say) -> Script:
    """The designer's replies in order, the last again and again; an agent's by the first line of
    its prompt (“Solve it.” is `solve`), else “Answer: 42”."""
    left = list(designs)

    def said(request: ChatRequest) -> Any:
        if "You design a team" in request.messages[0].content:
            return left.pop(0) if len(left) > 1 else left[0]
        word = asked_of(request).split()[0].strip(".").casefold()
        reply = says.get(word, "Answer: 42")
        return reply(request) if callable(reply) else reply

    return said


async def solved(
    told: Script | ScriptedClient,
    *,
    task: TaskSpec = TASK,
    config: Mapping[str, Any] | None = None,
    into: list[Event] | None = None,
    **fields: Any,
) -> list[Event]:
    client = told if isinstance(told, ScriptedClient) else ScriptedClient(told)
    asked = context(client, config=dict(config or {}), **fields)
    return await collect(MetaAgentX().solve(task, asked), into)


def of(events: Iterable[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def prompts(events: Iterable[Event]) -> dict[str, str]:
    """What each agent was asked."""
    return {
        event.agent_id: "\n".join(message["content"] for message in event.prompt)
        for event in of(events, AgentStarted)
    }
