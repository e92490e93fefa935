"""Trains an adapter in the world of stages and measures how near it comes to the optimum.

Episodes go in lockstep: all are at the same stage, and one batch chooses all workflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bench.common.stages.optimum import all_chances
from bench.common.stages.tasks import StagedTask
from bench.common.stages.world import KINDS, SETS, SITUATIONS, STAGES, SUBTASKS, WORKERS, Layers
from workers.core.embed.minilm import MiniLMEmbedder
from workers.core.events import Assessment, TaskState
from workers.core.methods.evomas.adapter import (
    Adapter,
    Choosing,
    Sampled,
    States,
    initial_adapter,
    sample,
    told_apart,
)
from workers.core.methods.evomas.agents import agent_text
from workers.core.methods.evomas.choosing import choosing_of
from workers.core.methods.evomas.config import ENSEMBLE, EXIT, AdapterConfig
from workers.core.methods.evomas.state import (
    Artifact,
    Proposed,
    compact,
    initial_state,
    progress,
    replanned,
    updated,
)
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig
from workers.core.methods.evomas.training.learner import Learner, Trajectory
from workers.core.pools import load_builtin_pool
from workers.core.rl.subsets import members
from workers.core.tools.registry import TOOLS

POOL = load_builtin_pool("evomas")
NAMED = [role.key for role in POOL.roles]
EXIT_PLACE = NAMED.index(EXIT)
BITS = np.array(
    [2 ** (len(WORKERS) - 1 - WORKERS.index(key)) if key in WORKERS else 0 for key in NAMED]
)
"""What each role adds to the number of a set in SETS."""
NAMES = {role.key: role.name for role in POOL.roles}

Reading = Literal["own", "shuffled"]
"""shuffled: the control. The adapter gets another task's state, in training and in the test."""


class Texts:
    """Embeddings of the world's sentences, each computed once, as one table."""

    def __init__(self) -> None:
        self._embedder = MiniLMEmbedder()
        self._places: dict[str, int] = {}
        self.table = torch.zeros(0, self._embedder.dimension)

    def places(self, texts: Sequence[str]) -> list[int]:
        new = [text for text in dict.fromkeys(texts) if text not in self._places]
        if new:
            rows = torch.from_numpy(np.array(self._embedder.embed_now(new)))
            self._places |= {text: len(self.table) + n for n, text in enumerate(new)}
            self.table = torch.cat([self.table, rows])
        return [self._places[text] for text in texts]


@dataclass(frozen=True, slots=True)
class Ground:
    """What states of these tasks look like, as places in the table of texts. By the method's own
    updater, every state has two texts. The first depends on the subtask and on whether an attempt
    failed, the second on that, on how many subtasks are done and on which roles were tried.

    Legend: T tasks, P subtasks of one, 2 whether an attempt failed, 64 sets of roles.
    """

    texts: Texts
    kinds: NDArray[np.int64]  # (T, P)
    asked: NDArray[np.int64]  # (T, P, 2)
    went: NDArray[np.int64]  # (P, 2, 64)
    chances: NDArray[np.float64]  # (kinds, 2, 64³), of `all_chances`

    @classmethod
    def of(cls, tasks: Sequence[StagedTask], texts: Texts) -> Ground:
        asked = texts.places([compact(each, NAMES)[0] for task in tasks for each in _states(task)])
        went = texts.places([compact(each, NAMES)[1] for each in _histories(tasks[0])])
        chances = all_chances()
        return cls(
            texts,
            np.array([[KINDS.index(kind) for kind in task.kinds] for task in tasks]),
            np.array(asked).reshape(len(tasks), SUBTASKS, 2),
            np.array(went).reshape(SUBTASKS, 2, len(SETS)),
            np.array([chances[each] for each in SITUATIONS]).reshape(len(KINDS), 2, -1),
        )


def _states(task: StagedTask) -> Iterator[TaskState]:
    """Each subtask in turn, new and after a failure."""
    state = first_state(task)
    for _ in task.subtasks:
        yield state
        yield after(state, (("io",),), success=False)
        state = after(state, (("io",),), success=True)


def _histories(task: StagedTask) -> Iterator[TaskState]:
    """Each number of done subtasks, new and after a failure of each set of roles."""
    state = first_state(task)
    for _ in task.subtasks:
        yield from (state for _ in SETS)
        yield from (after(state, (roles,), success=False) for roles in SETS)
        state = after(state, (("io",),), success=True)


def first_state(task: StagedTask) -> TaskState:
    plan = [Proposed(text) for text in task.subtasks]
    return replanned(initial_state(task.objective), plan, most=len(plan))[0]


def after(state: TaskState, layers: Layers, *, success: bool) -> TaskState:
    verdict: Literal["success", "refine"] = "success" if success else "refine"
    feedback = "The result is confirmed." if success else "The result is not confirmed."
    said = Assessment(verdict=verdict, confidence=1.0, feedback=feedback)
    return updated(state, layers, Artifact("A result."), said, stage=1)


@dataclass(slots=True)
class Courses:
    """Where some episodes are: (B,) each. `tried`: the number of the set of roles in SETS."""

    task: NDArray[np.int64]
    done: NDArray[np.int64]
    again: NDArray[np.int64]
    tried: NDArray[np.int64]

    @classmethod
    def begin(cls, task: NDArray[np.int64]) -> Courses:
        return cls(task, np.zeros_like(task), np.zeros_like(task), np.zeros_like(task))

    def of(self, rows: NDArray[Any]) -> Courses:
        return Courses(self.task[rows], self.done[rows], self.again[rows], self.tried[rows])

    @classmethod
    def joined(cls, parts: Sequence[Courses]) -> Courses:
        return cls(
            *(
                np.concatenate([getattr(each, name) for each in parts])
                for name in ("task", "done", "again", "tried")
            )
        )

    def after(self, tried: NDArray[np.int64], success: NDArray[np.bool_]) -> Courses:
        failed = ~success
        return Courses(
            self.task, self.done + success, failed.astype(int), (self.tried | tried) * failed
        )

    def reading(self, ground: Ground) -> NDArray[np.int64]:
        """(B, 2) in the table of texts."""
        asked = ground.asked[self.task, self.done, self.again]
        return np.stack([asked, ground.went[self.done, self.again, self.tried]], axis=1)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Of each state what was read, what was sampled, which roles work, and how that goes."""

    places: Tensor  # (B, 2)
    sampled: Sampled
    tried: NDArray[np.int64]  # (B,), 0 where nobody works
    stops: NDArray[np.bool_]  # (B,), Early-exit left nobody to work
    chance: NDArray[np.float64]  # (B,), of success


@dataclass(frozen=True, slots=True)
class Trial:
    """An adapter that chooses. `agents` E (7, D)."""

    adapter: Adapter
    agents: Tensor
    choosing: Choosing
    texts: Texts
    reading: Reading = "own"

    def choose(
        self, ground: Ground, courses: Courses, random: np.random.Generator, *, draws: bool
    ) -> Chosen:
        count = len(courses.task)
        places = courses.reading(ground)
        if self.reading == "shuffled":
            places = places[random.permutation(count)]
        uniforms = None
        if draws:
            shape = (count, self.choosing.layers, len(POOL.roles))
            uniforms = torch.from_numpy(random.random(shape)).float()
        read = torch.from_numpy(places)
        found = sample(self.adapter, self.agents, self.states(read), self.choosing, uniforms)
        picked = torch.stack([members(order) for order in found.orders.unbind(dim=1)], dim=1)
        layers = _working(picked.numpy())
        tried = np.bitwise_or.reduce(layers, axis=1)
        kinds = ground.kinds[courses.task, courses.done]
        return Chosen(
            read,
            found,
            tried,
            (tried == 0) & picked[..., EXIT_PLACE].any(dim=1).numpy(),
            ground.chances[kinds, courses.again, layers @ len(SETS) ** np.arange(2, -1, -1)],
        )

    def states(self, places: Tensor) -> States:
        """With only the rows that they need."""
        used, own = places.unique(return_inverse=True)
        return States(self.texts.table[used], own)


def _working(picked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The sets that work in each layer, as `playable` has them: (B, L, N) → (B, L) in SETS."""
    layers: NDArray[np.int64] = picked @ BITS
    ensemble = BITS[NAMED.index(ENSEMBLE)]
    before = np.zeros(len(picked), dtype=np.int64)
    for layer in layers.T:
        layer[before == 0] &= ~ensemble
        before |= layer
    return layers


def trained(
    ground: Ground,
    config: EvoMasTrainingConfig,
    *,
    seed: int,
    reading: Reading = "own",
) -> Trial:
    """The trial with the adapter after all steps. Tasks are drawn with replacement."""
    trial = untrained(config, ground.texts, seed=seed, reading=reading)
    learner = Learner(config, trial.adapter, trial.agents, trial.choosing)
    random = np.random.default_rng(seed)
    for _ in range(config.steps):
        learn(trial, learner, ground, random)
    return trial


def learn(
    trial: Trial, learner: Learner, ground: Ground, random: np.random.Generator
) -> dict[str, float]:
    """One step."""
    config = learner.config
    drawn = random.integers(len(ground.kinds), size=config.tasks_per_step)
    each = _play(trial, ground, drawn.repeat(config.rollouts_per_task), random)
    size = config.rollouts_per_task
    told = learner.update([each[start : start + size] for start in range(0, len(each), size)])
    return told | {"played": float(np.mean([trajectory.utility for trajectory in each]))}


def untrained(
    config: EvoMasTrainingConfig, texts: Texts, *, seed: int, reading: Reading = "own"
) -> Trial:
    places = texts.places([agent_text(role, TOOLS) for role in POOL.roles])
    agents, choosing = told_apart(texts.table[places]), choosing_of(config, POOL)
    shape = AdapterConfig(dimension=agents.shape[1], width=config.width, heads=config.heads)
    adapter = initial_adapter(seed, shape, agents, choosing)
    return Trial(adapter, agents, choosing, texts, reading)


def _play(
    trial: Trial, ground: Ground, tasks: NDArray[np.int64], random: np.random.Generator
) -> list[Trajectory]:
    """One drawn course of each task."""
    courses = Courses.begin(tasks)
    episodes = np.arange(len(tasks))
    utility = np.zeros(len(tasks))
    told: list[list[str]] = [[] for _ in tasks]
    stages: list[tuple[NDArray[np.int64], Chosen]] = []
    for stage in range(STAGES):
        for episode, done, again in zip(episodes, courses.done, courses.again, strict=True):
            told[episode].append(_progress(STAGES - stage, SUBTASKS - int(done), bool(again)))
        chosen = trial.choose(ground, courses, random, draws=True)
        stages.append((episodes, chosen))
        success = random.random(len(episodes)) < chosen.chance
        courses = courses.after(chosen.tried, success)
        finished = courses.done == SUBTASKS
        utility[episodes[finished]] = 1.0
        left = ~finished & ~chosen.stops
        courses, episodes = courses.of(left), episodes[left]
        if not len(episodes):
            break
    order = torch.from_numpy(np.concatenate([each for each, _ in stages])).argsort(stable=True)
    lengths = [len(each) for each in told]
    states = trial.states(torch.cat([chosen.places for _, chosen in stages])[order])
    sampled = _ordered([chosen.sampled for _, chosen in stages], order)
    parts = zip(
        states.places.split(lengths),
        sampled.log_probabilities.split(lengths),
        sampled.orders.split(lengths),
        sampled.present.split(lengths),
        strict=True,
    )
    return [
        Trajectory(
            states=(States(states.rows, places),),
            sampled=(Sampled(*drawn),),
            stage_rewards=(0.0,) * len(progress_),
            progress=tuple(progress_),
            utility=float(reached),
        )
        for (places, *drawn), progress_, reached in zip(parts, told, utility, strict=True)
    ]


def expected(trial: Trial, ground: Ground, *, seed: int = 0) -> float:
    """The mean probability that a task is done, over every course that it can take. The likeliest
    agents are taken, as in runs."""
    random = np.random.default_rng(seed)
    courses = Courses.begin(np.arange(len(ground.kinds)))
    weights = np.ones(len(ground.kinds))
    done = 0.0
    for _ in range(STAGES):
        chosen = trial.choose(ground, courses, random, draws=False)
        goes = ~chosen.stops
        halves = []
        for success, chance in ((True, chosen.chance), (False, 1 - chosen.chance)):
            following = courses.after(chosen.tried, np.full(len(goes), success))
            share = weights * chance * goes
            finished = following.done == SUBTASKS
            done += float(share[finished].sum())
            left = ~finished & (share > 0)
            halves.append((following.of(left), share[left]))
        courses = Courses.joined([each for each, _ in halves])
        weights = np.concatenate([share for _, share in halves])
        if not len(weights):
            break
    return done / len(ground.kinds)


@cache
def _progress(stages: int, subtasks: int, again: bool) -> str:
    """As `progress` says it of a state."""
    state = initial_state("A task.")
    plan = [Proposed(f"Subtask {n}.") for n in range(subtasks)]
    state = replanned(state, plan, most=SUBTASKS)[0]
    return progress(after(state, (), success=False) if again else state, stages_left=stages)


def _ordered(parts: Sequence[Sampled], order: Tensor) -> Sampled:
    """All rows, in this order."""
    fields = ("log_probabilities", "orders", "present")
    return Sampled(*(torch.cat([getattr(each, name) for each in parts])[order] for name in fields))
