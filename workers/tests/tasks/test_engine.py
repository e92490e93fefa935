"""The loop that executes runs, on the real Postgres and Redis."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from pytest_django import Settings

from apps.llms.models import Endpoint
from apps.runs.lifecycle import run_claim, runs_recover
from apps.runs.models import Run
from apps.runs.selectors import run_spec
from workers.core.events import Event
from workers.core.run import Cancellation
from workers.core.specs import RunSpec
from workers.core.testing.stub_llm import running_stub
from workers.core.testing.stub_settings import Rule
from workers.tasks.core_driver import CoreDriver
from workers.tasks.engine import Job, Verdict

from .conftest import WORKER, in_database, reloaded, stored, turning

pytestmark = pytest.mark.django_db(transaction=True)


class Broken(CoreDriver):
    async def events(
        self, run_id: str, spec: RunSpec, cancel: Cancellation
    ) -> AsyncGenerator[Event]:
        raise FileNotFoundError("/srv/secret/path")
        yield


async def test_a_bug_ends_its_run_and_tells_browsers_its_kind_alone(
    claimed_run: Callable[..., Run], caplog: pytest.LogCaptureFixture
) -> None:
    """The details go to the log: they may hold a query or a path."""
    run = await in_database(claimed_run)
    async with turning(Broken()) as loop:
        report = await asyncio.wait_for(loop.execute(await _job(run)), 30)
    assert report.verdict is Verdict.ENDED
    failure = (await reloaded(run)).failure
    assert failure is not None
    assert failure["code"] == "internal_error"
    assert "(FileNotFoundError)" in failure["message"]
    assert "secret" not in failure["message"]
    assert "/srv/secret/path" in caplog.text


async def test_after_a_lost_worker_the_run_has_what_is_left_of_its_budget(
    claimed_run: Callable[..., Run], settings: Settings
) -> None:
    """Of two agents the first has answered when the worker vanishes under the second one's call."""
    rules = (Rule("You are b.", latency=30.0), Rule("You are a.", reply="Answer: 1"))
    with running_stub(rules=rules) as stub:
        async with turning() as loop:
            run = await in_database(lambda: claimed_run(**_two_agents(stub.url)))
            executing = asyncio.create_task(loop.execute(await _job(run)))
            async with asyncio.timeout(30):
                while (await _kinds(run)).count("agent_started") < 2:  # noqa: ASYNC110  Postgres does not call
                    await asyncio.sleep(0.02)
            settings.RUN_LOST_AFTER_SECONDS = 0.0
            await in_database(runs_recover)
            settings.RUN_LOST_AFTER_SECONDS = 60.0
            again = await in_database(lambda: run_claim(run_id=run.id, worker=WORKER))
            job = await _job(again)
            assert 0 < job.spec.spent.tokens < 100
            assert job.spec.spent.unknown == 1
            report = await asyncio.wait_for(loop.execute(job), 30)
            assert (await asyncio.wait_for(executing, 30)).verdict is Verdict.LOST
    assert report.verdict is Verdict.ENDED
    failure = (await reloaded(run)).failure
    assert failure is not None
    assert failure["code"] == "budget_exceeded"
    assert f"lost used {job.spec.spent.tokens} tokens" in failure["message"]


async def _kinds(run: Run) -> list[str]:
    return [event.kind for event in await stored(run)]


async def _job(run: Run) -> Job:
    return Job(str(run.id), run.attempt, await in_database(lambda: run_spec(run)))


def _two_agents(url: str) -> dict[str, Any]:
    """Room for one attempt, and not for two."""
    role = {"name": "R", "family": "maths", "description": "Solves."}
    nodes = [{"id": k, "role": {**role, "key": k, "prompt": f"You are {k}."}} for k in "ab"]
    graph = {"nodes": nodes, "edges": [{"source": "a", "target": "b"}]}
    endpoint = Endpoint(key="stub", name="Stub", base_url=url, model="stub")
    endpoint.allow_private_address = True
    return {
        "method": "design",
        "method_config": {"graph": graph},
        "endpoint_spec": endpoint.spec().model_dump(mode="json"),
        "budget": {"max_tokens": 120, "max_completion_tokens_per_call": 40},
    }
