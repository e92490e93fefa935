"""Trains the nano team of AT-GRPO on a game: before, supervised alone, and with reinforcement.

    bin/studio bench atgrpo [--game plan_path] [--boards '{"size": 5}'] [--seeds 1] [--steps 1000]
        [--arms before supervised after …] [--set max_tokens=20 …] [--folder FOLDER]

`before` is the cold start: supervised steps on demonstrations, most of them by a player who ignores
walls. From there, `after` has `steps` steps of reinforcement learning. `supervised` goes on with
demonstrations for as many seconds. `solver` has a solver's demonstrations alone, for the seconds of
`before` and `after` together.

Others, all with `steps` steps: `adapters` is an adapter for each agent on the cold start's weights
(L2), `models` a model for each (L3), and `swapped` has these play each other's part. `by_agent`,
`by_turn` and `by_neither` compare other answers with each other. `own_reward` has α = 0.
`one_before` and `one` are a single agent before and after GRPO. `joined` are agents that were
trained alone.

Told is the share of boards of the split “test” that a team solves with one answer per agent and
turn, at temperature 0. No training sees these boards: a board's own text decides its split.

With `--folder` a training that was broken off goes on, and nothing is trained twice.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
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
from workers.core.rollouts.kept import kept_in, tensors_in, write_models
from workers.core.specs import TaskSpec
from workers.core.training.context import UNASKED, TrainingContext
from workers.core.weights.files import models_folder

COLD: dict[str, Any] = {"steps": 0}
ONE: dict[str, Any] = {"plays": "planner"}
OTHER: dict[str, Any] = {"plays": "proposer"}
BASE = "nano-{seed}"
"""The model that adapters are trained on: a cold start's weights."""
ADAPTERS: dict[str, Any] = {
    "level": "adapters",
    "rank": 16,
    "lora_alpha": 32,
    "optimiser": "adamw",
    "learning_rate": 2e-3,
    "cold_steps": 0,
}


@dataclass(frozen=True, slots=True)
class Arm:
    """`start`: the arm whose checkpoint it begins from; "": none. `joined`: that which its second
    agent begins from."""

    start: str
    changes: dict[str, Any]
    joined: str = ""


ARMS: Mapping[str, Arm] = {
    "before": Arm("", COLD),
    "supervised": Arm("before", COLD),
    "solver": Arm("", COLD | {"cold_weak": 0.0}),
    "after": Arm("before", {}),
    "adapters": Arm("", ADAPTERS),
    "models": Arm("before", {"level": "models"}),
    "swapped": Arm("before", {"level": "models"}),
    "by_agent": Arm("before", {"grouping": "agent"}),
    "by_turn": Arm("before", {"grouping": "turn"}),
    "by_neither": Arm("before", {"grouping": "none"}),
    "own_reward": Arm("before", {"alpha": 0.0}),
    "one_before": Arm("", ONE | COLD),
    "one": Arm("one_before", ONE),
    "other_before": Arm("", OTHER | COLD),
    "other": Arm("other_before", OTHER),
    "joined": Arm("other", COLD | {"level": "models"}, joined="one"),
}
SAME = {"swapped": "models"}
"""Arms that are others' checkpoints, played in another way."""
AS_LONG = {"supervised": ("after",), "solver": ("before", "after")}
"""Supervised arms that take as long as others together."""
USUAL = ("before", "supervised", "after")


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

    async def solved(self, name: str) -> tuple[float, float]:
        """The share of boards that the arm solves, and the seconds of its training."""
        made = await self.trained(name)
        return await self._played(name, made.checkpoint), made.seconds

    async def trained(self, name: str) -> Trained:
        name = SAME.get(name, name)
        arm = ARMS[name]
        start = await self.trained(arm.start) if arm.start else None
        config = self.config | self._changes(name) | ({"cold_steps": 0} if start else {})
        if name == "adapters":
            await self._make_base()
        joined = await self.trained(arm.joined) if arm.joined else None
        if joined:
            config["joined"] = joined.checkpoint.name
        if name in AS_LONG:
            a_step = (await self.trained("before")).seconds / self.config["cold_steps"]
            seconds = sum([(await self.trained(arm)).seconds for arm in AS_LONG[name]])
            config["cold_steps"] = max(1, round(seconds / a_step))
        context = TrainingContext(
            llm=OpenAIClient(),
            endpoint=UNASKED,
            seed=self.seed,
            folder=self.folder / name,
            config=config,
            start_from=start.checkpoint if start else None,
            checkpoints=joined.checkpoint.parent if joined else None,
        )
        return await self._kept(name, context)

    def _changes(self, name: str) -> dict[str, Any]:
        base = {"model": BASE.format(seed=self.seed)} if name == "adapters" else {}
        return ARMS[name].changes | base

    async def _make_base(self) -> None:
        cold = (await self.trained("before")).checkpoint
        place = models_folder() / BASE.format(seed=self.seed)
        if not place.exists():
            write_models(cold, place)

    async def _kept(self, name: str, context: TrainingContext) -> Trained:
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

    async def _played(self, name: str, checkpoint: Path) -> float:
        from workers.core.rollouts.in_process import InProcessEngine
        from workers.core.rollouts.policies import PolicySpec

        config = AtGrpoTrainingConfig.model_validate(self.config | self._changes(name))
        kept = kept_in(checkpoint)
        specs = {
            policy: PolicySpec(kept.model, kept.rank, kept.alpha, tensors_in(checkpoint, policy))
            for policy in kept.policies
        }
        environment = one_environment(self.tests, config)
        engine = InProcessEngine(specs, seed=0)
        agents = kept.agents[::-1] if name == "swapped" else kept.agents
        trees = Trees(engine, environment, agents, config.tree_options())
        return fmean(episode.is_solved for episode in await trees.played(self.tests))


async def measured(
    options: argparse.Namespace, folder: Path
) -> dict[str, list[tuple[float, float]]]:
    """Each arm's share and seconds, seed by seed."""
    game = GAMES[options.game]
    boards = game.options.model_validate_json(options.boards)
    tasks = list(episodes(game, boards, split="train", count=options.train, seed=0))
    tests = list(episodes(game, boards, split="test", count=options.test, seed=0))
    config = PRESETS["studio"] | {"checkpoint_every": 10**6, "branches_kept": 0}
    config |= {"samples_per_step": 0, "steps": options.steps} | dict(options.set)
    found: dict[str, list[tuple[float, float]]] = {arm: [] for arm in options.arms}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        course = Course(tasks, tests, config, folder / f"seed-{seed}", seed)
        for arm in options.arms:
            solved, seconds = await course.solved(arm)
            found[arm].append((solved, seconds))
            told = {"seed": seed, "arm": arm, "solved": solved, "seconds": round(seconds)}
            print(json.dumps(told), flush=True)
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
    parser.add_argument("--train", type=int, default=20_000, help="boards to train on")
    parser.add_argument("--test", type=int, default=200, help="boards to test on")
    parser.add_argument("--steps", type=int, default=1_000, help="steps of reinforcement learning")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=USUAL)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--folder", type=Path, help="where trainings are kept, to go on with them")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        found = asyncio.run(measured(options, options.folder or Path(made)))
    solved = {arm: [one for one, _ in each] for arm, each in found.items()}
    seconds = {arm: fmean(one for _, one in each) for arm, each in found.items()}
    rows = [
        (arm, *(f"{of(each):.3f}" for of in (fmean, min, max)), f"{seconds[arm]:.0f}")
        for arm, each in solved.items()
    ]
    report(
        "atgrpo",
        ("arm", "solved", "least", "most", "seconds of training"),
        rows,
        **{arm: fmean(each) for arm, each in solved.items()},
        seconds=seconds.get("after"),
        seconds_of=seconds,
        wall_seconds=time.monotonic() - began,
    )


if __name__ == "__main__":
    main()
