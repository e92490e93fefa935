"""Trains the nano team of AT-GRPO on a game: before, supervised alone, and with reinforcement.

    bin/studio bench atgrpo [--game plan_path] [--boards '{"size": 5}'] [--seeds 1] [--steps 200]
        [--set level=models …] [--folder FOLDER]

`before` is the cold start: supervised steps on weak demonstrations. From there, `after` has `steps`
steps of reinforcement learning. `supervised` goes on with the same demonstrations for as many
seconds instead, and `solver` with a solver's. Each is the share of boards of the split “test” that
the team solves with one answer per agent and turn, at temperature 0. No training sees these boards:
a board's own text decides its split.

With `--folder` a training that was broken off goes on, and nothing is trained twice.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.common.report import report
from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.team import one_environment
from workers.core.methods.at_grpo.training.config import PRESETS, AtGrpoTrainingConfig
from workers.core.methods.at_grpo.trees import Trees
from workers.core.rollouts.kept import kept_in, tensors_in
from workers.core.specs import TaskSpec
from workers.core.training.context import UNASKED, TrainingContext

ARMS = ("before", "supervised", "solver", "after")


@dataclass(frozen=True, slots=True)
class Trained:
    checkpoint: Path
    seconds: float
    """Of the training's steps; a resumed one counts all of them."""


@dataclass(frozen=True, slots=True)
class Course:
    """One seed's trainings, each in a folder of its own."""

    tasks: Sequence[TaskSpec]
    tests: Sequence[TaskSpec]
    config: dict[str, Any]
    folder: Path
    seed: int

    async def all(self, steps: int) -> dict[str, float]:
        """The share that each arm solves, and the seconds of reinforcement learning."""
        cold = await self._trained("before", self.config | {"steps": 0})
        rest = {"cold_steps": 0, "steps": steps}
        after = await self._trained("after", self.config | rest, cold.checkpoint)
        a_step = cold.seconds / self.config["cold_steps"]
        longer = self.config | {"cold_steps": max(1, round(after.seconds / a_step)), "steps": 0}
        solver = longer | {"cold_weak": 0.0}
        made = {
            "before": cold,
            "after": after,
            "supervised": await self._trained("supervised", longer, cold.checkpoint),
            "solver": await self._trained("solver", solver, cold.checkpoint),
        }
        solved = {name: await self.success(one.checkpoint) for name, one in made.items()}
        return solved | {"seconds": after.seconds, "cold_seconds": cold.seconds}

    async def _trained(
        self, name: str, config: dict[str, Any], start: Path | None = None
    ) -> Trained:
        context = TrainingContext(
            llm=OpenAIClient(),
            endpoint=UNASKED,
            seed=self.seed,
            folder=self.folder / name,
            config=config,
            start_from=start,
        )
        told = context.folder / "bench.json"
        if told.exists():
            kept = json.loads(told.read_text())
            return Trained(context.folder / "checkpoints" / kept["checkpoint"], kept["seconds"])
        seconds: dict[int, float] = {}
        last = ""
        async for event in AtGrpo().train(self.tasks, context):
            last = self._taken(name, event, seconds) or last
        total = sum(seconds.values())
        told.write_text(json.dumps({"checkpoint": last, "seconds": total}))
        return Trained(context.folder / "checkpoints" / last, total)

    def _taken(self, name: str, event: Event, seconds: dict[int, float]) -> str:
        """The name of a checkpoint, if the event is one."""
        if isinstance(event, TrainingMetric):
            values = event.values
            seconds[event.step] = values["seconds"]
            if event.step % 20 == 0:
                shown = ("solved", "reward", "loss", "entropy_shared", "seconds")
                said = [f"{key} {values[key]:.3f}" for key in shown if key in values]
                print(f"seed {self.seed} {name} {event.step}:", *said, flush=True)
        return event.name if isinstance(event, CheckpointSaved) else ""

    async def success(self, checkpoint: Path) -> float:
        from workers.core.rollouts.in_process import InProcessEngine
        from workers.core.rollouts.policies import PolicySpec

        config = AtGrpoTrainingConfig.model_validate(self.config)
        kept = kept_in(checkpoint)
        specs = {
            policy: PolicySpec(kept.model, kept.rank, kept.alpha, tensors_in(checkpoint, policy))
            for policy in kept.policies
        }
        environment = one_environment(self.tests, config)
        engine = InProcessEngine(specs, seed=0)
        trees = Trees(engine, environment, kept.agents, config.tree_options())
        return fmean(episode.is_solved for episode in await trees.played(self.tests))


async def measured(options: argparse.Namespace, folder: Path) -> list[dict[str, float]]:
    game = GAMES[options.game]
    boards = game.options.model_validate_json(options.boards)
    tasks = list(episodes(game, boards, split="train", count=options.train, seed=0))
    tests = list(episodes(game, boards, split="test", count=options.test, seed=0))
    config = PRESETS["studio"] | {"checkpoint_every": 10**6, "branches_kept": 0}
    config |= {"samples_per_step": 0} | dict(options.set)
    found = []
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        course = Course(tasks, tests, config, folder / f"seed-{seed}", seed)
        found.append(await course.all(options.steps))
        print(json.dumps({"seed": seed} | found[-1]), flush=True)
    return found


def setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the nano team of AT-GRPO on a game.")
    parser.add_argument("--game", choices=GAMES, default="plan_path")
    parser.add_argument("--boards", default='{"size": 5}', help="options of the game, as JSON")
    parser.add_argument("--train", type=int, default=4_000, help="boards to train on")
    parser.add_argument("--test", type=int, default=200, help="boards to test on")
    parser.add_argument("--steps", type=int, default=200, help="steps of reinforcement learning")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--folder", type=Path, help="where trainings are kept, to go on with them")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        found = asyncio.run(measured(options, options.folder or Path(made)))
    rows = [
        (arm, *(f"{each([one[arm] for one in found]):.3f}" for each in (fmean, min, max)))
        for arm in ARMS
    ]
    means = {arm: fmean(one[arm] for one in found) for arm in ARMS}
    report(
        "atgrpo",
        ("arm", "solved", "least", "most"),
        rows,
        **means,
        seconds=fmean(one["seconds"] for one in found),
        wall_seconds=time.monotonic() - began,
    )


if __name__ == "__main__":
    main()
