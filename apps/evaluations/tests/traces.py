"""Evaluations that a stub LLM has answered: real runs of core, stored as a worker would."""

import asyncio
import json
from collections.abc import Iterable

from django.db.models.functions import Now

from apps.evaluations.coordinator import advance
from apps.evaluations.models import Evaluation
from apps.evaluations.tests.conftest import under_way
from apps.roles.imports import pool_import
from apps.roles.models import RolePool
from apps.runs.models import Run, RunEvent
from apps.runs.selectors import run_spec
from apps.setups.specs import pool_spec
from workers.core.events import Event, RunCancelled, RunFailed, RunFinished
from workers.core.llm.client import OpenAIClient
from workers.core.llm.retry import RetryPolicy
from workers.core.mas.record import RunRecord
from workers.core.methods.tests.support import HashEmbedder
from workers.core.run import run_execute
from workers.core.specs import PoolSpec, RoleSpec, RunSpec
from workers.core.testing.stub_settings import Rule
from workers.tasks.outcome import Outcome

RULES = (
    Rule("What is 1 + 2?", reply="Answer: 30"),
    Rule("What is 2 + 3?", reply="Answer: 77"),
    Rule("What is 4 + 5?", reply="Answer: 123"),
)
"""Of the six sums three are right, one is nearly so, and two are far off."""

JUDGED = Rule(
    '"answer_given": "77"', reply='{"category": "task_forgetting", "reason": "It forgot \\u0000."}'
)


def make_pool() -> RolePool:
    """A role for sums, some for other domains, and one for any."""
    roles = (
        _role("adder", "maths", "Adds numbers: what is 1 + 2? It works out sums of two numbers."),
        _role("gardener", "biology", "Prunes roses, mulches beds and repots orchids."),
        _role("beekeeper", "biology", "Keeps hives, feeds queens, harvests honey."),
        _role("chemist", "chemistry", "Titrates acids, balances reactions, names compounds."),
        _role("planner", "planning", "Breaks a task into steps."),
    )
    pool_import(spec=PoolSpec(key="small", name="Small", roles=roles), publish=True)
    return RolePool.objects.get(key="small")


def answer_all(evaluation: Evaluation) -> None:
    """Every cell, by its method, until nothing more is taken up."""
    advance(evaluation.id)
    while runs := under_way(evaluation):
        answer(runs)
        advance(evaluation.id)
    evaluation.refresh_from_db()


def answer(runs: Iterable[Run]) -> None:
    told = [(run, run_spec(run)) for run in runs]
    for (run, _), events in zip(
        told, asyncio.run(_solved([spec for _, spec in told])), strict=True
    ):
        _store(run, events)


async def _solved(specs: list[RunSpec]) -> list[list[Event]]:
    async with OpenAIClient(retry=RetryPolicy(tries=1)) as client:

        async def one(spec: RunSpec) -> list[Event]:
            events = run_execute(spec, client=client, embedder=HashEmbedder())
            return [event async for event in events]

        return await asyncio.gather(*(one(spec) for spec in specs))


def _store(run: Run, events: list[Event]) -> None:
    outcome = Outcome(RunRecord(pool_spec(run.pool_version_id)), run.endpoint_key)
    for event in events:
        outcome.take(event)
    end = events[-1]
    assert isinstance(end, RunFinished | RunFailed | RunCancelled)
    row = json.loads(outcome.end(end).row)
    Run.objects.filter(id=run.id).update(attempt=1, finished_at=Now(), **row)
    RunEvent.objects.bulk_create(
        RunEvent(
            run=run,
            attempt=1,
            seq=seq,
            kind=event.event,
            payload=event.model_dump(mode="json"),
            at=run.created_at,
        )
        for seq, event in enumerate(events, 1)
    )


def _role(key: str, family: str, description: str) -> RoleSpec:
    return RoleSpec(
        key=key,
        name=key.title(),
        family=family,
        description=description,
        prompt=f"You are the {key}.",
    )
