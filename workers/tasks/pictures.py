"""Keeps pictures of pages that agents saw, in Postgres: they are deleted with their run, and are in
every backup.

While Postgres is away or slow no picture is kept: no run waits long and nothing fails.
"""

import asyncio
import logging
from hashlib import sha256
from uuid import UUID, uuid5

import psycopg

from apps.runs.feed import Outage
from workers.core.tools.pictures import PICTURES_MAX
from workers.tasks.store import Reconnecting

log = logging.getLogger(__name__)

WAIT_SECONDS = 2.0


class PictureStore:
    """For all runs of one event loop, by one connection."""

    def __init__(self) -> None:
        self._connection = Reconnecting()
        self._turn = asyncio.Lock()
        self._outage = Outage(log, "Postgres keeps no pictures of pages now; runs go on")

    def of_run(self, run_id: str) -> "RunPictures":
        return RunPictures(self, UUID(run_id))

    async def put(self, picture: UUID, run: UUID, jpeg: bytes) -> bool:
        """False while Postgres is away. A run that has ended elsewhere gets none."""
        try:
            async with asyncio.timeout(WAIT_SECONDS), self._turn:
                await self._connection.execute(_PUT, (picture, jpeg, run))
        except (psycopg.Error, OSError) as error:  # TimeoutError is an OSError
            self._outage.goes_on(error)
            return False
        self._outage.over()
        return True

    async def close(self) -> None:
        await self._connection.close()


class RunPictures:
    """`Pictures` of one attempt at a run."""

    def __init__(self, store: PictureStore, run: UUID) -> None:
        self._store, self._run = store, run
        self._kept: set[UUID] = set()

    @property
    def wanted(self) -> bool:
        return len(self._kept) < PICTURES_MAX

    async def keep(self, jpeg: bytes) -> UUID | None:
        picture = uuid5(self._run, sha256(jpeg).hexdigest())
        if picture in self._kept or await self._store.put(picture, self._run, jpeg):
            self._kept.add(picture)
            return picture
        return None


_PUT = """
INSERT INTO runs_runpicture (id, run_id, jpeg)
SELECT %s, id, %s FROM runs_run WHERE id = %s AND status = 'running'
ON CONFLICT (id) DO NOTHING
"""
