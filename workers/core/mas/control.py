"""A run that a person leads: where it stops, what a person writes for an agent, and earlier
messages.

Execution stops before an agent at a breakpoint, before every agent while stepping, and before an
agent that a person answers for. The other agents continue. When none is left, `GraphHeld` ends the
attempt, and nothing waits in memory. The next attempt takes over the earlier messages as its events
and continues from there. A fork does the same with events from another run.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter

from workers.core.errors import Failure
from workers.core.events import AgentFailed, AgentFinished, AgentStarted, ToolCalled, ToolReturned
from workers.core.mas.outcome import AgentOutcome
from workers.core.specs import AgentId, AgentNode, RunControl, Usage
from workers.core.tools.person import PERSON_TOOL

AgentEvent = Annotated[
    AgentStarted | ToolCalled | ToolReturned | AgentFinished | AgentFailed,
    Field(discriminator="event"),
]
AGENT_EVENTS = ("agent_started", "tool_called", "tool_returned", "agent_finished", "agent_failed")
"""Kinds of stored events that make up an agent's turn."""

NOBODY_TO_ASK = Failure(
    code="nobody_to_ask",
    message="A person must answer for this agent, but no person can be asked in this run.",
    remedy="Run the graph as a design on one question. The run then waits for a person's answer.",
)
PERSON = "person"
"""The endpoint of an agent that a person answers for."""

_ADAPTER: TypeAdapter[AgentEvent] = TypeAdapter(AgentEvent)


class GraphHeld(Exception):
    """No agent can continue: a person must release `waiting`, or write for those in `asked`."""

    def __init__(self, waiting: Collection[AgentId], asked: Collection[AgentId]) -> None:
        super().__init__(f"held before {', '.join(waiting)}")
        self.waiting = tuple(waiting)
        self.asked = tuple(asked)


@dataclass(frozen=True, slots=True)
class Control:
    """`kept`: the events of each agent whose message is kept, in order."""

    spec: RunControl
    kept: Mapping[AgentId, tuple[AgentEvent, ...]]

    def holds(self, node: AgentNode) -> bool:
        if asks_person(node):
            return node.id not in self.spec.written
        return (self.spec.step or node.id in self.spec.breakpoints) and (
            node.id not in self.spec.released
        )


def control_of(spec: RunControl) -> Control:
    """Raises ValidationError for an event that this version cannot read.

    The kept events are dated as if they had just happened: without the time that the run waited.
    Those of another run happen now.
    """
    now = time.time()
    kept: dict[AgentId, list[AgentEvent]] = {}
    for payload in spec.kept:
        event = _ADAPTER.validate_python(payload)
        at = now if spec.paused_at is None else event.at + now - spec.paused_at
        kept.setdefault(event.agent_id, []).append(event.model_copy(update={"at": at}))
    ended = {
        agent_id: tuple(events)
        for agent_id, events in kept.items()
        if isinstance(events[-1], AgentFinished | AgentFailed)
    }
    return Control(spec, ended)


def kept_usage(control: Control | None) -> Usage:
    """What the kept messages have cost."""
    ends = [events[-1] for events in control.kept.values()] if control else []
    used = [end.usage for end in ends if isinstance(end, AgentFinished | AgentFailed)]
    return sum(used, start=Usage.zero())


def asks_person(node: AgentNode) -> bool:
    return PERSON_TOOL in node.role.tools


def outcome_of(node: AgentNode, events: Iterable[AgentEvent]) -> AgentOutcome:
    """How an agent with kept events ended."""
    *_, last = events
    if isinstance(last, AgentFinished):
        return AgentOutcome(node.id, node.role.name, last.message, last.answer, last.refused)
    assert isinstance(last, AgentFailed)  # noqa: S101  `control_of` keeps no other
    return AgentOutcome(node.id, node.role.name, failure=last.failure)
