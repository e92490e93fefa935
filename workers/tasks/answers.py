"""Keeps answers at temperature 0 in Postgres, for all processes, also later ones.

Memory is asked first. While Postgres is away or slow there is no kept answer: no run waits long and
nothing fails. `used_at` is exact to an hour, so reading writes little.
"""

import asyncio
import logging
import time
from typing import Any

import psycopg

from apps.runs.feed import Outage
from workers.core.llm.cache import MemoryCache, result_from_bytes, result_to_bytes
from workers.core.llm.types import ChatResult
from workers.tasks.store import Reconnecting

log = logging.getLogger(__name__)

WAIT_SECONDS = 2.0
AWAY_SECONDS = 10.0
MAX_BYTES = 1_000_000
"""Of one answer."""


class StoredAnswers:
    """A `ResponseCache` on one event loop, over `memory`, with one connection."""

    def __init__(self, memory: MemoryCache | None = None) -> None:
        self._memory = memory or MemoryCache()
        self._connection = Reconnecting()
        self._turn = asyncio.Lock()
        self._away_until = 0.0
        self._outage = Outage(log, "Postgres keeps no answers now; models are asked again")

    async def get(self, key: str) -> ChatResult | None:
        kept = await self._memory.get(key)
        if kept is not None:
            return kept
        rows = await self._execute(_GET, (key, key))
        try:
            found = result_from_bytes(bytes(rows[0][0])) if rows else None
        except (ValueError, KeyError, TypeError) as error:
            log.warning("a kept answer can't be read; the model is asked again: %s", error)
            return None
        if found is not None:
            await self._memory.put(key, found)
        return found

    async def put(self, key: str, result: ChatResult) -> None:
        await self._memory.put(key, result)
        payload = result_to_bytes(result)
        if len(payload) <= MAX_BYTES:
            await self._execute(_PUT, (key, payload))

    async def close(self) -> None:
        await self._connection.close()

    async def _execute(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """The rows of the answer; none while Postgres is away."""
        if time.monotonic() < self._away_until:
            return []
        try:
            async with asyncio.timeout(WAIT_SECONDS), self._turn:
                answer = await self._connection.execute(statement, values)
                rows = await answer.fetchall() if answer.description else []
        except (psycopg.Error, OSError) as error:  # TimeoutError is an OSError
            self._away_until = time.monotonic() + AWAY_SECONDS
            self._outage.goes_on(error)
            return []
        self._outage.over()
        return rows


_GET = """
WITH used AS (
    UPDATE llms_cachedanswer SET used_at = now()
    WHERE key = %s AND used_at < now() - interval '1 hour'
)
SELECT payload FROM llms_cachedanswer WHERE key = %s
"""

_PUT = """
INSERT INTO llms_cachedanswer (key, payload, created_at, used_at)
VALUES (%s, %s, now(), now()) ON CONFLICT (key) DO NOTHING
"""
