"""One browser's view of one run: what it has received and needs next."""

from collections.abc import AsyncIterator
from functools import partial

import orjson

from apps.common.in_thread import in_thread
from apps.common.serializers import Row
from apps.live.frames import (
    Delta,
    Detail,
    Frame,
    MetricFrame,
    RowFrame,
    Trace,
    detail_frame,
    message,
    snapshot_data,
    stored_frame,
)
from apps.live.partial_text import PartialText, partial_text
from apps.live.subscription import Hub
from apps.runs.models import Run
from apps.runs.selectors import Position, StoredEvent, run_events, run_with_endpoint
from workers.core.events import CLOSING_EVENTS, TERMINAL_EVENTS

PAGE_EVENTS = 5_000


class Follower:
    """Makes an unbroken sequence from frames that may be late, repeated or missing.

    Invariant: every event up to `position` was sent, in order, once. A frame that does not follow
    it directly is not sent; the events in between are read from Postgres. Nothing follows `end`.
    """

    def __init__(self, hub: Hub, run_id: str, *, after: Position | None, with_ids: bool) -> None:
        self.ended = False
        self._hub = hub
        self._run_id = run_id
        self._resume = after
        self._with_ids = with_ids
        self._position = after or Position()
        self._last_kind = ""
        self._told: tuple[str, int] | None = None
        self._deltas_seen = (0, 0)

    async def open(self) -> AsyncIterator[bytes]:
        """A snapshot, or after a resume only the missed events."""
        try:
            row = await in_thread(run_with_endpoint, self._run_id)
        except Run.DoesNotExist:
            self.ended = True
            return
        start = self._resume or Position()
        events = await in_thread(partial(run_events, self._run_id, after=start, limit=PAGE_EVENTS))
        text = await self._partial(row, events)
        if self._resume is None:
            yield message(
                b"snapshot", snapshot_data(row, events, text.texts), self._advance(events)
            )
        else:
            yield b"".join(self._trace(stored_frame(self._run_id, event)) for event in events)
            yield b"".join(self._partial_as_deltas(row, text))
        self._resume = None
        if len(events) == PAGE_EVENTS:
            async for chunk in self._catch_up():
                yield chunk
        async for chunk in self._detail(detail_frame(row)):
            yield chunk

    def restart(self) -> None:
        """Forgets what was sent, so that `open` gives a snapshot again."""
        self._resume, self._position, self._last_kind = None, Position(), ""
        self._told, self._deltas_seen = None, (0, 0)

    async def take(self, frame: Frame) -> AsyncIterator[bytes]:
        """The frames that the browser must get because of `frame`; often none."""
        if self.ended:
            return
        if isinstance(frame, RowFrame | MetricFrame):
            raise TypeError(f"a frame of {frame.topic} came to run {self._run_id}")
        if isinstance(frame, Delta):
            if (frame.attempt, frame.number) > self._deltas_seen:
                self._deltas_seen = (frame.attempt, frame.number)
                yield message(b"delta", frame.data)
        elif isinstance(frame, Detail):
            async for chunk in self._detail(frame):
                yield chunk
        elif frame.position > self._position:
            if isinstance(frame, Trace) and self._follows(frame.position):
                yield self._trace(frame)
            else:
                async for chunk in self._catch_up():
                    yield chunk

    def _follows(self, position: Position) -> bool:
        have = self._position
        if position.attempt == have.attempt:
            return position.seq == have.seq + 1
        closed = self._last_kind in CLOSING_EVENTS or have == Position()
        return closed and position == Position(have.attempt + 1, 1)

    async def _catch_up(self) -> AsyncIterator[bytes]:
        while True:
            events = await in_thread(
                partial(run_events, self._run_id, after=self._position, limit=PAGE_EVENTS)
            )
            yield b"".join(self._trace(stored_frame(self._run_id, event)) for event in events)
            if len(events) < PAGE_EVENTS:
                return

    async def _detail(self, detail: Detail) -> AsyncIterator[bytes]:
        """`status`, or `end` after every event that belongs before it."""
        if detail.ended:
            if self._last_kind not in TERMINAL_EVENTS:
                async for chunk in self._catch_up():
                    yield chunk
            self.ended = True
            yield message(b"end", detail.data)
        elif self._told != (detail.status, detail.attempt):
            first, self._told = self._told is None, (detail.status, detail.attempt)
            if not first:
                yield message(b"status", detail.data)

    async def _partial(self, row: Row, events: list[StoredEvent]) -> PartialText:
        if row["status"] != Run.Status.RUNNING:
            return PartialText()
        text = await partial_text(self._hub.redis, self._run_id, row["attempt"], events)
        self._deltas_seen = (row["attempt"], text.number)
        return text

    def _partial_as_deltas(self, row: Row, text: PartialText) -> list[bytes]:
        """After a resume, deltas were missed, too: sends each agent's text so far, from its
        beginning."""
        head = {"run": self._run_id, "attempt": row["attempt"]}
        return [
            message(b"delta", orjson.dumps({**head, "agent_id": a, "text": said, "offset": 0}))
            for a, said in text.texts.items()
        ]

    def _trace(self, frame: Trace) -> bytes:
        self._position, self._last_kind = frame.position, frame.kind
        return message(b"trace", frame.data, self._id())

    def _advance(self, events: list[StoredEvent]) -> bytes:
        if events:
            self._position, self._last_kind = events[-1].position, events[-1].kind
        return self._id() if events else b""

    def _id(self) -> bytes:
        return str(self._position).encode() if self._with_ids else b""
