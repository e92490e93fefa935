"""What travels through Redis while runs live: the entries of its streams, and publishing them.

Stream `live` (capped) tells every web process of every run; stream `run:{id}` keeps the text deltas
of one run for those who come late; channel `control` tells every worker of a cancellation. Redis is
never the truth: an entry follows the commit in Postgres, and a lost one is read from there.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
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
"""Larger events are announced without their payload; whoever wants them reads Postgres."""

Fields = dict[FieldT, EncodableT]


def deltas_stream(run_id: str) -> str:
    return f"run:{run_id}"


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """Consecutive stored events of one attempt; `payloads` is empty when they are too large.

    `last_kind` is the kind of the last of them: an end can only be there.
    """

    run_id: str
    attempt: int
    first_seq: int
    last_seq: int
    last_kind: str
    payloads: tuple[bytes, ...]

    def fields(self) -> Fields:
        return {
            b"k": b"trace",
            b"r": self.run_id.encode(),
            b"a": self.attempt,
            b"s": self.first_seq,
            b"t": self.last_seq,
            b"e": self.last_kind.encode(),
            b"p": b"\n".join(self.payloads),
        }


@dataclass(frozen=True, slots=True)
class DeltaEntry:
    """Text that an agent wrote. `number` counts a run's delta entries within one attempt; `data`
    is the JSON `{run, attempt, agent_id, text, offset}` as browsers get it."""

    run_id: str
    attempt: int
    number: int
    data: bytes

    def fields(self) -> Fields:
        return {
            b"k": b"delta",
            b"r": self.run_id.encode(),
            b"a": self.attempt,
            b"n": self.number,
            b"p": self.data,
        }


@dataclass(frozen=True, slots=True)
class StatusEntry:
    """The run's status changed: read it anew."""

    run_id: str

    def fields(self) -> Fields:
        return {b"k": b"status", b"r": self.run_id.encode()}


Entry = TraceEntry | DeltaEntry | StatusEntry


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


def decode(fields: Mapping[bytes, bytes]) -> Entry:
    """The entry behind a stream's fields. KeyError or ValueError: it is not one of ours."""
    run_id = fields[b"r"].decode()
    kind = fields[b"k"]
    if kind == b"status":
        return StatusEntry(run_id)
    attempt = int(fields[b"a"])
    if kind == b"delta":
        return DeltaEntry(run_id, attempt, int(fields[b"n"]), fields[b"p"])
    if kind != b"trace":
        raise ValueError(f"unknown kind of entry: {kind!r}")
    body = fields[b"p"]
    return TraceEntry(
        run_id,
        attempt,
        int(fields[b"s"]),
        int(fields[b"t"]),
        fields[b"e"].decode(),
        tuple(body.split(b"\n")) if body else (),
    )


def publish(*entries: TraceEntry | StatusEntry) -> None:
    """Tell the web processes. Best effort: they also look into Postgres by themselves."""
    try:
        pipeline = _redis().pipeline(transaction=False)
        for entry in entries:
            pipeline.xadd(LIVE_STREAM, entry.fields(), maxlen=LIVE_MAX_ENTRIES, approximate=True)
        pipeline.execute()
    except RedisError as error:
        log.warning("Redis does not take live events (%s); browsers get them by polling", error)


def publish_cancel(run_id: UUID, by: str) -> None:
    """Tell the workers at once. Best effort: their next heartbeat tells them too."""
    try:
        _redis().publish(CONTROL_CHANNEL, f"{run_id} {by}")
    except RedisError as error:
        log.warning("Redis does not take the cancellation of %s (%s)", run_id, error)


class Outage:
    """Logs the beginning and the end of an outage, not each try in between."""

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
