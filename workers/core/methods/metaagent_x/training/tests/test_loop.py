"""A whole training on letters: what is learned, told, kept and gone on with; what stops it."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch

from workers.core.checkpoints import load
from workers.core.events import (
    CheckpointSaved,
    Event,
    TrainingEnded,
    TrainingMetric,
)
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.metaagent_x.config import METHOD_KEY
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.loop import train
from workers.core.methods.metaagent_x.training.tests.toy import (
    NAME,
    TASKS,
    Letters,
    make_letters,
)
from workers.core.methods.metaagent_x.training.worlds import World
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext

E = TypeVar("E", bound=Event)

SMALL: dict[str, Any] = {
    "model": NAME,
    "rank": 0,
    "optimiser": "muon",
    "cold_steps": 10,
    "cold_questions": 12,
    "cold_rate": 0.1,
    "steps": 4,
    "questions_per_step": 6,
    "designs": 4,
    "executions": 2,
    "design_tokens": 4,
    "max_tokens": 3,
    "stage_steps": 1,
    "learning_rate": 1e-3,
    "warmup": 0,
    "checkpoint_every": 5,
    "held_out": 3,
    "samples_per_step": 1,
}


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of local models."""
    folder = tmp_path_factory.mktemp("models")
    make_letters(folder / NAME)
    return folder


@pytest.fixture(autouse=True)
def _models(letters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_MODELS_DIR", str(letters))


def training(folder: Path, **changes: Any) -> TrainingContext:
    return TrainingContext(
        llm=ScriptedClient(lambda _: ""),
        endpoint=endpoint(),
        seed=changes.pop("seed", 7),
        folder=folder,
        config=SMALL | changes.pop("config", {}),
        **changes,
    )


async def trained(
    context: TrainingContext,
    tasks: Sequence[TaskSpec] = TASKS,
    world: World = Letters(),  # noqa: B008  frozen
) -> list[Event]:
    config = MetaAgentXTrainingConfig.model_validate(context.config)
    return [event async for event in train(tasks, context, config, world)]


@pytest.fixture(scope="module")
def whole(
    letters: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, list[Event]]]:
    """A training that nothing broke off."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_MODELS_DIR", str(letters))
        with ThreadPoolExecutor(1) as thread:  # a loop may run in this one
            events = thread.submit(lambda: asyncio.run(trained(training(folder)))).result()
        yield folder, events


def of(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def weights(folder: Path, name: str = "step-000014") -> dict[str, torch.Tensor]:
    return load(folder / "checkpoints" / name, method=METHOD_KEY)[1]


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return left.keys() == right.keys() and all(
        torch.equal(left[name], right[name]) for name in left
    )


async def test_supervised_steps_come_first_and_then_the_roles_take_turns(
    whole: tuple[Path, list[Event]],
) -> None:
    _, events = whole
    steps = of(events, TrainingMetric)
    assert [step.step for step in steps] == list(range(1, 15))
    assert ["designer_reward" in step.values for step in steps] == [False] * 10 + [True] * 4
    assert steps[0].values["loss"] > steps[9].values["loss"], "it learns the language"
    assert [step.values.get("stage") for step in steps[10:]] == [1, 0, 1, 0]
    for step in steps[10:]:
        role = ("designer", "executor")[int(step.values["stage"])]
        assert step.values[f"mismatch_{role}"] < 1e-5
    assert [saved.step for saved in of(events, CheckpointSaved)] == [5, 10, 14]
    assert all("held_out_accuracy" in saved.metrics for saved in of(events, CheckpointSaved))
    assert of(events, TrainingEnded)[-1].reason == "completed"
