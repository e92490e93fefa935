"""A training on small boards that takes a second or two."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch

from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.games.plan_path import PlanPathOptions
from workers.core.checkpoints import load
from workers.core.events import Event, TrainingMetric
from workers.core.mas.tests.support import ScriptedClient, endpoint
from workers.core.methods.at_grpo.config import METHOD_KEY
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.training.config import PRESETS
from workers.core.rollouts.tests.taught import TAUGHT
from workers.core.specs import TaskSpec
from workers.core.training.context import TrainingContext

E = TypeVar("E", bound=Event)

TASKS = tuple(
    episodes(GAMES["plan_path"], PlanPathOptions(size=4), split="train", count=24, seed=0)
)
SMALL: dict[str, Any] = PRESETS["studio"] | {
    "cold_steps": 3,
    "cold_episodes": 16,
    "cold_rate": 0.1,
    "warmup": 0,
    "turns": 2,
    "steps": 3,
    "learning_rate": 5e-4,
    "updates": 1,
    "kl": 0.0,
    "episodes_per_step": 6,
    "branches": 4,
    "max_tokens": 10,
    "checkpoint_every": 2,
    "held_out": 4,
    "samples_per_step": 1,
}
ADAPTERS: dict[str, Any] = {
    "model": TAUGHT,
    "rank": 8,
    "optimiser": "adamw",
    "cold_rate": 1e-2,
}


def training(folder: Path, **changes: Any) -> TrainingContext:
    config = SMALL | changes.pop("config", {})
    return TrainingContext(
        llm=ScriptedClient(lambda _: ""),
        endpoint=endpoint(),
        seed=changes.pop("seed", 7),
        folder=folder,
        config=config,
        **changes,
    )


async def trained(context: TrainingContext, tasks: Sequence[TaskSpec] = TASKS) -> list[Event]:
    return [event async for event in AtGrpo().train(tasks, context)]


def of(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def weights(folder: Path, name: str = "step-000006") -> dict[str, torch.Tensor]:
    return load(folder / "checkpoints" / name, method=METHOD_KEY)[1]


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return left.keys() == right.keys() and all(
        torch.equal(left[name], right[name]) for name in left
    )


def quick(event: TrainingMetric) -> dict[str, float]:
    return {name: value for name, value in event.values.items() if "seconds" not in name}
