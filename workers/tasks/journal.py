"""The outgoing events of one attempt: numbered, encoded, waiting for the next write."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from apps.runs.feed import DeltaEntry
from workers.core.events import AgentDelta, AgentFailed, AgentFinished, Event, RunFailed
from workers.core.mas.record import RunRecord
from workers.core.plain_text import dump, encode
from workers.core.specs import PoolSpec
from workers.tasks.outcome import Last, Outcome, RunEnd
from workers.tasks.store import Chunk, Key


@dataclass(slots=True)
class _Text:
    """Streamed text of one agent that is not sent yet. `since` is loop time."""

    offset: int
    since: float
    parts: list[str] = field(default_factory=list)
    length: int = 0


class Journal:
    """Append-only. `append` never waits; the sink takes what has been collected.

    Deltas are not stored. They are collected per agent, and dropped when the agent ends: its
    message has the whole text.
    """

    def __init__(
        self,
        run_id: str,
        attempt: int,
        *,
        endpoint_key: str,
        pool: PoolSpec | None,
        dirty: Callable[[Journal], None],
    ) -> None:
        self.key: Key = (run_id, attempt)
        self.outcome = Outcome(RunRecord(pool), endpoint_key)
        self.ended = False
        self.lost = False
        self.settled: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._dirty = dirty
        self._next_seq = 1
        self._payloads: list[bytes] = []
        self._last_kind = ""
        self._end: RunEnd | None = None
        self._texts: dict[str, _Text] = {}
        self._deltas = 0
        self._refusals = 0

    def append(self, event: Event) -> int:
        """Take the event and return the waiting bytes. No event follows a terminal one."""
        if self.ended or self.lost:
            return 0
        if isinstance(event, AgentDelta):
            self._gather(event)
            self._dirty(self)
            return 0
        self.outcome.take(event)
        if isinstance(event, AgentFinished | AgentFailed):
            self._texts.pop(event.agent_id, None)
        payload = encode(event)
        self._payloads.append(payload)
        self._last_kind = event.event
        if isinstance(event, Last):
            self.ended = True
            self._texts.clear()
            self._end = self.outcome.end(event)
        self._dirty(self)
        return len(payload)

    def take(self) -> Chunk | None:
        """The events that wait to be stored."""
        if not self._payloads or self.lost:
            return None
        payloads, self._payloads = self._payloads, []
        first, self._next_seq = self._next_seq, self._next_seq + len(payloads)
        run_id, attempt = self.key
        return Chunk(run_id, attempt, first, payloads, self._last_kind, self._end)

    def take_deltas(self, *, before: float) -> list[DeltaEntry]:
        """Texts collected since before that loop time."""
        due = [agent for agent, text in self._texts.items() if text.since <= before]
        return [self._delta_entry(agent, self._texts.pop(agent)) for agent in due]

    @property
    def waits(self) -> bool:
        return bool(self._payloads or self._texts)

    def refused(self, chunk: Chunk, instead: RunFailed) -> None:
        """Postgres refused the chunk because of its content. `instead` ends the run in its place.

        If Postgres refuses again, the attempt is given up and the watchdog ends it.
        """
        self._refusals += 1
        if self._refusals > 1:
            self.settle(False)
            return
        self._next_seq = chunk.first_seq
        self.ended, self._end = False, None
        self._payloads.clear()
        self.append(instead)

    @property
    def waiting_bytes(self) -> int:
        return sum(map(len, self._payloads))

    def settle(self, stored: bool) -> None:
        """Whether the terminal event is stored, or this attempt is no longer ours."""
        self.lost = not stored
        self._payloads.clear()
        self._texts.clear()
        if not self.settled.done():
            self.settled.set_result(stored)

    def _gather(self, event: AgentDelta) -> None:
        text = self._texts.get(event.agent_id)
        if text is None or event.offset != text.offset + text.length:
            now = asyncio.get_running_loop().time()
            since = now if text is None else text.since
            text = self._texts[event.agent_id] = _Text(event.offset, since)
        text.parts.append(event.text)
        text.length += len(event.text)

    def _delta_entry(self, agent_id: str, text: _Text) -> DeltaEntry:
        self._deltas += 1
        run_id, attempt = self.key
        data = {
            "run": run_id,
            "attempt": attempt,
            "agent_id": agent_id,
            "text": "".join(text.parts),
            "offset": text.offset,
        }
        return DeltaEntry(run_id, attempt, self._deltas, dump(data))
