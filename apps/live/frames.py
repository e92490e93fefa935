"""Frames of the event stream: what a browser receives, encoded once for all that watch.

A frame's `topic` is the id of the thing it describes.
"""

from dataclasses import dataclass

import orjson

from apps.common.renderers import encoded
from apps.common.serializers import Row
from apps.runs.api.serializers import RunSerializer
from apps.runs.feed import DeltaEntry, TraceEntry
from apps.runs.models import TERMINAL
from apps.runs.selectors import Position, StoredEvent, event_envelope

RETRY = b"retry: 1000\n\n"
HEARTBEAT = b": heartbeat\n\n"


@dataclass(frozen=True, slots=True)
class Trace:
    """One stored event. `data` is `{run, attempt, seq, id, event}`."""

    topic: str
    position: Position
    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Seen:
    """Postgres has events up to `position`; a browser that is not there yet reads them."""

    topic: str
    position: Position


@dataclass(frozen=True, slots=True)
class Delta:
    """Streamed text; `number` counts within an attempt."""

    topic: str
    attempt: int
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Detail:
    """The run as it is now. `data` is `{run, detail}`."""

    topic: str
    status: str
    attempt: int
    data: bytes

    @property
    def ended(self) -> bool:
        return self.status in TERMINAL


@dataclass(frozen=True, slots=True)
class RowFrame:
    """A training or an evaluation as it is now. `data` is its row in the API's form."""

    topic: str
    token: str
    ended: bool
    data: bytes


@dataclass(frozen=True, slots=True)
class MetricFrame:
    """A training's step. `data` is `{job, step, at, values}`; if empty, the browser's view reads
    it."""

    topic: str
    step: int
    data: bytes


Frame = Trace | Seen | Delta | Detail | RowFrame | MetricFrame


def message(event: bytes, data: bytes, identity: bytes = b"") -> bytes:
    """One server-sent event. JSON has no line break, so one `data:` line carries it."""
    head = b"id: %b\n" % identity if identity else b""
    return b"%bevent: %b\ndata: %b\n\n" % (head, event, data)


def trace_frames(entry: TraceEntry) -> list[Frame]:
    if not entry.payloads:
        return [Seen(entry.run_id, Position(entry.attempt, entry.last_seq))]
    last = len(entry.payloads) - 1
    return [
        _trace(
            entry.run_id,
            Position(entry.attempt, entry.first_seq + index),
            entry.last_kind if index == last else "",
            payload,
        )
        for index, payload in enumerate(entry.payloads)
    ]


def stored_frame(run_id: str, event: StoredEvent) -> Trace:
    return _trace(run_id, event.position, event.kind, event.payload)


def delta_frame(entry: DeltaEntry) -> Delta:
    return Delta(entry.run_id, entry.attempt, entry.number, entry.data)


def detail_frame(row: Row) -> Detail:
    run_id = str(row["id"])
    data = b'{"run":"%b","detail":%b}' % (run_id.encode(), detail_json(row))
    return Detail(run_id, row["status"], row["attempt"], data)


def detail_json(row: Row) -> bytes:
    return encoded(RunSerializer(row).data)


def snapshot_data(row: Row, events: list[StoredEvent], partial: dict[str, str]) -> bytes:
    """`{run, detail, events, partial}`."""
    return b'{"run":"%b","detail":%b,"events":[%b],"partial":%b}' % (
        str(row["id"]).encode(),
        detail_json(row),
        b",".join(event.envelope() for event in events),
        orjson.dumps(partial),
    )


def _trace(run_id: str, position: Position, kind: str, payload: bytes) -> Trace:
    envelope = event_envelope(position, payload)
    return Trace(run_id, position, kind, b'{"run":"%b",%b' % (run_id.encode(), envelope[1:]))
