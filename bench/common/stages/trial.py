"""Trains an adapter in the world of stages and measures how near it comes to the optimum.

Episodes go in lockstep: all are at the same stage, and one batch chooses all workflows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from bench.common.stages.tasks import StagedTask
from bench.common.stages.world import STAGES, Layers, Situation, stage_success
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
from workers.core.methods.evomas.agents import agent_text, playable
from workers.core.methods.evomas.choosing import choosing_of
from workers.core.methods.evomas.config import EXIT, AdapterConfig
from workers.core.methods.evomas.state import (
    Artifact,
    Proposed,
    active_of,
    compact,
    initial_state,
    is_complete,
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
EXIT_PLACE = [role.key for role in POOL.roles].index(EXIT)
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

    def read(self, nodes: Sequence[Node]) -> Tensor:
        """(B, M), new texts embedded in one batch."""
        new = [(node, compact(node.state, NAMES)) for node in nodes if not node.places]
        self.places([text for _, texts in new for text in texts])
        for node, texts in new:
            node.places = self.places(texts)
        return torch.tensor([node.places for node in nodes])


@dataclass(slots=True)
class Node:
    """A state of a task, by the method's own updater. Courses that read alike share it: after a
    success nothing is left of how it came, after a failure only which roles were tried."""

    state: TaskState
    situation: Situation | None
    """None: all is done."""
    places: list[int] = field(default_factory=list)
    """Of its texts in the table; empty until an adapter reads it."""
    following: dict[Hashable, Node] = field(default_factory=dict)

    def after(self, layers: Layers, task: StagedTask, *, success: bool) -> Node:
        tried = frozenset(role for layer in layers for role in layer)
        key = success or tried
        if key not in self.following:
            verdict: Literal["success", "refine"] = "success" if success else "refine"
            feedback = "The result is confirmed." if success else "The result is not confirmed."
            said = Assessment(verdict=verdict, confidence=1.0, feedback=feedback)
            state = updated(self.state, layers, Artifact("A result."), said, stage=1)
            self.following[key] = node_of(state, task)
        return self.following[key]


def node_of(state: TaskState, task: StagedTask) -> Node:
    situation = None
    if not is_complete(state):
        active = active_of(state)
        kind = task.kinds[state.subtasks.index(active)]
        situation = Situation(kind, active.status != "TODO")
    return Node(state, situation)


def first_node(task: StagedTask) -> Node:
    plan = [Proposed(text) for text in task.subtasks]
    state, _ = replanned(initial_state(task.objective), plan, most=len(plan))
    return node_of(state, task)


@dataclass(slots=True)
class Episode:
    """A task on its way. `stops`: Early-exit left nobody to work."""

    task: StagedTask
    node: Node
    stops: bool = False
    places: list[Tensor] = field(default_factory=list)
    sampled: list[Sampled] = field(default_factory=list)
    progress: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Trial:
    """An adapter that chooses. `agents` E (7, D)."""

    adapter: Adapter
    agents: Tensor
    choosing: Choosing
    texts: Texts
    reading: Reading = "own"

    def choose(
        self, nodes: Sequence[Node], random: np.random.Generator, *, draws: bool
    ) -> tuple[Tensor, Sampled, list[Layers]]:
        """Of each state what was read, what was sampled, and the layers that work."""
        places = self.texts.read(nodes)
        if self.reading == "shuffled":
            places = places[torch.from_numpy(random.permutation(len(nodes)))]
        uniforms = None
        if draws:
            shape = (len(nodes), self.choosing.layers, len(POOL.roles))
            uniforms = torch.from_numpy(random.random(shape)).float()
        states = States(self.texts.table, places)
        found = sample(self.adapter, self.agents, states, self.choosing, uniforms)
        picked = torch.stack([members(order) for order in found.orders.unbind(dim=1)], dim=1)
        return places, found, [_working(_as_key(each)) for each in picked.tolist()]


def _as_key(picked: list[list[bool]]) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(layer) for layer in picked)


@cache
def _working(picked: tuple[tuple[bool, ...], ...]) -> Layers:
    """In the order of the pool, so that equal sets are equal."""
    chosen = tuple(
        tuple(role for role, taken in zip(POOL.roles, layer, strict=True) if taken)
        for layer in picked
    )
    return tuple(tuple(role.key for role in layer) for layer in playable(chosen))


def trained(
    tasks: Sequence[StagedTask],
    config: EvoMasTrainingConfig,
    texts: Texts,
    *,
    seed: int,
    reading: Reading = "own",
) -> Trial:
    """The trial with the adapter after all steps. `tasks` are drawn from with replacement."""
    trial = untrained(config, texts, seed=seed, reading=reading)
    learner = Learner(config, trial.adapter, trial.agents, trial.choosing)
    random = np.random.default_rng(seed)
    first = [first_node(task) for task in tasks]
    for _ in range(config.steps):
        learn(trial, learner, tasks, first, random)
    return trial


def learn(
    trial: Trial,
    learner: Learner,
    tasks: Sequence[StagedTask],
    first: Sequence[Node],
    random: np.random.Generator,
) -> dict[str, float]:
    """One step. `first`: the first node of each task."""
    config = learner.config
    drawn = random.integers(len(tasks), size=config.tasks_per_step).tolist()
    groups = [[Episode(tasks[i], first[i]) for _ in range(config.rollouts_per_task)] for i in drawn]
    each = [episode for group in groups for episode in group]
    _play(trial, each, random)
    table = trial.texts.table
    told = learner.update([[_trajectory(episode, table) for episode in group] for group in groups])
    return told | {"played": float(np.mean([each.node.situation is None for each in each]))}


def untrained(
    config: EvoMasTrainingConfig, texts: Texts, *, seed: int, reading: Reading = "own"
) -> Trial:
    places = texts.places([agent_text(role, TOOLS) for role in POOL.roles])
    agents, choosing = told_apart(texts.table[places]), choosing_of(config, POOL)
    shape = AdapterConfig(dimension=agents.shape[1], width=config.width)
    adapter = initial_adapter(seed, shape, agents, choosing)
    return Trial(adapter, agents, choosing, texts, reading)


def _play(trial: Trial, episodes: Sequence[Episode], random: np.random.Generator) -> None:
    """One drawn course of each episode."""
    for stage in range(STAGES):
        left = [each for each in episodes if each.node.situation is not None and not each.stops]
        if not left:
            return
        places, found, workflows = trial.choose([each.node for each in left], random, draws=True)
        luck = random.random(len(left))
        rows = zip(left, workflows, _rows(found), places.split(1), luck, strict=True)
        for episode, layers, row, read, lucky in rows:
            episode.places.append(read)
            episode.sampled.append(row)
            episode.progress.append(progress(episode.node.state, stages_left=STAGES - stage))
            if not layers and _exits(row):
                episode.stops = True
                continue
            success = bool(lucky < _success(episode.node, layers))
            episode.node = episode.node.after(layers, episode.task, success=success)


def expected(trial: Trial, tasks: Sequence[StagedTask], *, seed: int = 0) -> float:
    """The mean probability that a task is done, over every course that it can take. The likeliest
    agents are taken, as in runs."""
    random = np.random.default_rng(seed)
    courses = [(task, first_node(task), 1.0) for task in tasks]
    done = 0.0
    for _ in range(STAGES):
        nodes = [node for _, node, _ in courses]
        _, found, workflows = trial.choose(nodes, random, draws=False)
        following = []
        rows = zip(courses, workflows, _rows(found), strict=True)
        for (task, node, weight), layers, row in rows:
            if not layers and _exits(row):
                continue
            chance = _success(node, layers)
            for success, share in ((True, weight * chance), (False, weight * (1 - chance))):
                after = node.after(layers, task, success=success)
                if after.situation is None:
                    done += share
                elif share > 0:
                    following.append((task, after, share))
        courses = following
        if not courses:
            break
    return done / len(tasks)


def _success(node: Node, layers: Layers) -> float:
    return stage_success(layers, node.situation) if node.situation else 1.0


def _exits(row: Sampled) -> bool:
    return bool((row.orders == EXIT_PLACE).any())


def _rows(found: Sampled) -> list[Sampled]:
    parts = (found.log_probabilities.split(1), found.orders.split(1), found.present.split(1))
    return [Sampled(*each) for each in zip(*parts, strict=True)]


def _trajectory(episode: Episode, table: Tensor) -> Trajectory:
    return Trajectory(
        states=tuple(States(table, places) for places in episode.places),
        sampled=tuple(episode.sampled),
        stage_rewards=(0.0,) * len(episode.places),
        progress=tuple(episode.progress),
        utility=float(episode.node.situation is None),
    )
