"""Trains the nano team of AT-GRPO on a game: before, supervised alone, and with reinforcement.

    bin/studio bench atgrpo [--game plan_path] [--boards '{"size": 5}'] [--seeds 1] [--steps 1000]
        [--arms before supervised after …] [--preset studio] [--set max_tokens=20 …]
        [--folder FOLDER] [--rows gsm8k LEARNED.jsonl UNSEEN.jsonl]

`untrained` is the model as it is: random weights, if it is nano. `before` is the cold start:
supervised steps on demonstrations, most of them by a player who ignores walls. From there, `after`
has `steps` steps of reinforcement learning. `supervised` goes on with demonstrations for as many
seconds. `solver` has a solver's demonstrations alone, for the seconds of `before` and `after`
together.

Others, all with `steps` steps: `adapters` is an adapter for each agent on the cold start's weights
(L2), `models` a model for each (L3), and `swapped` has these play each other's part. `by_agent`,
`by_turn` and `by_neither` compare other answers with each other. `own_reward` has α = 0.
`one_untrained`, `one_before` and `one` are a single agent, before and after GRPO. `joined` are
agents that were trained alone. `straight` and `one_straight` have no cold start.

Told is the share of boards of the split “test” that a team solves with one answer per agent and
turn, at temperature 0, with the tokens that it says for a board and the share of answers that were
cut. No training sees these boards: a board's own text decides its split.

With `--rows` the team answers a benchmark's questions instead: it learns from the first rows of one
file, and is tested on those of the other one. Another model needs another preset, such as
`--preset language` for games in words, `math` or `code`.

With `--folder` a training that was broken off goes on, and nothing is trained twice.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.common.report import report
from workers.core.benchmarks.games.episodes import GAMES, episodes
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.events import CheckpointSaved, Event, TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.methods.at_grpo.method import AtGrpo
from workers.core.methods.at_grpo.team import names_of, one_environment
from workers.core.methods.at_grpo.training.config import PRESETS, AtGrpoTrainingConfig
from workers.core.methods.at_grpo.training.policies import kept_of
from workers.core.methods.at_grpo.trees import Trees
from workers.core.rollouts.kept import kept_in, tensors_in, write_models
from workers.core.specs import TaskSpec
from workers.core.tools.sandbox import warm_sandboxes
from workers.core.training.context import UNASKED, TrainingContext
from workers.core.weights.files import models_folder

COLD: dict[str, Any] = {"steps": 0}
STRAIGHT: dict[str, Any] = {"cold_steps": 0}
PLAYERS = {"math": ("reasoner", "tool_user"), "code": ("coder",)}
"""Who can play alone, by environment."""
OF_GAMES = ("planner", "proposer")
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
    agent begins from. `alone`: the place of the one agent that plays."""

    start: str
    changes: dict[str, Any]
    joined: str = ""
    alone: int | None = None


ARMS: Mapping[str, Arm] = {
    "untrained": Arm("", {}),
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
    "straight": Arm("", STRAIGHT),
    "one_untrained": Arm("", {}, alone=0),
    "one_straight": Arm("", STRAIGHT, alone=0),
    "one_before": Arm("", COLD, alone=0),
    "one": Arm("one_before", {}, alone=0),
    "other_before": Arm("", COLD, alone=1),
    "other": Arm("other_before", {}, alone=1),
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
class Played:
    """The share of boards that were solved, the tokens said for a board, the share of answers that
    were cut, and the seconds of the training."""

    solved: float
    tokens: float
    cut: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Course:
    """One seed's trainings, each in a folder of its own."""

    tasks: Sequence[TaskSpec]
    tests: Sequence[TaskSpec]
    config: dict[str, Any]
    folder: Path
    seed: int

    async def played(self, name: str) -> Played:
        if name.endswith("untrained"):
            return await self._played(name, None, 0.0)
        made = await self.trained(name)
        return await self._played(name, made.checkpoint, made.seconds)

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
        changes = dict(ARMS[name].changes)
        if name == "adapters":
            changes["model"] = BASE.format(seed=self.seed)
        alone = ARMS[name].alone
        if alone is not None:
            config = AtGrpoTrainingConfig.model_validate(self.config)
            players = PLAYERS.get(one_environment(self.tests, config).key, OF_GAMES)
            changes["plays"] = players[alone]
        return changes

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
            if event.step % 20 == 0 or "held_out_accuracy" in values:
                shown = (
                    "held_out_accuracy",
                    "solved",
                    "reward",
                    "loss",
                    "entropy_shared",
                    "seconds",
                )
                said = [f"{key} {values[key]:.3f}" for key in shown if key in values]
                print(f"seed {self.seed} {name} {event.step}:", *said, flush=True)
        return event.name if isinstance(event, CheckpointSaved) else ""

    async def _played(self, name: str, checkpoint: Path | None, seconds: float) -> Played:
        """Without a checkpoint: by the model as it is."""
        from workers.core.rollouts.in_process import InProcessEngine
        from workers.core.rollouts.policies import PolicySpec

        config = AtGrpoTrainingConfig.model_validate(self.config | self._changes(name))
        environment = one_environment(self.tests, config)
        if checkpoint:
            kept = kept_in(checkpoint)
        else:
            kept = kept_of(config, environment.key, names_of(environment))
        specs = {
            policy: PolicySpec(
                kept.model,
                kept.rank,
                kept.alpha,
                tensors_in(checkpoint, policy) if checkpoint else None,
            )
            for policy in kept.policies
        }
        engine = InProcessEngine(specs, seed=self.seed)
        agents = kept.agents[::-1] if name == "swapped" else kept.agents
        trees = Trees(engine, environment, agents, config.tree_options())
        async with warm_sandboxes():
            grown = await trees.played(self.tests)
        said = [branch.sample for group in grown.groups for branch in group.branches]
        return Played(
            solved=fmean(episode.is_solved for episode in grown.episodes),
            tokens=sum(len(each.tokens) for each in said) / len(grown.episodes),
            cut=fmean(each.finish == "length" for each in said),
            seconds=seconds,
        )


def tasks_of(options: argparse.Namespace) -> tuple[list[TaskSpec], list[TaskSpec]]:
    """Those to learn from, and those to be tested on."""
    if options.rows:
        key, *files = options.rows
        counts = (options.train, options.test)
        learned, unseen = (
            [BENCHMARKS[key].task(row) for row in islice(_rows(file), count)]
            for file, count in zip(files, counts, strict=True)
        )
        return learned, unseen
    game = GAMES[options.game]
    boards = game.options.model_validate_json(options.boards)
    return (
        list(episodes(game, boards, split="train", count=options.train, seed=0)),
        list(episodes(game, boards, split="test", count=options.test, seed=0)),
    )


def _rows(file: str) -> Iterator[dict[str, Any]]:
    with Path(file).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def measured(options: argparse.Namespace, folder: Path) -> dict[str, list[Played]]:
    """Each arm's figures, seed by seed."""
    tasks, tests = tasks_of(options)
    config = PRESETS[options.preset] | {"checkpoint_every": 10**6, "branches_kept": 0}
    config |= {"samples_per_step": 0, "steps": options.steps} | dict(options.set)
    found: dict[str, list[Played]] = {arm: [] for arm in options.arms}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        course = Course(tasks, tests, config, folder / f"seed-{seed}", seed)
        for arm in options.arms:
            played = await course.played(arm)
            found[arm].append(played)
            print(json.dumps({"seed": seed, "arm": arm} | asdict(played)), flush=True)
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
    parser.add_argument(
        "--rows", nargs=3, metavar=("BENCHMARK", "LEARNED", "UNSEEN"), help="files of rows, as JSON"
    )
    parser.add_argument("--preset", choices=PRESETS, default="studio")
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
    solved = {arm: [each.solved for each in all_] for arm, all_ in found.items()}
    seconds = {arm: fmean(each.seconds for each in all_) for arm, all_ in found.items()}
    rows = [
        (
            arm,
            *(f"{of(solved[arm]):.3f}" for of in (fmean, min, max)),
            f"{fmean(each.tokens for each in all_):.0f}",
            f"{fmean(each.cut for each in all_):.3f}",
            f"{seconds[arm]:.0f}",
        )
        for arm, all_ in found.items()
    ]
    report(
        "atgrpo",
        ("arm", "solved", "least", "most", "tokens", "cut", "seconds of training"),
        rows,
        **{arm: fmean(each) for arm, each in solved.items()},
        seconds=seconds.get("after"),
        seconds_of=seconds,
        wall_seconds=time.monotonic() - began,
    )


if __name__ == "__main__":
    main()
