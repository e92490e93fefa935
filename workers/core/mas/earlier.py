"""What an attempt takes over from a lost one: its stored events, and what its tools found."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from workers.core.events import EVENT_ADAPTER, Event, RunTakenUp, Settles, ToolCalled, ToolReturned
from workers.core.specs import AttemptSpent, Earlier
from workers.core.tools.base import ToolResult
from workers.core.tools.run_tool import Before, call_key
from workers.core.tools.seen import again


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The lost attempt's events without its `run_started`, the seconds that they took, and what is
    `told` after them."""

    events: tuple[Event, ...] = ()
    seconds: float = 0.0
    told: tuple[RunTakenUp, ...] = ()


def taken_over(earlier: Earlier) -> TakenOver:
    """The events are dated as if they had just happened: without the time until another worker took
    the run. Raises ValidationError for one that this version cannot read."""
    began, *events = (EVENT_ADAPTER.validate_python(payload) for payload in earlier.events)
    ended = events[-1].at
    later = time.time() - ended
    moved = tuple(event.model_copy(update={"at": event.at + later}) for event in events)
    parts = sum(isinstance(event, Settles) for event in events)
    told = RunTakenUp(attempt=earlier.attempt, events=len(events), parts=parts)
    return TakenOver(moved, max(ended - began.at, 0.0), (told,))


def tools_before(events: Iterable[Event], spent: AttemptSpent) -> Before:
    """`events`: what is taken over. A failed call may succeed the next time, so it is not kept."""
    asked: dict[tuple[str, str], str] = {}
    found: dict[str, ToolResult] = {}
    for event in events:
        if isinstance(event, ToolCalled):
            key = call_key(event.tool, event.arguments)
            asked[event.agent_id, event.call_id] = key
        elif isinstance(event, ToolReturned) and event.ok:
            found.setdefault(asked.get((event.agent_id, event.call_id), ""), _again(event))
    return Before(spent.tools, found)


def _again(event: ToolReturned) -> ToolResult:
    told = ToolResult(True, event.output, foreign=True, sources=event.sources, cut=event.cut)
    return replace(told, note=again(2, "asked this"), cached=True, picture=event.picture)
