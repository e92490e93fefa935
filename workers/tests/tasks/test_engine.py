"""The loop that executes runs, on the real Postgres and Redis."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

import pytest

from apps.runs.models import Run
from apps.runs.selectors import run_spec
from workers.core.events import Event
from workers.core.run import Cancellation
from workers.core.specs import RunSpec
from workers.tasks.core_driver import CoreDriver
from workers.tasks.engine import EngineLoop, Job, Verdict

from .conftest import WORKER, in_database, reloaded

pytestmark = pytest.mark.django_db(transaction=True)


class Broken(CoreDriver):
    async def events(self, spec: RunSpec, cancel: Cancellation) -> AsyncGenerator[Event]:
        raise FileNotFoundError("/srv/secret/path")
        yield


async def test_a_bug_ends_its_run_and_tells_browsers_its_kind_alone(
    claimed_run: Callable[..., Run], caplog: pytest.LogCaptureFixture
) -> None:
    """The details go to the log: they may hold a query or a path."""
    run = await in_database(claimed_run)
    job = Job(str(run.id), run.attempt, await in_database(lambda: run_spec(run)))
    loop = EngineLoop(WORKER, Broken())
    turning = asyncio.create_task(loop.run(threading.Event()))
    await asyncio.sleep(0)
    report = await asyncio.wait_for(loop.execute(job), 30)
    await loop.finish()
    await asyncio.wait_for(turning, 30)
    assert report.verdict is Verdict.ENDED
    failure = (await reloaded(run)).failure
    assert failure is not None
    assert failure["code"] == "internal_error"
    assert "(FileNotFoundError)" in failure["message"]
    assert "secret" not in failure["message"]
    assert "/srv/secret/path" in caplog.text
