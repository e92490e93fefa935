"""Examines an evaluation's answers: diagnoses by rules, judgements by a model, trials of graphs.

All of them may be killed at any point and started again: findings are stored in batches, and a
model's answers at temperature 0 are kept.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db import connection

from apps.evaluations.diagnoses import (
    diagnoses_store,
    judgements_store,
    traces_of,
    undecided,
    undiagnosed,
)
from apps.evaluations.models import Evaluation, EvaluationArm
from apps.evaluations.outcomes import ENDPOINT_AWAY
from apps.evaluations.rationality import report_store, structure_store
from apps.evaluations.subjects import arms_with_graphs, trial_subjects
from workers.core.embed.base import Embedder
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.evaluation.diagnosis import NO_TRACE, Diagnosis, Trace, diagnose
from workers.core.evaluation.failure_judge import judge_failure
from workers.core.evaluation.failures import FailureCategory
from workers.core.evaluation.structure_trial import Subject, Trial, run_trials, summarise_structure
from workers.core.llm.cache import CachingClient, MemoryCache
from workers.core.llm.client import OpenAIClient
from workers.core.llm.types import ChatClient
from workers.core.specs import EndpointSpec
from workers.tasks.answers import StoredAnswers

BATCH = 64
WAIT_SECONDS = 1.0
MAX_TRIALS = 8
"""Number of graphs of a trial that run at once."""

Told = Callable[[int], None]
"""Receives how many more are done."""


def look_at_answers(
    evaluation_id: UUID, *, seconds: float | None = None, on_progress: Told = lambda _: None
) -> bool:
    """Diagnose answers that have no diagnosis, then add up. False if the time ran out before the
    end.

    Only one process does this at once. A second one finds nothing to do.
    """
    until = None if seconds is None else time.monotonic() + seconds
    with _alone(evaluation_id) as ours:
        if not ours:
            return True
        whole = _diagnose_until(until, evaluation_id, on_progress)
        report_store(evaluation_id)
        return whole


def look_until_all_are_seen(evaluation_id: UUID, on_progress: Told) -> None:
    """Diagnose here, or wait for the worker that is already doing it."""
    look_at_answers(evaluation_id, on_progress=on_progress)
    while undiagnosed(evaluation_id, 1):
        time.sleep(WAIT_SECONDS)
        look_at_answers(evaluation_id, on_progress=on_progress)


def judge_answers(
    evaluation_id: UUID, endpoint: EndpointSpec, *, on_progress: Told = lambda _: None
) -> None:
    """Ask a model about the wrong answers that no rule decides, then add up."""
    with asyncio.Runner() as runner:
        after = -1
        while batch := undecided(evaluation_id, after=after, limit=BATCH):
            found = runner.run(_judged(traces_of(batch), endpoint))
            judgements_store(batch, found, model=endpoint.model)
            after = batch[-1].position
            on_progress(len(batch))
    report_store(evaluation_id)


def try_structures(
    evaluation_id: UUID, *, tasks: int, seed: int, on_progress: Told = lambda _: None
) -> dict[str, Any]:
    """Compare M with M− and M+ for every arm that has graphs. Store and return the results.

    Raises EndpointAway.
    """
    evaluation = Evaluation.objects.get(id=evaluation_id)
    arms = [_arm_structure(arm, tasks, seed, on_progress) for arm in arms_with_graphs(evaluation)]
    structure = {"tasks": tasks, "seed": seed, "arms": arms}
    structure_store(evaluation_id, structure)
    return structure


def _diagnose_until(until: float | None, evaluation_id: UUID, on_progress: Told) -> bool:
    with closing(MiniLMEmbedder()) as embedder, asyncio.Runner() as runner:
        while batch := undiagnosed(evaluation_id, BATCH):
            if until is not None and time.monotonic() > until:
                return False
            found = runner.run(_diagnosed(traces_of(batch), embedder))
            diagnoses_store(batch, found)
            on_progress(len(batch))
    return True


async def _diagnosed(traces: Sequence[Trace], embedder: Embedder) -> list[Diagnosis]:
    return [found async for found in diagnose(traces, embedder=embedder)]


async def _judged(traces: Sequence[Trace], endpoint: EndpointSpec) -> list[FailureCategory]:
    turn = asyncio.Semaphore(endpoint.max_concurrency)

    async def one(trace: Trace, client: ChatClient) -> FailureCategory:
        if not trace.events:  # of a run that nobody can read, a judge could only guess
            return NO_TRACE
        async with turn:
            return await judge_failure(trace.events, trace.task, client=client, endpoint=endpoint)

    async with _remembering_client() as client:
        return await asyncio.gather(*(one(trace, client) for trace in traces))


def _arm_structure(arm: EvaluationArm, tasks: int, seed: int, on_progress: Told) -> dict[str, Any]:
    subjects = trial_subjects(arm, tasks=tasks, seed=seed)
    trials = asyncio.run(_tried(subjects, arm, seed, on_progress))
    return {"label": arm.label, **asdict(summarise_structure(trials))}


async def _tried(
    subjects: Sequence[Subject], arm: EvaluationArm, seed: int, on_progress: Told
) -> list[Trial]:
    endpoint = EndpointSpec.model_validate(arm.endpoint_spec)
    found = []
    with closing(MiniLMEmbedder()) as embedder:
        async with _remembering_client() as client:
            async for trial in run_trials(
                subjects,
                client=client,
                embedder=embedder,
                seed=seed,
                concurrency=min(MAX_TRIALS, endpoint.max_concurrency),
                away=ENDPOINT_AWAY,
            ):
                found.append(trial)
                on_progress(1)
    return found


@asynccontextmanager
async def _remembering_client() -> AsyncIterator[ChatClient]:
    connections, answers = OpenAIClient(), StoredAnswers(MemoryCache())
    try:
        yield CachingClient(connections, answers)
    finally:
        await connections.close()
        await answers.close()


@contextmanager
def _alone(evaluation_id: UUID) -> Iterator[bool]:
    """Whether this connection to Postgres may examine the evaluation. It is a session lock, so it
    ends with the process."""
    key = evaluation_id.int & (2**63 - 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        ours = bool((cursor.fetchone() or (False,))[0])
    try:
        yield ours
    finally:
        if ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
