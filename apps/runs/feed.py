"""Entries of the Redis streams while runs are in progress, and publishing them.

Stream `live` (capped) informs every web process about every run. Stream `run:{id}` keeps the text
deltas of one run for browsers that join late. Channel `control` informs every worker about a
cancellation. Redis is never the truth: an entry follows the commit in Postgres, and a lost entry is
read from there.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.conf import settings
from redis import Redis, RedisError
from redis.typing import EncodableT, FieldT

log = logging.getLogger(__name__)

LIVE_STREAM = "live"
LIVE_MAX_ENTRIES = 10_000
CONTROL_CHANNEL = "control"
DELTAS_MAX_ENTRIES = 20_000
DELTAS_SECONDS_RUNNING = 24 * 3600
DELTAS_SECONDS_ENDED = 3600
INLINE_MAX_BYTES = 64 * 1024
"""Larger events are announced without their payload; readers get it from Postgres."""


def deltas_stream(run_id: str) -> str:
    return f"run:{run_id}"


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """Consecutive stored events of one attempt. `payloads` is empty when they are too large.

    `last_kind` is the kind of the last event, which is the only place for an end.
    """

    run_id: str
    attempt: int
    first_seq: int
    last_seq: int
    last_kind: str
    payloads: tuple[bytes, ...]

    def encoded(self) -> bytes:
        head = (
            f"trace {self.run_id} {self.attempt} {self.first_seq} {self.last_seq} {self.last_kind}"
        )
        return b"\n".join((head.encode(), *self.payloads))


@dataclass(frozen=True, slots=True)
class DeltaEntry:
    """Text that an agent wrote. `number` counts a run's delta entries within one attempt; `data`
    is the JSON `{run, attempt, agent_id, text, offset}` as browsers get it."""

    run_id: str
    attempt: int
    number: int
    data: bytes

    def encoded(self) -> bytes:
        head = f"delta {self.run_id} {self.attempt} {self.number}"
        return b"%b\n%b" % (head.encode(), self.data)


@dataclass(frozen=True, slots=True)
class StatusEntry:
    """The run's status changed: read it again."""

    run_id: str

    def encoded(self) -> bytes:
        return b"status " + self.run_id.encode()


Entry = TraceEntry | DeltaEntry | StatusEntry
Fields = dict[FieldT, EncodableT]


def fields_of(entries: Iterable[Entry]) -> Fields:
    """Joins many entries to one message of a stream, because each message costs time. The first
    line of each entry says what it is. JSON has no line breaks, so the rest splits at them."""
    return {number: entry.encoded() for number, entry in enumerate(entries)}


def trace_entry(
    run_id: str, attempt: int, first_seq: int, payloads: Sequence[bytes], last_kind: str
) -> TraceEntry:
    inline = sum(map(len, payloads)) <= INLINE_MAX_BYTES
    return TraceEntry(
        run_id=run_id,
        attempt=attempt,
        first_seq=first_seq,
        last_seq=first_seq + len(payloads) - 1,
        last_kind=last_kind,
        payloads=tuple(payloads) if inline else (),
    )


def entries_of(fields: Mapping[bytes, bytes]) -> list[Entry]:
    """The entries of a stream's message. Raises ValueError for a message that is not ours."""
    return [_decode(body) for body in fields.values()]


def _decode(body: bytes) -> Entry:
    head, *payloads = body.split(b"\n")
    kind, run_id, *numbers = head.decode().split(" ")
    if kind == "status":
        return StatusEntry(run_id)
    if kind == "delta":
        return DeltaEntry(run_id, int(numbers[0]), int(numbers[1]), payloads[0])
    if kind != "trace":
        raise ValueError(f"unknown kind of entry: {kind!r}")
    attempt, first, last, last_kind = numbers
    return TraceEntry(run_id, int(attempt), int(first), int(last), last_kind, tuple(payloads))


def publish(*entries: TraceEntry | StatusEntry) -> None:
    """Informs the web processes. Best effort: they also look into Postgres themselves."""
    try:
        _redis().xadd(LIVE_STREAM, fields_of(entries), maxlen=LIVE_MAX_ENTRIES, approximate=True)
    except RedisError as error:
        log.warning("Redis does not take live events (%s); browsers get them by polling", error)


def publish_cancel(run_id: UUID, by: str) -> None:
    """Informs the workers at once. Best effort: they also see it at their next heartbeat."""
    try:
        _redis().publish(CONTROL_CHANNEL, f"{run_id} {by}")
    except RedisError as error:
        log.warning("Redis does not take the cancellation of %s (%s)", run_id, error)


class Outage:
    """Logs the beginning and the end of an outage, not each failed try."""

    def __init__(self, logger: logging.Logger, what: str) -> None:
        self._logger = logger
        self._what = what
        self._lasts = False

    def goes_on(self, error: Exception) -> None:
        if not self._lasts:
            self._lasts = True
            self._logger.warning("%s: %s", self._what, error)

    def over(self) -> None:
        if self._lasts:
            self._lasts = False
            self._logger.info("over: %s", self._what)


@lru_cache(maxsize=1)
def _redis() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
