"""The most that a training may have spent. It is stored in Postgres before the calls leave.

A killed worker can't report what its open calls spent. So the next attempt counts from what was
promised. Calls that leave together share one write.
"""

import asyncio
import logging
from collections.abc import Callable
from uuid import UUID

import psycopg

from apps.runs.feed import Outage
from apps.training.lifecycle import Fenced
from workers.core.llm.spending import Most
from workers.tasks.store import Reconnecting

log = logging.getLogger(__name__)

AWAY_SECONDS = 1.0


class Promises:
    """A `Promise` of one attempt, on one event loop, over a separate connection.

    It waits while Postgres is away, like the whole training. Raises Fenced; no call leaves after
    that.
    """

    def __init__(self, job_id: UUID, attempt: int) -> None:
        self._job = (job_id, attempt)
        self._connection = Reconnecting()
        self._turn = asyncio.Lock()
        self._asked = self._stored = 0
        self._outage = Outage(log, "Postgres is away; the training's calls wait")

    async def __call__(self, most: Callable[[], Most]) -> None:
        self._asked += 1
        mine = self._asked
        async with self._turn:
            if self._stored >= mine:  # a write that began after this was asked for
                return
            asked = self._asked
            await self._write(*most())
            self._stored = asked

    async def close(self) -> None:
        await self._connection.close()

    async def _write(self, tokens: int, cost: float) -> None:
        while True:
            try:
                told = await self._connection.execute(_PROMISE, (tokens, cost, *self._job))
                break
            except (psycopg.OperationalError, OSError) as error:
                self._outage.goes_on(error)
                await asyncio.sleep(AWAY_SECONDS)
        self._outage.over()
        if not told.rowcount:
            raise Fenced


_PROMISE = """
UPDATE training_trainingjob SET promised_tokens = %s, promised_cost = %s
WHERE id = %s AND attempt = %s AND status IN ('running', 'pausing')
"""
