"""A training's budget: where it ends, what it leaves, and how it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from workers.core.checkpoints import load
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded
from workers.core.methods.mashost.training.rollouts import Rollouts
from workers.core.methods.mashost.training.tests.over_http import metrics, trained
from workers.core.specs import TrainingBudget
from workers.core.testing.stub_process import RunningStub
from workers.core.training.resumable import STATE_FOLDER


async def test_a_spent_budget_ends_it_with_what_was_learned_and_a_larger_one_goes_on(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    """Within a step, whose state stays that of the step before."""
    whole = await trained(tmp_path / "whole", stub.url, embedder)
    tokens = [int(e.values["tokens_total"]) for e in whole if isinstance(e, TrainingMetric)]
    budget = TrainingBudget(max_tokens=(tokens[0] + tokens[-1]) // 2)
    before: list[Event] = []
    with pytest.raises(BudgetExceeded, match="tokens are used") as spent:
        await trained(tmp_path / "cut", stub.url, embedder, budget=budget, heard=before.append)
    assert spent.value.limit == JOB
    assert 0 < len(metrics(before)) < 4
    after = await trained(tmp_path / "cut", stub.url, embedder)
    assert sorted(metrics(before) | metrics(after)) == [1, 2, 3, 4]
    assert metrics(before) | metrics(after) == metrics(whole)


async def test_a_spent_budget_leaves_a_checkpoint_of_the_last_whole_step(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    config = {"checkpoint_every": 4}
    whole = await trained(tmp_path / "whole", stub.url, embedder, config={"checkpoint_every": 1})
    tokens = [int(e.values["tokens_total"]) for e in whole if isinstance(e, TrainingMetric)]
    budget = TrainingBudget(max_tokens=(tokens[0] + tokens[-1]) // 2)
    for allowed in (budget, TrainingBudget(max_tokens=1)):  # the second one saves nothing anew
        heard: list[Event] = []
        only: dict[str, Any] = {"budget": allowed, "config": config, "heard": heard.append}
        with pytest.raises(BudgetExceeded):
            await trained(tmp_path / "cut", stub.url, embedder, **only)
        (saved,) = (event for event in heard if isinstance(event, CheckpointSaved))
        assert saved.step == max(metrics(heard))
        assert saved.metrics.items() >= metrics(heard)[saved.step].items()
    assert [path.name for path in (tmp_path / "cut" / "checkpoints").iterdir()] == [saved.name]
    _, found = load(tmp_path / "cut" / "checkpoints" / saved.name, method="mashost")
    _, straight = load(tmp_path / "whole" / "checkpoints" / saved.name, method="mashost")
    assert all(torch.equal(found[name], tensor) for name, tensor in straight.items())


async def test_a_budget_spent_on_tasks_held_out_leaves_the_step_before(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That step has been learned from already, and is not whole."""

    async def spent(*_: object) -> dict[str, float]:
        raise BudgetExceeded(limit=JOB, message="60 of 60 tokens are used.")

    monkeypatch.setattr(Rollouts, "try_held_out", spent)
    heard: list[Event] = []
    with pytest.raises(BudgetExceeded):
        await trained(tmp_path, stub.url, embedder, config={"held_out": 1}, heard=heard.append)
    (saved,) = (event for event in heard if isinstance(event, CheckpointSaved))
    assert saved.step == max(metrics(heard)) == 1
    _, found = load(tmp_path / "checkpoints" / saved.name, method="mashost")
    _, state = load(tmp_path / STATE_FOLDER, method="mashost")
    assert all(torch.equal(found[name], state[f"averaged.{name}"]) for name in found)


async def test_a_budget_spent_within_the_first_step_leaves_none(
    tmp_path: Path, stub: RunningStub, embedder: MiniLMEmbedder
) -> None:
    heard: list[Event] = []
    with pytest.raises(BudgetExceeded):
        await trained(
            tmp_path, stub.url, embedder, budget=TrainingBudget(max_tokens=1), heard=heard.append
        )
    assert not heard
