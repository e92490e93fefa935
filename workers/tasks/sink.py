"""Sends a worker's events out: in batches to Postgres, then announced in Redis.

Every few milliseconds one loop per worker takes the collected events of all runs and writes them in
one statement. So a run waits for storage only at its end. Events that Postgres has not taken are
kept and tried again. If it refuses an event for good, only that run fails.
"""

import asyncio
import logging
from itertools import count

import psycopg

from apps.runs.feed import DeltaEntry, TraceEntry, trace_entry
from workers.core.concurrency import cancel_all
from workers.core.errors import Failure
from workers.core.events import Event, RunFailed
from workers.core.specs import PoolSpec
from workers.tasks.journal import Journal
from workers.tasks.publisher import Publisher
from workers.tasks.store import Chunk, Key, Store

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.015
DELTA_SECONDS = 0.06
RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0)
MAX_WAITING_BYTES = 64 * 1024 * 1024


class Sink:
    """For one event loop: `open` a journal per attempt, `append` to it, await `settled`."""

    def __init__(self, store: Store, publisher: Publisher) -> None:
        self._store = store
        self._publisher = publisher
        self._journals: dict[Key, Journal] = {}
        self._dirty: dict[Key, Journal] = {}
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._bytes = 0
        self._task: asyncio.Task[None] | None = None
        self._flushed = asyncio.Condition()

    def start(self) -> None:
        self._publisher.start()
        self._task = asyncio.create_task(self._run())

    def open(
        self, run_id: str, attempt: int, *, endpoint_key: str, pool: PoolSpec | None = None
    ) -> Journal:
        journal = Journal(run_id, attempt, endpoint_key=endpoint_key, pool=pool, dirty=self._mark)
        self._journals[journal.key] = journal
        return journal

    def forget(self, journal: Journal) -> None:
        self._journals.pop(journal.key, None)
        self._dirty.pop(journal.key, None)

    async def append(self, journal: Journal, event: Event) -> None:
        """Waits only if Postgres has been away so long that memory would run out."""
        self._bytes += journal.append(event)
        if self._bytes > MAX_WAITING_BYTES:
            self._room.clear()
            await self._room.wait()

    async def flushed(self, journal: Journal) -> None:
        """Returns once no event of this journal waits to be stored."""
        async with self._flushed:
            await self._flushed.wait_for(lambda: journal.lost or journal.key not in self._dirty)

    async def close(self) -> None:
        if self._task:
            await cancel_all([self._task])
        await self._publisher.close()
        await self._store.close()

    def _mark(self, journal: Journal) -> None:
        self._dirty[journal.key] = journal
        self._news.set()

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(FLUSH_SECONDS)
            self._news.clear()
            await self._flush()

    async def _flush(self) -> None:
        journals = list(self._dirty.values())
        chunks = [chunk for journal in journals if (chunk := journal.take())]
        stored = await self._write(chunks) if chunks else []
        self._publish(stored, journals)
        async with self._flushed:
            for journal in journals:
                if not journal.waits:
                    self._dirty.pop(journal.key, None)
            self._flushed.notify_all()
        self._bytes = sum(journal.waiting_bytes for journal in self._dirty.values())
        if self._bytes < MAX_WAITING_BYTES // 2:
            self._room.set()
        if self._dirty:
            self._news.set()

    async def _write(self, chunks: list[Chunk]) -> list[Chunk]:
        """Return the stored chunks. Journals of the others are settled or told."""
        for tries in count():
            try:
                standing = await self._store.write(chunks)
                break
            except (psycopg.OperationalError, psycopg.InterfaceError, OSError) as error:
                wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
                log.warning("events wait for Postgres; next try in %s s: %s", wait, error)
                await asyncio.sleep(wait)
            except psycopg.Error as error:
                return await self._refused(chunks, error)
        return self._settle(chunks, standing)

    async def _refused(self, chunks: list[Chunk], error: psycopg.Error) -> list[Chunk]:
        """Something in the batch can't be stored. Find its run and fail only that one."""
        if len(chunks) > 1:
            return [stored for chunk in chunks for stored in await self._write([chunk])]
        log.error("Postgres refuses events of run %s: %s", chunks[0].run_id, error)
        journal = self._journals.get(chunks[0].key)
        if journal is not None:
            journal.refused(chunks[0], RunFailed(failure=_unstorable(error)))
        return []

    def _settle(self, chunks: list[Chunk], standing: frozenset[Key]) -> list[Chunk]:
        for chunk in chunks:
            journal = self._journals.get(chunk.key)
            if journal is None:
                continue
            if chunk.key not in standing:
                journal.settle(False)
            elif chunk.end is not None:
                journal.settle(True)
        return [chunk for chunk in chunks if chunk.key in standing]

    def _publish(self, chunks: list[Chunk], journals: list[Journal]) -> None:
        entries: list[TraceEntry | DeltaEntry] = [
            trace_entry(c.run_id, c.attempt, c.first_seq, c.payloads, c.last_kind) for c in chunks
        ]
        due = asyncio.get_running_loop().time() - DELTA_SECONDS
        for journal in journals:
            entries += journal.take_deltas(before=due)
        if entries:
            self._publisher.put(entries)


def _unstorable(error: psycopg.Error) -> Failure:
    return Failure(
        code="unstorable_event",
        message=f"An event of this run could not be stored: {str(error).splitlines()[0]}",
        remedy="Retry the run. If it fails again, see the worker's log.",
    )
