"""Trains a designer of teams and its executors in a small world, together and one at a time.

    bin/studio bench metaagentx [--seeds 5] [--first-seed 10] [--arms stagewise joint …]
        [--folder FOLDER] [--steps 450] [--set learning_rate=0.0005 …] [--split validation]
        [--rounds 3]

The world (`bench/common/teams/`) is a controlled environment without a language model of words: a
query's words say which team answers it best, and a small model writes the scripts of teams and
speaks for their agents. The optimum is known by enumeration of the teams, so any gap is the
learners'. It is never a result about large language models.

All arms of a seed begin from the same cold start. All but one have the same number of executions:
`untrained`: random weights. `cold`: supervised steps on a teacher who knows half of the rules.
`designer` and `executor`: this role alone learns. `joint`: both in each step. `stagewise`: in turns
with the other one frozen. `stagewise_twice`: for twice the steps, so each role has as many
updates as in `joint`. `rates`: in turns, and the other one goes on with a small share of the
rate. `single_execution`: as stagewise, with N · M designs of one execution. `shared`: as stagewise,
with one model for both roles. `blind`: as stagewise, but the designer reads other queries, in all
of its life.

Told is the expected reward on the test's queries, at temperature 0, as a share of the optimum's.
Their pairs of words are in no query that is learned from or tuned on. `shuffled` is `stagewise`
with the designs of other queries. `executor frozen` is the best that a designer can do with the
cold start's executor, `designer frozen` the best that an executor can do with its designs.

With --folder a training that was broken off goes on, and nothing is trained twice.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.common.report import report
from bench.common.teams import trial
from bench.common.teams.model import make_model
from bench.common.teams.optimum import COST, MOST_CALLS, SHARES, Best, best
from bench.common.teams.queries import Query, Split, draw_queries
from bench.common.teams.teams import shape
from bench.common.teams.weak import ROUNDS
from bench.common.teams.world import TeamsWorld
from workers.core.events import CheckpointSaved, TrainingMetric
from workers.core.llm.client import OpenAIClient
from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.loop import train
from workers.core.methods.metaagent_x.training.policies import policies_of
from workers.core.rollouts.base import PolicyEngine
from workers.core.training.context import UNASKED, TrainingContext

TRAINING_QUERIES, TEST_QUERIES = 3_000, 200
TEST_SEED = 98
VALIDATION_SEED = 97
FIRST_SEED = 10
"""The first seed to report. Settings were chosen with seeds below it."""
SETTINGS: dict[str, Any] = {
    "level": "models",
    "rank": 0,
    "cold_questions": 24,
    "cold_rate": 2e-3,
    "questions_per_step": 16,
    "designs": 8,
    "executions": 2,
    "design_tokens": trial.DESIGN_TOKENS,
    "max_tokens": trial.ANSWER_TOKENS,
    "max_calls": MOST_CALLS,
    "call_cost": COST,
    "stage_steps": 75,
    "optimiser": "muon",
    "learning_rate": 7e-4,
    "final_rate": 0.2,
    "updates": 2,
    "kl": 0.03,
    "checkpoint_every": 10**6,
    "branches_kept": 0,
    "samples_per_step": 0,
}
COLD, COLD_STEPS, STEPS = "cold", 350, 450


@dataclass(frozen=True, slots=True)
class Arm:
    """`start`: the arm whose checkpoint it begins from. `longer`: how many times the steps."""

    changes: dict[str, Any]
    start: str = COLD
    is_blind: bool = False
    longer: int = 1


ONCE: dict[str, Any] = {"designs": SETTINGS["designs"] * SETTINGS["executions"], "executions": 1}
ARMS: Mapping[str, Arm] = {
    "untrained": Arm({}, start=""),
    COLD: Arm({"steps": 0}, start=""),
    "designer": Arm({"schedule": "designer"}),
    "executor": Arm({"schedule": "executor"}),
    "joint": Arm({"schedule": "joint"}),
    "stagewise": Arm({"schedule": "stagewise"}),
    "stagewise_twice": Arm({"schedule": "stagewise"}, longer=2),
    "rates": Arm({"schedule": "stagewise", "freeze": "rates"}),
    "single_execution": Arm({"schedule": "stagewise"} | ONCE),
    "shared_cold": Arm({"steps": 0, "level": "shared"}, start=""),
    "shared": Arm({"level": "shared"}, start="shared_cold"),
    "blind_cold": Arm({"steps": 0}, start="", is_blind=True),
    "blind": Arm({}, start="blind_cold", is_blind=True),
}
USUAL = (
    *("untrained", "cold", "designer", "executor", "joint", "stagewise", "stagewise_twice"),
    *("rates", "single_execution", "blind"),
)
SHOWN = ("correct", "executor_reward", "designer_reward", "scripts_run", "calls", "stage")
"""The metrics of a training that are kept as curves."""


@dataclass(frozen=True, slots=True)
class Trained:
    checkpoint: Path
    seconds: float
    """Of its steps, and of the arm that it begins from; a resumed one counts all of them."""


@dataclass(frozen=True, slots=True)
class Figures:
    """`share` is of the optimum. `shuffled`: with the designs of other queries; None: not asked."""

    share: float
    correct: float
    runs: float
    calls: float
    seconds: float
    shuffled: float | None = None


@dataclass(frozen=True)
class Course:
    """One seed's trainings, each in a folder of its own."""

    config: dict[str, Any]
    folder: Path
    seed: int
    split: Split
    rounds: int

    @cached_property
    def tests(self) -> list[Query]:
        seed = TEST_SEED if self.split == "test" else VALIDATION_SEED
        return draw_queries(TEST_QUERIES, seed=seed, split=self.split)

    @cached_property
    def learned(self) -> list[Query]:
        return draw_queries(TRAINING_QUERIES, seed=self.seed, split="train")

    def _world(self, arm: Arm, among: Sequence[Query]) -> TeamsWorld:
        others = [query.task() for query in among] if arm.is_blind else ()
        return TeamsWorld(others, rounds=self.rounds)

    def _config(self, name: str) -> MetaAgentXTrainingConfig:
        arm = ARMS[name]
        cold = {"cold_steps": 0 if arm.start else self.config["cold_steps"]}
        given = {"model": f"teams-{self.seed}", "steps": arm.longer * self.config["steps"]}
        return MetaAgentXTrainingConfig.model_validate(self.config | given | cold | arm.changes)

    async def figures(self, name: str) -> Figures:
        arm = ARMS[name]
        made = None if name == "untrained" else await self.trained(name)
        engine = self._engine(name, made.checkpoint if made else None)
        policies = policies_of(self._config(name))
        world = self._world(arm, self.tests)
        says = trial.executor_of(engine, policies)
        scripts = trial.designed(engine, policies, world, [query.task() for query in self.tests])
        value = await trial.valued(self.tests, scripts, says)
        optimum = best().of(self.tests)
        shuffled = None
        if name == "stagewise":
            moved = scripts[1:] + scripts[:1]  # the kinds are in turn
            shuffled = (await trial.valued(self.tests, moved, says)).reward / optimum
        return Figures(
            share=value.reward / optimum,
            correct=value.correct,
            runs=value.runs,
            calls=value.calls,
            seconds=made.seconds if made else 0.0,
            shuffled=shuffled,
        )

    async def ceilings(self) -> dict[str, float]:
        """Shares of the optimum that the best other role reaches beside the cold start's."""
        made = await self.trained(COLD)
        engine, policies = self._engine(COLD, made.checkpoint), policies_of(self._config(COLD))
        says = trial.executor_of(engine, policies)
        found = await trial.best_for(self.tests, says)
        frozen_executor = sum(SHARES[cell] * reward for cell, (_, reward) in found.items())
        tasks = [query.task() for query in self.tests]
        scripts = trial.designed(engine, policies, TeamsWorld(), tasks)
        frozen_designer = await trial.valued(self.tests, scripts, trial.best_executor)
        optimum = best().of(self.tests)
        return {
            "executor frozen": frozen_executor / best().optimum,
            "designer frozen": frozen_designer.reward / optimum,
        }

    async def trained(self, name: str) -> Trained:
        arm = ARMS[name]
        start = await self.trained(arm.start) if arm.start else None
        self._make_model()
        folder = self.folder / name
        told, seconds_before = folder / "bench.json", start.seconds if start else 0.0
        if told.exists():
            kept = json.loads(told.read_text())
            return Trained(folder / "checkpoints" / kept["checkpoint"], kept["seconds"])
        context = TrainingContext(
            llm=OpenAIClient(),
            endpoint=UNASKED,
            seed=self.seed,
            folder=folder,
            config={},
            start_from=start.checkpoint if start else None,
        )
        curves: dict[int, dict[str, float]] = {}
        last = ""
        tasks = [query.task() for query in self.learned]
        world = self._world(arm, self.learned)
        async for event in train(tasks, context, self._config(name), world):
            if isinstance(event, TrainingMetric):
                curves[event.step] = dict(event.values)
                self._say(name, event)
            elif isinstance(event, CheckpointSaved):
                last = event.name
        seconds = seconds_before + sum(values["seconds"] for values in curves.values())
        shown = {
            step: {key: round(values[key], 4) for key in SHOWN if key in values}
            for step, values in curves.items()
        }
        told.write_text(json.dumps({"checkpoint": last, "seconds": seconds, "curves": shown}))
        return Trained(folder / "checkpoints" / last, seconds)

    def _say(self, name: str, event: TrainingMetric) -> None:
        if event.step % 25 == 0:
            keys = (*SHOWN, "entropy_designer", "entropy_executor", "seconds")
            said = [f"{key} {event.values[key]:.3f}" for key in keys if key in event.values]
            print(f"seed {self.seed} {name} {event.step}:", *said, flush=True)

    def _make_model(self) -> None:
        place = Path(os.environ["STUDIO_MODELS_DIR"]) / f"teams-{self.seed}"
        if not place.exists():
            make_model(place, seed=self.seed)

    def _engine(self, name: str, checkpoint: Path | None) -> PolicyEngine:
        from workers.core.rollouts.in_process import InProcessEngine
        from workers.core.rollouts.kept import tensors_in
        from workers.core.rollouts.policies import PolicySpec

        self._make_model()
        config = self._config(name)
        specs = {
            policy: PolicySpec(
                config.model, start=tensors_in(checkpoint, policy) if checkpoint else None
            )
            for policy in policies_of(config).values()
        }
        return InProcessEngine(specs, seed=self.seed)


async def measured(options: argparse.Namespace, folder: Path) -> dict[str, list[Figures]]:
    """Each arm's figures, seed by seed."""
    config = SETTINGS | {"steps": options.steps, "cold_steps": options.cold} | dict(options.set)
    found: dict[str, list[Figures]] = {arm: [] for arm in options.arms}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        course = Course(config, folder / f"seed-{seed}", seed, options.split, options.rounds)
        for arm in options.arms:
            figures = await course.figures(arm)
            found[arm].append(figures)
            print(json.dumps({"seed": seed, "arm": arm} | asdict(figures)), flush=True)
        print(json.dumps({"seed": seed} | await course.ceilings()), flush=True)
    return found


def tell(known: Best) -> None:
    print(f"Optimum: a reward of {known.optimum:.3f}, {known.correct:.3f} of the queries right")
    for cell, team in known.teams.items():
        print(f"  {cell[0]}, operations: {cell[1]}: {shape(team)}, {known.worth[cell].reward:.3f}")
    print(f"Best fixed team: {shape(known.fixed_team)}, {known.fixed / known.optimum:.3f} of it")
    print(f"Mean of all teams: {known.random / known.optimum:.3f} of it", flush=True)


def setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def main() -> None:
    parser = argparse.ArgumentParser(prog="bin/studio bench metaagentx")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=USUAL)
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of reinforcement learning")
    parser.add_argument("--cold", type=int, default=COLD_STEPS, help="supervised steps before them")
    parser.add_argument("--split", choices=("test", "validation"), default="test")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help="most rounds of a check that the teacher shows"
    )
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--folder", type=Path, help="where trainings are kept, to go on with them")
    options = parser.parse_args()
    began = time.monotonic()
    tell(best())
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        models = os.environ.setdefault("STUDIO_MODELS_DIR", str(folder / "models"))
        Path(models).mkdir(parents=True, exist_ok=True)
        found = asyncio.run(measured(options, folder))
    _report(found, time.monotonic() - began)


def _report(found: Mapping[str, Sequence[Figures]], wall: float) -> None:
    shares = {arm: [each.share for each in all_] for arm, all_ in found.items()}
    means = {arm: fmean(each) for arm, each in shares.items()}
    rows = [
        (
            arm,
            *(f"{of(shares[arm]):.3f}" for of in (fmean, min, max)),
            f"{fmean(each.correct for each in all_):.3f}",
            f"{fmean(each.runs for each in all_):.3f}",
            f"{fmean(each.calls for each in all_):.2f}",
            f"{fmean(each.seconds for each in all_):.0f}",
        )
        for arm, all_ in found.items()
    ]
    stagewise = found.get("stagewise", ())
    shuffled = [each.shuffled for each in stagewise if each.shuffled is not None]
    difference = None
    if "stagewise" in means and "joint" in means:
        difference = means["stagewise"] - means["joint"]
    report(
        "metaagentx",
        ("arm", "share of the optimum", "least", "most", "correct", "runs", "calls", "seconds"),
        rows,
        share_of_optimum=means.get("stagewise"),
        runnable=fmean(each.runs for each in stagewise) if stagewise else None,
        stagewise_minus_joint=difference,
        seconds=fmean(each.seconds for each in stagewise) if stagewise else None,
        shares=means,
        shuffled=fmean(shuffled) if shuffled else None,
        fixed=best().fixed / best().optimum,
        optimum=best().optimum,
        wall_seconds=wall,
    )


if __name__ == "__main__":
    main()
