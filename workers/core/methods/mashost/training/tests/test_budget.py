"""A training's budget: where it ends, what it leaves, and how it goes on."""

import pytest
import torch

from workers.core.checkpoints import load
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.llm.spending import JOB
from workers.core.llm.types import BudgetExceeded
from workers.core.methods.mashost.training.rollouts import Rollouts
from workers.core.methods.mashost.training.tests.conftest import Whole
from workers.core.methods.mashost.training.tests.over_http import Trainer, metrics
from workers.core.specs import TrainingBudget
from workers.core.training.resumable import STATE_FOLDER


def saved_in(events: list[Event]) -> list[CheckpointSaved]:
    return [event for event in events if isinstance(event, CheckpointSaved)]


async def test_a_spent_budget_ends_it_with_what_was_learned_and_a_larger_one_goes_on(
    train: Trainer, whole: Whole
) -> None:
    """Within a step, whose state stays that of the step before. That one gets a checkpoint."""
    config = {"checkpoint_every": 4}
    tokens = [int(e.values["tokens_total"]) for e in whole.events if isinstance(e, TrainingMetric)]
    before: dict[int, dict[str, float]] = {}
    # The second budget saves no other checkpoint.
    for budget in ((tokens[0] + tokens[-1]) // 2, 1):
        heard: list[Event] = []
        with pytest.raises(BudgetExceeded, match="tokens are used") as spent:
            await train(config=config, budget=TrainingBudget(max_tokens=budget), heard=heard.append)
        assert spent.value.limit == JOB
        before |= metrics(heard)
        (saved,) = saved_in(heard)
        assert saved.step == max(before) < 4
        assert saved.metrics.items() >= before[saved.step].items()
    assert [path.name for path in (train.folder / "job/checkpoints").iterdir()] == [saved.name]
    found = train.weights("job", saved.step)
    assert all(torch.equal(found[name], t) for name, t in whole.weights(saved.step).items())
    after = metrics(await train(config=config))
    assert sorted(before | after) == [1, 2, 3, 4]
    assert before | after == metrics(whole.events)


async def test_a_budget_spent_on_tasks_held_out_leaves_the_step_before(
    train: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That step has been learned from already, and is not whole."""

    async def spent(*_: object) -> dict[str, float]:
        raise BudgetExceeded(limit=JOB, message="60 of 60 tokens are used.")

    monkeypatch.setattr(Rollouts, "try_held_out", spent)
    heard: list[Event] = []
    with pytest.raises(BudgetExceeded):
        await train(config={"held_out": 1}, heard=heard.append)
    (saved,) = saved_in(heard)
    assert saved.step == max(metrics(heard)) == 1
    found = train.weights("job", 1)
    _, state = load(train.folder / "job" / STATE_FOLDER, method="mashost")
    assert all(torch.equal(found[name], state[f"averaged.{name}"]) for name in found)


async def test_a_budget_spent_within_the_first_step_leaves_none(train: Trainer) -> None:
    heard: list[Event] = []
    with pytest.raises(BudgetExceeded):
        await train(budget=TrainingBudget(max_tokens=1), heard=heard.append)
    assert not heard
