"""Text that agents have written so far, for browsers that join while they write."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
from redis import RedisError
from redis.asyncio import Redis

from apps.runs.feed import DeltaEntry, deltas_stream, entries_of
from apps.runs.selectors import StoredEvent

STARTS_OR_ENDS = {"agent_started": False, "agent_finished": True, "agent_failed": True}


@dataclass(frozen=True, slots=True)
class PartialText:
    """`texts` by agent that still writes; `number` of the last delta in them."""

    texts: dict[str, str] = field(default_factory=dict)
    number: int = 0


async def partial_text(
    redis: Redis, run_id: str, attempt: int, events: Iterable[StoredEvent]
) -> PartialText:
    """Empty if Redis is away or was flushed. The full text then comes when its agent has
    finished."""
    try:
        entries: Any = await redis.xrange(deltas_stream(run_id))
    except (RedisError, OSError):
        return PartialText()
    found = [entry for _, fields in entries for entry in entries_of(fields)]
    deltas = [e for e in found if isinstance(e, DeltaEntry) and e.attempt == attempt]
    return fold(deltas, attempt, events)


def fold(deltas: list[DeltaEntry], attempt: int, events: Iterable[StoredEvent]) -> PartialText:
    if not deltas:
        return PartialText()
    texts: dict[str, str] = {}
    for delta in deltas:
        said = orjson.loads(delta.data)
        before = texts.get(said["agent_id"], "")
        texts[said["agent_id"]] = before[: said["offset"]] + said["text"]
    for agent_id in _finished(attempt, events):
        texts.pop(agent_id, None)
    return PartialText(texts, deltas[-1].number)


def _finished(attempt: int, events: Iterable[StoredEvent]) -> set[str]:
    ended: dict[str, bool] = {}
    for event in events:
        if event.position.attempt == attempt and event.kind in STARTS_OR_ENDS:
            ended[orjson.loads(event.payload)["agent_id"]] = STARTS_OR_ENDS[event.kind]
    return {agent_id for agent_id, has_ended in ended.items() if has_ended}
