"""Trials of graphs against the stub LLM, and what many of them add up to by hand."""

from dataclasses import replace

import pytest

from workers.core.evaluation.paired import mcnemar_exact
from workers.core.evaluation.structure_trial import (
    EndpointAway,
    Outcome,
    Subject,
    Trial,
    run_trials,
    summarise_structure,
)
from workers.core.intervals import wilson
from workers.core.llm.client import OpenAIClient
from workers.core.mas.tests.support import endpoint, graph
from workers.core.methods.tests.support import HashEmbedder, small_pool
from workers.core.specs import Budget, GraphSpec, RunSpec, TaskSpec
from workers.core.testing.stub_llm import RunningStub

AWAY = frozenset({"connection_refused"})


def subject(url: str, name: str, of: GraphSpec, reference: str | None = "102") -> Subject:
    query = "14 loaves at 3 dollars and 5 cakes at 12 dollars"
    task = TaskSpec(query=query, reference=reference, verifier="numeric" if reference else None)
    spec = RunSpec(
        task=task,
        method="fixed_graph",
        endpoint=endpoint(url),
        pool=small_pool(),
        seed=7,
        stream=False,
    )
    return Subject(name, of, spec, summary=True)


async def tried(subjects: list[Subject], client: OpenAIClient) -> list[Trial]:
    trials = run_trials(
        subjects, client=client, embedder=HashEmbedder(), seed=1, concurrency=2, away=AWAY
    )
    return sorted([trial async for trial in trials], key=lambda trial: trial.task)


async def test_every_variant_that_exists_is_run_and_judged(
    stub: RunningStub, client: OpenAIClient
) -> None:
    chain, single = graph("a1>a2"), graph("", alone=["a1"])
    first, second, third = await tried(
        [
            subject(stub.url, "1", chain),
            subject(stub.url, "2", single, reference="103"),
            subject(stub.url, "3", chain, reference=None),
        ],
        client,
    )
    assert set(first.outcomes) == {"M", "M-", "M+"}
    assert [outcome.correct for outcome in first.outcomes.values()] == [True] * 3
    tokens = [first.outcomes[kind].tokens or 0 for kind in ("M-", "M", "M+")]
    assert tokens == sorted(set(tokens))
    assert tokens[0] > 0
    assert set(second.outcomes) == {"M", "M+"}
    assert second.outcomes["M"].correct is False
    assert [outcome.correct for outcome in third.outcomes.values()] == [None] * 3


async def test_a_failure_on_a_task_that_nobody_judges_is_not_wrong(
    stub: RunningStub, client: OpenAIClient
) -> None:
    unjudged = subject(stub.url, "1", graph("a1>a2"), reference=None)
    broke = Budget(max_tokens=1)
    spent = replace(unjudged, spec=unjudged.spec.model_copy(update={"budget": broke}))
    (trial,) = await tried([spent], client)
    assert [outcome.correct for outcome in trial.outcomes.values()] == [None] * 3


async def test_a_dead_endpoint_stops_the_trial_with_its_cause(client: OpenAIClient) -> None:
    dead = [subject("http://127.0.0.1:9/v1", str(i), graph("a1>a2")) for i in range(5)]
    with pytest.raises(EndpointAway) as caught:
        await tried(dead, client)
    assert caught.value.failure.code == "connection_refused"


def trial(name: int, m: bool | None, less: bool | None = None, more: bool = True) -> Trial:
    outcomes = {"M": Outcome(m, 100), "M+": Outcome(more, 150)}
    if less is not None:
        outcomes["M-"] = Outcome(less, None)
    return Trial(f"{name:03}", outcomes)


def test_pairs_are_over_the_tasks_that_have_both() -> None:
    trials = [
        *(trial(i, True, False) for i in range(6)),
        trial(6, False, True),
        trial(7, True, True),
        trial(8, True),  # one agent: no M−
        trial(9, None, True),  # not judged: left out for M− and M+ too
    ]
    found = summarise_structure(trials)
    assert found.tasks == 10
    m, less, more = found.variants
    assert (m.kind, m.n, m.correct, m.interval) == ("M", 9, 8, wilson(8, 9))
    assert (less.kind, less.n, less.correct, less.tokens_mean) == ("M-", 8, 2, None)
    assert (more.kind, more.n, more.tokens_mean) == ("M+", 9, 150)
    fewer, further = found.pairs
    assert (fewer.right, fewer.n, fewer.only_left, fewer.only_right) == ("M-", 8, 6, 1)
    assert fewer.mcnemar_p == mcnemar_exact(6, 1)
    assert fewer.difference == 5 / 8
    assert further.mcnemar_p == 1.0
    assert fewer.holm_p == min(1.0, 2 * mcnemar_exact(6, 1))
    assert summarise_structure(trials[::-1]) == found


def test_nothing_tried_nothing_known() -> None:
    found = summarise_structure([])
    assert [variant.accuracy for variant in found.variants] == [None] * 3
    assert [pair.mcnemar_p for pair in found.pairs] == [None, None]
