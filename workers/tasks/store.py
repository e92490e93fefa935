"""Writes events, ends and heartbeats to Postgres, many runs in one statement.

Every write is fenced by `(run, attempt, status = 'running')`. The row is locked, so no process can
take the run away between the check and the write, and a worker given up for dead writes nothing.
Events are sent as the JSON text they already are; Postgres splits them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings
from psycopg.types.json import Jsonb

from workers.tasks.outcome import RunEnd

Key = tuple[str, int]
"""Run id and attempt."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive events of one attempt. `end` is set if the last of them ends it."""

    run_id: str
    attempt: int
    first_seq: int
    payloads: list[bytes]
    last_kind: str
    end: RunEnd | None = None

    @property
    def key(self) -> Key:
        return self.run_id, self.attempt

    def encoded(self) -> bytes:
        end = b',"e":%b,"g":%b' % (self.end.row, self.end.agents) if self.end else b""
        return b'{"r":"%b","a":%d,"s":%d,"p":[%b]%b}' % (
            self.run_id.encode(),
            self.attempt,
            self.first_seq,
            b",".join(self.payloads),
            end,
        )


@dataclass(frozen=True, slots=True)
class Sign:
    """A run that is still ours. `cancel_by` is who asked to cancel it, or None."""

    key: Key
    cancel_by: str | None


class Store:
    """Two connections of one worker, so events and heartbeats do not wait for each other.

    Raises psycopg.OperationalError while Postgres is away. The next call connects again.
    """

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._events, self._heartbeats = Reconnecting(), Reconnecting()

    async def write(self, chunks: Sequence[Chunk]) -> frozenset[Key]:
        """Store all chunks in one transaction. Return those whose attempt is still valid.

        Safe to repeat if the answer to a commit was lost: nothing is stored twice, and an attempt
        whose end was stored still counts as valid.
        """
        body = b"[%b]" % b",".join(chunk.encoded() for chunk in chunks)
        written = await self._events.execute(_WRITE, (Jsonb(body, dumps=bytes),))
        rows = await written.fetchall()
        return frozenset((str(run_id), attempt) for run_id, attempt, stands in rows if stands)

    async def heartbeat(self, run_ids: Sequence[str]) -> list[Sign]:
        """A sign of life for all runs of this worker in one statement."""
        ours = await self._heartbeats.execute(_HEARTBEAT, (list(run_ids), self._worker))
        return [Sign((str(run_id), attempt), by) for run_id, attempt, by in await ours.fetchall()]

    async def close(self) -> None:
        await self._events.close()
        await self._heartbeats.close()


class Reconnecting:
    """One connection to Postgres on one event loop. It connects at its first use, and again after
    an outage."""

    def __init__(self) -> None:
        self._connection: psycopg.AsyncConnection[Any] | None = None

    async def execute(self, statement: str, values: tuple[Any, ...]) -> psycopg.AsyncCursor[Any]:
        """Raises psycopg.OperationalError while Postgres is away."""
        connection = self._connection
        if connection is None or connection.closed or connection.broken:
            connection = self._connection = await connect()
        return await connection.execute(statement, values, prepare=True)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


async def connect() -> psycopg.AsyncConnection[Any]:
    """Connect to the studio's database with autocommit. Raises psycopg.OperationalError."""
    database = settings.DATABASES["default"]
    options = {name: value for name, value in database["OPTIONS"].items() if name != "pool"}
    return await psycopg.AsyncConnection.connect(
        dbname=database["NAME"],
        user=database["USER"] or None,
        password=database["PASSWORD"] or None,
        host=database["HOST"] or None,
        port=database["PORT"] or None,
        autocommit=True,
        **{"connect_timeout": 5, "application_name": "studio-worker", **options},
    )


_WRITE = """
WITH input AS (
    SELECT * FROM jsonb_to_recordset(%s) AS i(r uuid, a int, s int, p jsonb, e jsonb, g jsonb)
), alive AS (
    SELECT input.* FROM input JOIN runs_run run ON run.id = input.r AND run.attempt = input.a
    WHERE run.status = 'running' ORDER BY run.id FOR NO KEY UPDATE OF run
), stored AS (
    INSERT INTO runs_runevent (run_id, attempt, seq, kind, payload, at)
    SELECT alive.r, alive.a, alive.s + event.place - 1, event.value->>'event', event.value,
           to_timestamp((event.value->>'at')::float8)
    FROM alive, jsonb_array_elements(alive.p) WITH ORDINALITY AS event(value, place)
    ON CONFLICT (run_id, attempt, seq) DO NOTHING
), agents AS (
    INSERT INTO runs_runagent (run_id, agent_id, role_key, role_name, family, endpoint_key,
                               outcome, prompt_tokens, completion_tokens, cost, seconds, cached)
    SELECT alive.r, agent.* FROM alive, jsonb_to_recordset(alive.g) AS agent(
        agent_id text, role_key text, role_name text, family text, endpoint_key text, outcome text,
        prompt_tokens bigint, completion_tokens bigint, cost float8, seconds float8, cached bool)
    ON CONFLICT (run_id, agent_id) DO NOTHING
), ended AS (
    UPDATE runs_run run SET status = x.status, answer = x.answer, message = x.message,
        correct = x.correct, reward = x.reward,
        failure = x.failure, graph = x.graph, agent_count = x.agent_count,
        prompt_tokens = x.prompt_tokens, completion_tokens = x.completion_tokens, cost = x.cost,
        seconds = x.seconds, replies = x.replies, cut_replies = x.cut_replies,
        cut_agents = x.cut_agents, final_cut = x.final_cut,
        finished_at = CASE WHEN x.status = 'waiting' THEN NULL ELSE clock_timestamp() END
    FROM alive, jsonb_to_record(alive.e) AS x(
        status text, answer text, message text, failure jsonb, graph jsonb, agent_count int,
        prompt_tokens bigint, completion_tokens bigint, cost float8, seconds float8,
        correct bool, reward float8, replies int, cut_replies int, cut_agents jsonb, final_cut bool)
    WHERE run.id = alive.r AND alive.e IS NOT NULL
)
SELECT input.r, input.a, CASE WHEN alive.r IS NOT NULL THEN true ELSE EXISTS (
    SELECT 1 FROM runs_runevent earlier WHERE input.e IS NOT NULL AND earlier.run_id = input.r
    AND earlier.attempt = input.a AND earlier.seq = input.s + jsonb_array_length(input.p) - 1
    AND earlier.kind = input.p->-1->>'event') END
FROM input LEFT JOIN alive ON alive.r = input.r AND alive.a = input.a
"""

_HEARTBEAT = """
WITH mine AS (
    SELECT id FROM runs_run WHERE id = ANY(%s::uuid[]) AND worker = %s AND status = 'running'
    ORDER BY id FOR NO KEY UPDATE
)
UPDATE runs_run run SET heartbeat_at = clock_timestamp() FROM mine WHERE run.id = mine.id
RETURNING run.id, run.attempt,
    CASE WHEN run.cancel_requested_at IS NULL THEN NULL ELSE run.cancel_requested_by END
"""
