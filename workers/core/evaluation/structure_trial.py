"""Compares M with M− and M+ over many tasks: runs each task's graph three times, compares in pairs.

A failed run counts as a wrong answer, as everywhere. A task that can't be judged is left out of M,
M− and M+. A run that fails because its endpoint is away says nothing about structure, so the trial
stops.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from workers.core.embed.base import Embedder
from workers.core.errors import Failure
from workers.core.evaluation.structure import Variant, run_variant, variants
from workers.core.evaluation.summary import Pair, holm_corrected, pair_of
from workers.core.events import AnswerVerified, RunFailed, RunFinished
from workers.core.intervals import Interval, bootstrap_mean, wilson
from workers.core.llm.types import ChatClient
from workers.core.specs import GraphSpec, RunSpec

KINDS = ("M", "M-", "M+")


class EndpointAway(Exception):
    """The endpoint of a trial does not answer, so nothing more can be measured."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """`correct` None: the verifier could not judge. `tokens` None: unknown."""

    correct: bool | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """The results of one task's graph and its variants, by kind."""

    task: str
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VariantSummary:
    kind: str
    n: int
    correct: int
    accuracy: float | None
    interval: Interval | None
    tokens_mean: float | None
    tokens_interval: Interval | None


@dataclass(frozen=True, slots=True)
class StructureSummary:
    """`pairs`: M compared with each variant, corrected for these two comparisons."""

    tasks: int
    variants: tuple[VariantSummary, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """A graph that a run built, and the run: its task, pool, endpoint, seed and budget, and whether
    a summary agent answered."""

    task: str
    graph: GraphSpec
    spec: RunSpec
    summary: bool


async def run_trials(
    subjects: Sequence[Subject],
    *,
    client: ChatClient,
    embedder: Embedder,
    seed: int,
    concurrency: int,
    away: Collection[str],
) -> AsyncIterator[Trial]:
    """Trials as they end. `away`: codes of failures that the endpoint causes for any request.

    Raises EndpointAway.
    """
    turn = asyncio.Semaphore(concurrency)

    async def one(subject: Subject) -> Trial:
        async with turn:
            return await run_trial(subject, client=client, embedder=embedder, seed=seed, away=away)

    tasks = [asyncio.create_task(one(subject)) for subject in subjects]
    try:
        for ended in asyncio.as_completed(tasks):
            yield await ended
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def run_trial(
    subject: Subject, *, client: ChatClient, embedder: Embedder, seed: int, away: Collection[str]
) -> Trial:
    """Run M, and M− and M+ if they exist. The seed and the run's own draw M−. Raises EndpointAway,
    and ValueError if the run has no pool."""
    spec = subject.spec
    if spec.pool is None:
        raise ValueError("a run without a pool has no M+")
    found = await variants(
        subject.graph,
        task=spec.task,
        pool=spec.pool,
        embedder=embedder,
        summary=subject.summary,
        seed=seed ^ spec.seed,
    )
    outcomes: dict[str, Outcome] = {}
    for variant in found:
        outcomes[variant.kind] = await _outcome(variant, subject, client, away)
    return Trial(subject.task, outcomes)


def summarise_structure(trials: Sequence[Trial]) -> StructureSummary:
    ordered = [_comparable(trial) for trial in sorted(trials, key=lambda trial: trial.task)]
    shares = {kind: _shares(kind, ordered) for kind in KINDS}
    return StructureSummary(
        tasks=len(trials),
        variants=tuple(_variant(kind, ordered) for kind in KINDS),
        pairs=tuple(holm_corrected([pair_of("M", kind, shares) for kind in KINDS[1:]])),
    )


async def _outcome(
    variant: Variant, subject: Subject, client: ChatClient, away: Collection[str]
) -> Outcome:
    spec = subject.spec
    correct: bool | None = None
    tokens = None
    running = run_variant(variant, spec, client=client, summary=subject.summary)
    async with aclosing(running) as events:
        async for event in events:
            if isinstance(event, AnswerVerified):
                correct = event.correct
            elif isinstance(event, RunFailed):
                if event.failure.code in away:
                    raise EndpointAway(event.failure)
                correct = False if spec.task.verifier else None
                tokens = _tokens(event)
            elif isinstance(event, RunFinished):
                tokens = _tokens(event)
    return Outcome(correct, tokens)


def _comparable(trial: Trial) -> Trial:
    """If one outcome of a task could not be judged, none of the task's outcomes counts."""
    if all(outcome.correct is not None for outcome in trial.outcomes.values()):
        return trial
    unjudged = {kind: Outcome(None, found.tokens) for kind, found in trial.outcomes.items()}
    return Trial(trial.task, unjudged)


def _tokens(event: RunFinished | RunFailed) -> int | None:
    prompt, completion = event.usage.prompt_tokens, event.usage.completion_tokens
    return None if prompt is None or completion is None else prompt + completion


def _variant(kind: str, trials: Sequence[Trial]) -> VariantSummary:
    outcomes = [trial.outcomes[kind] for trial in trials if kind in trial.outcomes]
    judged = [outcome.correct for outcome in outcomes if outcome.correct is not None]
    tokens = [float(outcome.tokens) for outcome in outcomes if outcome.tokens is not None]
    return VariantSummary(
        kind=kind,
        n=len(judged),
        correct=sum(judged),
        accuracy=sum(judged) / len(judged) if judged else None,
        interval=wilson(sum(judged), len(judged)),
        tokens_mean=sum(tokens) / len(tokens) if tokens else None,
        tokens_interval=bootstrap_mean(tokens),
    )


def _shares(kind: str, trials: Sequence[Trial]) -> dict[str, float]:
    """1 if the kind was right, 0 if it was wrong, by task."""
    return {
        trial.task: float(outcome.correct)
        for trial in trials
        if (outcome := trial.outcomes.get(kind)) is not None and outcome.correct is not None
    }
