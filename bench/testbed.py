"""Measures how near each configuration of MasHost comes to the optimum on the testbed.

    bin/studio bench testbed [--seeds 5] [--queries 3000] [--only "studio;paper"] [--curves FILE]
    bin/studio bench testbed --sweep changes|rounds|exemption

The testbed (`bench/common/testbed/world.py`) is a controlled environment without a language model.
Its optimum is known by enumeration, so any gap is the learner's. Every figure is the expected
reward of the teams that the policy builds at inference for held-out queries, divided by the reward
of the best team. It is never a result about LLMs. `blind_share` is the control: a policy that reads
no query and asks one planner after another until one does not refuse. A figure that is not above it
does not show that the policy reads the query.

Configurations: `studio` and `paper` as they ship, with three differences. The network is smaller
(64 units, one layer). The testbed lacks the paper's summary agent. A step has 16 queries, and with
`studio` 96 teams per query, because queries are counted here and teams cost nothing. Then the
paper's ablations follow (without JPSS, without the action-wise reward, without the group advantage,
without exemption time), and those of its priors. The sweeps take back each change of `studio`
alone, with a training of real sizes, and vary what §6.8 varies: rounds over a sample (n_r) and
exemption time (T_E). For every seed two policies are trained on the same queries side by side, one
thread each. Of all points on their curves the one that earned most on these queries counts;
`--members 1` trains one policy. A column and `last_of_one` also show where a single training ends,
without a choice. Everything takes many hours; with `--curves FILE` a stopped benchmark continues.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import hashlib
import json
import signal
import statistics
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

import bench.common.testbed
import workers.core.rl
from bench.common.report import report
from bench.common.testbed.blind import blind_reward
from bench.common.testbed.optimum import Score
from bench.common.testbed.trial import Point, Trained, World, teams_in_words, train_on_testbed
from workers.core.methods import mashost
from workers.core.methods.base import Sweep
from workers.core.methods.mashost.method import MasHost
from workers.core.methods.mashost.training.config import MasHostTrainingConfig
from workers.core.methods.mashost.training.sweeps import ABLATIONS, CHANGES, EXEMPTION, ROUNDS

PR_SET_PDEATHSIG = 1
QUERIES_PER_STEP = 16
SYSTEMS_PER_QUERY = 96
NETWORK = {"hidden": 64, "layers": 1}
"""Small, so a seed takes a quarter of an hour."""
LEARNING = [
    Path(package.__path__[0]) for package in (workers.core.rl, mashost, bench.common.testbed)
]
FIRST_SEED = 90
"""The first seed to report. Settings were chosen with seeds below it."""
SEEDS = f"how many seeds, from {FIRST_SEED} on, or a list of seeds: 0,3"
MEMBERS = (
    "number of trainings per seed on the same queries; the one that earned most on them is kept"
)
CURVES = (
    "file of JSON lines, one per finished training; trainings that it already has are not repeated"
)


def _configurations(sweep: Sweep, preset: str | None = None) -> dict[str, dict[str, Any]]:
    """The complete settings of each training of a sweep. The preset's own has no label."""
    preset = preset or sweep.preset
    settings = MasHost.presets[preset]
    if "systems_per_query" not in settings:
        settings = settings | {"systems_per_query": SYSTEMS_PER_QUERY}
    return {
        f"{preset}, {label}" if values else preset: settings | dict(values)
        for label, values in sweep.values.items()
    }


DEFAULTS = {
    name: MasHostTrainingConfig.model_fields[name].default
    for name in ("queries_per_step", "systems_per_query")
}
STUDIO_CHANGES = _configurations(CHANGES)
CONFIGURATIONS = {"studio": STUDIO_CHANGES["studio"]} | _configurations(ABLATIONS)
SWEEPS = {
    "changes": STUDIO_CHANGES
    | {"studio, sizes of a real training": MasHost.presets["studio"] | DEFAULTS}
} | {
    name: _configurations(sweep, "studio") | _configurations(sweep, "paper")
    for name, sweep in (("rounds", ROUNDS), ("exemption", EXEMPTION))
}
ALL = CONFIGURATIONS | SWEEPS["changes"] | SWEEPS["rounds"] | SWEEPS["exemption"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One training: a configuration with its complete settings, a seed, and the member's number."""

    name: str
    seed: int
    member: int
    settings: dict[str, Any]
    code: str
    """Digest of the learning code, so results of another version are not taken for this one's."""

    @classmethod
    def of(cls, name: str, seed: int, queries: int, *, member: int = 0) -> Trial:
        settings = {"queries_per_step": QUERIES_PER_STEP} | ALL[name] | NETWORK
        steps = queries // settings["queries_per_step"]
        config = MasHostTrainingConfig.model_validate(settings | {"steps": steps})
        return cls(name, seed, member, config.model_dump(mode="json"), _code())


@cache
def _code() -> str:
    """12 hex digits that change with any module that a trial runs, except for comments. Sweeps are
    left out: every trial has its complete settings."""
    digest = hashlib.sha256()
    for folder in LEARNING:
        for file in sorted(folder.rglob("*.py")):
            if "tests" not in file.parts and file.name != "sweeps.py":
                digest.update(ast.dump(ast.parse(file.read_text())).encode())
    return digest.hexdigest()[:12]


def main() -> None:
    options = _options()
    known = SWEEPS[options.sweep] if options.sweep else CONFIGURATIONS
    names = [name.strip() for name in options.only.split(";")] if options.only else list(known)
    unknown = [name for name in names if name not in ALL]
    if unknown:
        raise SystemExit(f"There is no configuration {unknown}. Use one of: {'; '.join(known)}.")
    trials = [
        Trial.of(name, seed, options.queries, member=member)
        for name in names
        for seed in options.seeds
        for member in range(options.members)
    ]
    trained = _trained(trials, options.processes, options.curves)
    _report({name: outcomes(trained, name) for name in names}, options.members)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one seed on the test: the point on its members' curves that earned most on the
    training's queries, and where its first member ended."""

    chosen: Point
    last: Point
    points: int
    """Evaluations of all training queries that the choice needed, over all members."""
    seconds: float
    """Seconds of the slowest member, from an empty process to its last figure."""


def outcomes(trained: list[tuple[Trial, Trained]], name: str) -> list[Outcome]:
    """One outcome per seed of the configuration, in the order of the seeds."""
    by_seed: dict[int, dict[int, Trained]] = {}
    for trial, result in trained:
        if trial.name == name:
            by_seed.setdefault(trial.seed, {})[trial.member] = result
    return [_outcome(by_seed[seed]) for seed in sorted(by_seed)]


def _outcome(members: dict[int, Trained]) -> Outcome:
    chosen = max(members.values(), key=lambda each: each.earned)
    points = sum(len(each.curve) for each in members.values())
    seconds = max(each.seconds for each in members.values())
    return Outcome(chosen.test, members[min(members)].last, points, seconds)


def _trained(trials: list[Trial], processes: int, file: Path | None) -> list[tuple[Trial, Trained]]:
    """The result of each trial. Those that the file already has are not trained again."""
    results = [(trial, found) for trial, found in _read(file) if trial in trials] if file else []
    done = [trial for trial, _ in results]
    pool = ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_die_with_parent
    )
    with pool:
        running = {pool.submit(_train, trial): trial for trial in trials if trial not in done}
        for future in as_completed(running):
            trial, trained = running[future], future.result()
            results.append((trial, trained))
            if file:
                _append(file, trial, trained)
            best = trained.test
            print(
                f"{trial.name}, seed {trial.seed}.{trial.member}: {best.share:.3f} of the optimum, "
                f"earned {trained.earned:.3f}, {best.agents:.1f} agents, "
                f"{best.score.tokens:.0f} tokens, {best.queries} queries, {trained.seconds:.0f} s; "
                f"at the end {trained.last.share:.3f}",
                flush=True,
            )
    return results


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/studio bench testbed")
    parser.add_argument("--seeds", type=_seeds, default=_seeds("5"), help=SEEDS)
    parser.add_argument("--queries", type=int, default=3_000)
    parser.add_argument("--only", default="", help="configurations, separated by semicolons")
    parser.add_argument(
        "--sweep", choices=sorted(SWEEPS), help="run this sweep instead of the ablations"
    )
    parser.add_argument("--members", type=int, default=2, help=MEMBERS)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--curves", type=Path, help=CURVES)
    return parser.parse_args()


def _seeds(text: str) -> list[int]:
    """Seeds from an option: “3” means the first three, “0,3” or “3,” means exactly these."""
    if "," in text:
        return [int(seed) for seed in text.split(",") if seed]
    return list(range(FIRST_SEED, FIRST_SEED + int(text)))


def _die_with_parent() -> None:
    """Linux then kills a process when its parent is gone, even by `kill -9`."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _train(trial: Trial) -> Trained:
    began = time.perf_counter()
    torch.set_num_threads(1)
    config = MasHostTrainingConfig.model_validate(trial.settings)
    world = _world(config.beta)
    return train_on_testbed(world, config, seed=trial.seed, member=trial.member, began=began)


@cache
def _world(beta: float) -> World:
    """The world, made once in each process. The first training there counts its seconds."""
    return World.make(beta=beta)


def _report(results: dict[str, list[Outcome]], members: int) -> None:
    """`share_of_optimum` is the worst seed's. `medians` and `worst` are of each configuration."""
    results = {name: seeds for name, seeds in results.items() if seeds}
    chosen = {name: [seed.chosen.share for seed in seeds] for name, seeds in results.items()}
    last = {name: [seed.last.share for seed in seeds] for name, seeds in results.items()}
    world = _world(MasHostTrainingConfig.model_fields["beta"].default)
    print(f"Optimum: reward {world.optimum:.3f}")
    for domain, team in teams_in_words(world).items():
        print(f"  {domain}: {team}")
    blind = blind_reward(world.roles, world.best, world.luck, world.beta) / world.optimum
    print(f"A policy that reads no query: {blind:.3f} of the optimum")
    medians = {name: statistics.median(values) for name, values in chosen.items()}
    worst = {name: min(values) for name, values in chosen.items()}
    everyone = [seed for seeds in results.values() for seed in seeds]
    queries = max(seed.chosen.queries for seed in everyone)
    report(
        "testbed",
        (
            "configuration",
            "share: median (worst–best)",
            "last of one training",
            "agents",
            "tokens",
            "seconds: median (longest)",
        ),
        [_row(name, seeds) for name, seeds in results.items()],
        share_of_optimum=worst.get("studio"),
        blind_share=blind,
        paper_share=medians.get("paper"),
        queries=queries,
        ablations={name: medians[name] for name in medians if name not in ("studio", "paper")},
        medians=medians,
        worst=worst,
        last_of_one={name: statistics.median(values) for name, values in last.items()},
        last_of_one_worst={name: min(values) for name, values in last.items()},
        members=members,
        training_visits=members * queries,
        selection_visits=max(seed.points for seed in everyone) * queries,
        seconds={name: max(each.seconds for each in seeds) for name, seeds in results.items()},
    )


def _row(name: str, seeds: list[Outcome]) -> tuple[str, ...]:
    chosen = [seed.chosen for seed in seeds]
    seconds = [seed.seconds for seed in seeds]
    return (
        name,
        _spread([point.share for point in chosen]),
        _spread([seed.last.share for seed in seeds]),
        f"{statistics.median(point.agents for point in chosen):.1f}",
        f"{statistics.median(point.score.tokens for point in chosen):.0f}",
        f"{statistics.median(seconds):.0f} ({max(seconds):.0f})",
    )


def _spread(shares: list[float]) -> str:
    return f"{statistics.median(shares):.3f} ({min(shares):.3f}–{max(shares):.3f})"


def _append(file: Path, trial: Trial, trained: Trained) -> None:
    line = {**asdict(trial), **asdict(trained)}
    with file.open("a") as lines:
        lines.write(json.dumps(line) + "\n")


def _read(file: Path) -> list[tuple[Trial, Trained]]:
    if not file.exists():
        return []
    found = []
    for line in map(json.loads, file.read_text().splitlines()):
        if line["code"] != _code():
            continue  # another version's, and perhaps of another shape
        curve = [_point(each) for each in line.pop("curve")]
        test, last = _point(line.pop("test")), _point(line.pop("last"))
        trained = Trained(curve, line.pop("earned"), test, last, line.pop("seconds"))
        found.append((Trial(**line), trained))
    return found


def _point(values: dict[str, Any]) -> Point:
    return Point(**values | {"score": Score(**values["score"])})


if __name__ == "__main__":
    main()
