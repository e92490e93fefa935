"""Claimed runs in the real Postgres, a store, a sink, and Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from redis import Redis

from apps.llms.models import Endpoint
from apps.runs.lifecycle import run_claim
from apps.runs.models import Run, RunEvent
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

    def read() -> list[RunEvent]:
        try:
            return list(RunEvent.objects.filter(run=run).order_by("attempt", "seq"))
        finally:
            connection.close()

    return await sync_to_async(read, thread_sensitive=False)()


async def reloaded(run: Run) -> Run:
    def read() -> Run:
        try:
            return Run.objects.get(id=run.id)
        finally:
            connection.close()

    return await sync_to_async(read, thread_sensitive=False)()


async def in_database(change: Callable[[], Any]) -> Any:
    def doing() -> Any:
        try:
            return change()
        finally:
            connection.close()

    return await sync_to_async(doing, thread_sensitive=False)()


async def soon(condition: Callable[[], Any], seconds: float = 5.0) -> Any:
    """The first true value of `condition`, asked every few milliseconds."""
    async with asyncio.timeout(seconds):
        while not (value := condition()):  # noqa: ASYNC110  what is asked is elsewhere
            await asyncio.sleep(0.01)
        return value
