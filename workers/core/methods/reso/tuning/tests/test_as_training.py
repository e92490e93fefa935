"""A tuning as one of ReSo's trainings, and what it leaves as what another one is rewarded by."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workers.core.agents.kept import profiles_in
from workers.core.checkpoints import read_info
from workers.core.errors import MethodError
from workers.core.events import AgentsRewarded, CheckpointSaved, Event, TrainingEnded
from workers.core.mas.outcome import AgentOutcome
from workers.core.mas.tests.support import role
from workers.core.methods.reso.method import ReSo
from workers.core.methods.reso.model_reward import ModelReward
from workers.core.methods.reso.training.config import ReSoTrainingConfig
from workers.core.methods.reso.tuning.tests.support import TASKS, context_in
from workers.core.specs import SubtaskSpec

pytestmark = pytest.mark.usefixtures("models")
SUBTASK = SubtaskSpec(id="s1", text="What is 2 and 1?")
SMALL = {"epochs": 2, "batch_size": 4, "learning_rate": 5e-3, "model": "tiny"}


async def trained(folder: Path, config: Mapping[str, Any], **changes: Any) -> list[Event]:
    context = replace(context_in(folder, **changes), config=dict(config))
    return [event async for event in ReSo().train(TASKS, context)]


async def test_a_planner_is_tuned_by_a_training_of_reso(tmp_path: Path) -> None:
    events = await trained(tmp_path, {**SMALL, "learns": "planner", "checkpoint_every": 100})
    (saved,) = [event for event in events if isinstance(event, CheckpointSaved)]
    assert isinstance(events[-1], TrainingEnded)
    info = read_info(tmp_path / "checkpoints" / saved.name, method="reso")
    assert info.config["kind"] == "planner"
    assert not ReSo().runs_with(info)
    assert info.recipe["training"]["learns"] == "planner"
    with pytest.raises(MethodError, match="not an agent database"):
        profiles_in(tmp_path / "checkpoints" / saved.name, method="reso")


async def test_agents_are_rewarded_by_the_model_that_a_training_has_tuned(tmp_path: Path) -> None:
    """It knows right from wrong."""
    tuning = {**SMALL, "learns": "reward_model", "threshold": -1, "epochs": 8}
    events = await trained(tmp_path / "model", tuning)
    saved = [event for event in events if isinstance(event, CheckpointSaved)][-1]
    tuned = ModelReward(checkpoint=tmp_path / "model/checkpoints" / saved.name)
    # As in its examples: what is odd was answered with 99.
    said = [AgentOutcome("a", "Adder", f"I add.\nAnswer: {n}", n) for n in ("99", "3")]
    wrong, right = [await tuned.judge(role("adder"), SUBTASK, each, []) for each in said]
    assert (wrong.value or 0) < (right.value or 0)
    config = {"steps": 2, "threshold": -1, "reward": "model", "reward_checkpoint": saved.name}
    told = await trained(tmp_path / "agents", config, checkpoints=tmp_path / "model/checkpoints")
    rewards = [r.reward for e in told if isinstance(e, AgentsRewarded) for r in e.rewards]
    assert rewards
    assert all(0 < reward < 1 for reward in rewards)
    assert len(set(rewards)) > 1  # no rule says so


async def test_a_reward_model_that_is_gone_is_told_before_anybody_is_asked(tmp_path: Path) -> None:
    config = {"reward": "model", "reward_checkpoint": "gone"}
    with pytest.raises(MethodError, match="gone") as caught:
        await trained(tmp_path, config, checkpoints=tmp_path)
    assert caught.value.code == "checkpoint_missing"


def test_how_many_steps_a_tuning_takes_is_not_known_before() -> None:
    assert ReSoTrainingConfig(learns="planner", model="tiny").total_steps() == 0
    assert ReSoTrainingConfig(steps=7).total_steps() == 7
