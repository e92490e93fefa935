"""The engine of a worker process: every run of all its Celery threads on one event loop.

A Celery thread claims a run, submits it and waits. The loop runs in its own thread: it executes
runs, writes their events, and every few seconds sends one sign of life for all of them. The same
statement tells it which runs were taken away and which to cancel. A cancellation also comes through
Redis, at once.

When a worker must stop, it gives its runs back: it stores their events so far, closes the attempt
as lost and queues the run for another worker (`lifecycle.run_give_back`).
"""

import asyncio
import atexit
import gc
import logging
import os
import secrets
import socket
import threading
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import Enum

import psycopg
import uvloop
from django.conf import settings
from django.db import DatabaseError, close_old_connections
from redis import RedisError
from redis.asyncio import Redis

from apps.common.lifelines import lifeline_hold
from apps.runs.feed import CONTROL_CHANNEL, Outage
from apps.runs.lifecycle import runs_recover
from apps.training.lifecycle import trainings_recover
from workers.core.concurrency import cancel_all
from workers.core.errors import Failure, internal_error
from workers.core.events import Event, RunCancelled, RunFailed
from workers.core.run import Cancellation
from workers.core.specs import RunSpec
from workers.tasks.core_driver import CoreDriver
from workers.tasks.journal import Journal
from workers.tasks.publisher import Publisher
from workers.tasks.sink import Sink
from workers.tasks.store import Key, Store

log = logging.getLogger(__name__)

CANCEL_SECONDS = 5.0
"""Seconds after which a cancelled run that has not ended by itself is stopped."""

COLLECT_AFTER = 20_000
STOP_SECONDS = 3.0
RECONNECT_SECONDS = 1.0


class Verdict(Enum):
    """How a run left this worker. ENDED: its terminal event is stored."""

    ENDED = "ended"
    LOST = "lost"
    GIVEN_BACK = "given back"


class EngineStopped(Exception):
    """The worker is shutting down and accepts no more runs."""


@dataclass(frozen=True, slots=True)
class Job:
    run_id: str
    attempt: int
    spec: RunSpec


@dataclass(frozen=True, slots=True)
class Report:
    """A run's end. `played`: (endpoint, role) of every agent that had a turn."""

    verdict: Verdict
    played: frozenset[tuple[str, str]] = frozenset()


@dataclass(slots=True, eq=False)
class _Running:
    job: Job
    journal: Journal
    task: asyncio.Task[None] = field(init=False)
    cancel: Cancellation = field(default_factory=Cancellation)
    verdict: Verdict | None = None

    def leave(self, verdict: Verdict) -> None:
        """Stop at once, without a terminal event."""
        if self.verdict is None:
            self.verdict = verdict
            self.task.cancel()


class Engine:
    """`submit` may be called from any thread once `start` has returned."""

    def __init__(self) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"
        self.stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._lifeline: int | None = None

    def start(self) -> None:
        """Start the loop if it is not running."""
        with self._lock:
            if self._thread is not None:
                return
            ready = threading.Event()
            self._lifeline = lifeline_hold(self.name)
            self._thread = threading.Thread(
                target=self._run_thread, args=(ready,), name="engine", daemon=True
            )
            self._thread.start()
            ready.wait()
            # A loop that still turns while Python takes itself apart crashes the process.
            atexit.register(self.stop)

    def submit(self, job: Job) -> Future[Report]:
        """Execute a claimed run. Raises EngineStopped."""
        if self.stopping or self._loop is None:
            raise EngineStopped
        return asyncio.run_coroutine_threadsafe(self._inner.execute(job), self._loop)

    def give_everything_back(self) -> None:
        """Accept no more runs; leave the running ones. Returns at once; safe in a signal
        handler."""
        self.stopping = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._inner.leave_all)

    def stop(self) -> None:
        """End the loop once its runs have ended."""
        self.give_everything_back()
        with self._lock:
            if self._thread is None or self._loop is None:
                return
            asyncio.run_coroutine_threadsafe(self._inner.finish(), self._loop)
            self._thread.join(STOP_SECONDS + 2)

    def _run_thread(self, ready: threading.Event) -> None:
        collect_rarely()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._main(ready))

    async def _main(self, ready: threading.Event) -> None:
        self._inner = EngineLoop(self.name)
        self._loop = asyncio.get_running_loop()
        try:
            await self._inner.run(ready)
        finally:
            self._loop = None


def collect_rarely() -> None:
    """Make garbage collection cheap. What is loaded at this point stays, so the collector can skip
    it. Events are many small objects that reference counts free, so it need not look after every
    700."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 20)


class EngineLoop:
    """The objects that live on the loop."""

    def __init__(self, name: str, driver: CoreDriver | None = None) -> None:
        self._store = Store(name)
        self._sink = Sink(self._store, Publisher(settings.REDIS_URL))
        self._driver = driver or CoreDriver()
        self._running: dict[Key, _Running] = {}
        self._finished = asyncio.Event()
        self._leaving = False

    async def run(self, ready: threading.Event) -> None:
        self._sink.start()
        chores = [
            asyncio.create_task(chore)
            for chore in (self._heartbeats(), self._control(), self._watchdog())
        ]
        ready.set()
        await self._finished.wait()
        await cancel_all(chores)
        await self._sink.close()
        await self._driver.close()

    async def finish(self) -> None:
        if tasks := [running.task for running in self._running.values()]:
            await asyncio.wait(tasks, timeout=STOP_SECONDS)
        self._finished.set()

    def leave_all(self) -> None:
        self._leaving = True
        for running in list(self._running.values()):
            running.leave(Verdict.GIVEN_BACK)

    async def execute(self, job: Job) -> Report:
        """Returns when the run has ended or no longer belongs to this worker."""
        journal = self._sink.open(
            job.run_id,
            job.attempt,
            endpoint_key=job.spec.endpoint.key,
            pool=job.spec.pool,
        )
        running = _Running(job, journal)
        running.task = asyncio.create_task(self._drive(running))
        self._running[journal.key] = running
        journal.settled.add_done_callback(lambda _: self._settled(running))
        if self._leaving:
            running.leave(Verdict.GIVEN_BACK)
        try:
            verdict = await self._verdict(running)
        finally:
            self._running.pop(journal.key, None)
            self._sink.forget(journal)
        return Report(verdict, frozenset(journal.outcome.played))

    async def _verdict(self, running: _Running) -> Verdict:
        await asyncio.wait([running.task])
        journal = running.journal
        if running.verdict is None and not journal.ended and not journal.lost:
            journal.append(_broken_off(running))
        if running.verdict is Verdict.GIVEN_BACK and not journal.ended:
            await self._sink.flushed(journal)
            return Verdict.LOST if journal.lost else Verdict.GIVEN_BACK
        if running.verdict is Verdict.LOST:
            return Verdict.LOST
        return Verdict.ENDED if await journal.settled else Verdict.LOST

    async def _drive(self, running: _Running) -> None:
        """Execute the run. If it leaves this worker, core closes it without a terminal event."""
        spec, journal = running.job.spec, running.journal
        try:
            told = self._driver.events(running.job.run_id, spec, running.cancel)
            async with aclosing(told) as events:
                async for event in events:
                    if running.verdict is not None:
                        return
                    await self._sink.append(journal, event)
        except Exception as error:
            # A bug must end its run with a cause; it must not leave it running for ever.
            log.exception("run %s stopped with an error", running.job.run_id)
            journal.append(RunFailed(failure=internal_error(error)))

    def _settled(self, running: _Running) -> None:
        if running.journal.lost:
            log.warning("run %s was taken away from this worker", running.job.run_id)
            running.leave(Verdict.LOST)

    # -- what the loop hears

    def _cancel(self, running: _Running, by: str) -> None:
        if running.cancel.is_set():
            return
        running.cancel.request(by)
        asyncio.get_running_loop().call_later(CANCEL_SECONDS, running.task.cancel)

    async def _heartbeats(self) -> None:
        while True:
            await asyncio.sleep(settings.RUN_HEARTBEAT_SECONDS)
            held = {
                key: running for key, running in self._running.items() if running.verdict is None
            }
            if not held:
                continue
            try:
                signs = await self._store.heartbeat([run_id for run_id, _ in held])
            except (psycopg.Error, OSError) as error:
                log.warning("Postgres does not accept heartbeats: %s", error)
                continue
            ours = {sign.key: sign for sign in signs}
            for key, running in held.items():
                if key not in ours:
                    if not running.journal.ended:
                        running.journal.settle(False)
                elif (by := ours[key].cancel_by) is not None:
                    self._cancel(running, by)

    async def _control(self) -> None:
        outage = Outage(log, "Redis is away; cancellations come only with heartbeats")
        while True:
            try:
                async with Redis.from_url(settings.REDIS_URL, protocol=2).pubsub() as channel:
                    await channel.subscribe(CONTROL_CHANNEL)
                    outage.over()
                    async for message in channel.listen():
                        if message["type"] == "message":
                            self._hear(message["data"].decode())
            except (RedisError, OSError) as error:
                outage.goes_on(error)
                await asyncio.sleep(RECONNECT_SECONDS)

    def _hear(self, message: str) -> None:
        run_id, _, by = message.partition(" ")
        for (running_id, _), running in list(self._running.items()):
            if running_id == run_id:
                self._cancel(running, by)

    async def _watchdog(self) -> None:
        """Look for lost runs while every thread is busy. Beat's watchdog, a task like any other,
        then waits."""
        while True:
            await asyncio.sleep(settings.RUN_WATCHDOG_SECONDS)
            try:
                await asyncio.to_thread(_recover)
            except DatabaseError as error:
                log.warning("the watchdog can't look for lost runs: %s", error)


def _recover() -> None:
    close_old_connections()
    try:
        runs_recover()
        trainings_recover()
    finally:
        close_old_connections()


def _broken_off(running: _Running) -> Event:
    if running.cancel.is_set():
        return RunCancelled(by=running.cancel.by)
    return RunFailed(
        failure=Failure(
            code="internal_error",
            message="The run stopped without a result.",
            remedy="Retry the run. The worker's log may name the cause.",
        )
    )


_engine = Engine()


def engine() -> Engine:
    """The engine of this process, started at its first use."""
    _engine.start()
    return _engine


def engine_if_started() -> Engine:
    return _engine
