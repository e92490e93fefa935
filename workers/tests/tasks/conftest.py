"""Claimed runs in the real Postgres, a store, a sink, and Redis."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from redis import Redis

from apps.llms.models import Endpoint
from apps.runs.lifecycle import run_claim
from apps.runs.models import Run, RunEvent
from apps.training.models import TrainingJob
from workers.core.testing.stub_process import RunningStub
from workers.tasks.core_driver import CoreDriver
from workers.tasks.engine import EngineLoop
from workers.tasks.publisher import Publisher
from workers.tasks.sink import Sink
from workers.tasks.store import Store

WORKER = "tests:1:aa"


@pytest.fixture
def claimed_run(transactional_db: None) -> Callable[..., Run]:
    """A run that `WORKER` holds in its first attempt."""

    def make(**values: Any) -> Run:
        endpoint, _ = Endpoint.objects.get_or_create(
            key="stub", defaults={"name": "Stub", "base_url": "http://127.0.0.1:9/v1", "model": "m"}
        )
        run = Run.objects.create(
            **{
                "method": "direct",
                "endpoint": endpoint,
                "endpoint_key": "stub",
                "endpoint_spec": endpoint.spec().model_dump(mode="json"),
                "query": "1 + 1?",
                **values,
            }
        )
        claimed = run_claim(run_id=run.id, worker=WORKER)
        assert claimed is not None
        return claimed

    return make


@pytest.fixture
async def sink(transactional_db: None) -> AsyncIterator[Sink]:
    sink = Sink(Store(WORKER), Publisher(settings.REDIS_URL))
    sink.start()
    yield sink
    await sink.close()


@pytest.fixture
def redis() -> Redis:
    return Redis.from_url(settings.REDIS_URL)


async def stored(run: Run) -> list[RunEvent]:
    """The run's events in order, once the loop has had a moment."""
    events = RunEvent.objects.filter(run=run).order_by("attempt", "seq")
    found: list[RunEvent] = await in_database(lambda: list(events))
    return found


async def reloaded(run: Run) -> Run:
    found: Run = await in_database(lambda: Run.objects.get(id=run.id))
    return found


async def in_database(work: Callable[[], Any]) -> Any:
    return await sync_to_async(connected, thread_sensitive=False)(work)


def connected(work: Callable[[], Any]) -> Any:
    """For another thread than the test's: its connection ends with its work."""
    try:
        return work()
    finally:
        connection.close()


def in_background(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=connected, args=(work,))
    thread.start()
    return thread


def until(
    job: TrainingJob, condition: Callable[[TrainingJob], bool], seconds: float = 10.0
) -> None:
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        job.refresh_from_db()
        if condition(job):
            return
        pause.wait(0.02)
    raise AssertionError(f"it stayed {job.status} at step {job.step}: {job.failure}")


@asynccontextmanager
async def turning(driver: CoreDriver | None = None) -> AsyncIterator[EngineLoop]:
    """A loop that executes runs."""
    loop = EngineLoop(WORKER, driver)
    task = asyncio.create_task(loop.run(threading.Event()))
    await asyncio.sleep(0)
    yield loop
    await loop.finish()
    await asyncio.wait_for(task, 30)


def default_endpoint(stub: RunningStub, **values: Any) -> Endpoint:
    always = {"key": "stub", "name": "Stub", "model": "stub", "allow_private_address": True}
    return Endpoint.objects.create(base_url=stub.url, is_default=True, **always, **values)


async def soon(condition: Callable[[], Any], seconds: float = 5.0) -> Any:
    """The first true value of `condition`, asked every few milliseconds."""
    async with asyncio.timeout(seconds):
        while not (value := condition()):  # noqa: ASYNC110  what is asked is elsewhere
            await asyncio.sleep(0.01)
        return value
