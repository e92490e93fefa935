"""Measures the reward that ReSo's search loses while it learns which agents are good.

    bin/studio bench regret [--subtasks 20000] [--seeds 5] [--endpoints 7]

Nine roles of three kinds run on some endpoints: 63 agents on seven endpoints, as in the paper. A
subtask is of one kind and suits the roles of that kind: its embedding is above the threshold only
for these. Each agent answers a subtask of its kind right with its own probability, drawn from 0.2
to 0.9, and any other with 0.05. After each subtask the found agent gets a reward of 1 or 0.

Regret is how much more the best fixed assignment would have earned (for each kind the agent with
the highest probability), computed from the probabilities. Its growth is the exponent between half
of the subtasks and all: 1 is linear, so every later subtask loses as much as the first ones; below
1 they lose less and less. `best` is the share of subtasks that went to the best agent of their
kind, in the first tenth and in the last. Spreads are the least and the greatest of the seeds.
"""

import argparse
import math
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from bench.common.report import report
from workers.core.agents.index import AgentIndex
from workers.core.agents.scoring import Exploration, Floats, Gate, Scoring

DIMENSION = 32
KINDS = 3
ROLES_OF_A_KIND = 3
CLOSE = 0.8
"""Approximate inner product of a role and a subtask of its kind."""
UNSUITED = 0.05
QUALITY = (0.2, 0.9)
FORMS: tuple[tuple[str, Exploration, Gate, float], ...] = (
    ("paper", "paper", "heaviside", 0.3),
    ("log", "log", "heaviside", 0.3),
    ("log, smooth gate", "log", "sigmoid", 0.3),
    ("no exploration", "log", "heaviside", 0.0),
)
"""Its name, the exploration term, the gate, and c."""


@dataclass(frozen=True, slots=True)
class Course:
    """Result of one seed: the regret after half and after all, and the best agent's shares."""

    half: float
    whole: float
    best_first: float
    best_last: float
    random: float

    @property
    def exponent(self) -> float:
        return math.log2(self.whole / self.half) if self.half > 0 else 0.0


class World:
    """Agents with their probabilities, and a source of subtasks, from one seed."""

    def __init__(self, seed: int, endpoints: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._kinds = unit(np.eye(KINDS, DIMENSION, dtype=np.float32))
        roles = np.repeat(np.arange(KINDS), ROLES_OF_A_KIND)
        self.embeddings = np.stack([self._near(int(kind)) for kind in roles])
        self.embedding_of = np.repeat(np.arange(len(roles)), endpoints)
        kind_of = roles[self.embedding_of]
        chances = self._rng.uniform(*QUALITY, len(kind_of))
        self.chances: NDArray[np.float64] = np.full((KINDS, len(kind_of)), UNSUITED)
        self.chances[kind_of, np.arange(len(kind_of))] = chances
        self.best = self.chances.argmax(axis=1)

    def index(self, scoring: Scoring) -> AgentIndex:
        count = len(self.embedding_of)
        zeros = np.zeros(count, dtype=np.float32)
        return AgentIndex(
            self.embeddings,
            reward=zeros,
            cost=zeros,
            count=np.zeros(count, dtype=np.int64),
            scoring=scoring,
            embedding_of=self.embedding_of,
        )

    def subtask(self) -> tuple[int, Floats]:
        kind = int(self._rng.integers(KINDS))
        return kind, self._near(kind)

    def answers(self, kind: int, agent: int) -> float:
        return float(self._rng.random() < self.chances[kind, agent])

    def _near(self, kind: int) -> Floats:
        noise = self._rng.standard_normal(DIMENSION).astype(np.float32)
        noise /= np.linalg.norm(noise)
        return unit(CLOSE**0.5 * self._kinds[kind] + (1 - CLOSE) ** 0.5 * noise)


def course(world: World, scoring: Scoring, subtasks: int) -> Course:
    index = world.index(scoring)
    regret = np.empty(subtasks)
    best = np.empty(subtasks, dtype=bool)
    random = 0.0
    for number in range(subtasks):
        kind, query = world.subtask()
        agent = int(index.search(query, 1).places[0])
        index.record(agent, reward=world.answers(kind, agent), cost=0.0)
        most = world.chances[kind, world.best[kind]]
        regret[number] = most - world.chances[kind, agent]
        best[number] = agent == world.best[kind]
        random += most - world.chances[kind].mean()
    tenth = max(1, subtasks // 10)
    return Course(
        half=float(regret[: subtasks // 2].sum()),
        whole=float(regret.sum()),
        best_first=float(best[:tenth].mean()),
        best_last=float(best[-tenth:].mean()),
        random=random,
    )


def unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True), dtype=np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure ReSo's regret on agents of known quality."
    )
    parser.add_argument("--subtasks", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--endpoints", type=int, default=7)
    options = parser.parse_args()
    rows, figures = [], {}
    for name, exploration, gate, weight in FORMS:
        scoring = Scoring(exploration_weight=weight, exploration=exploration, gate=gate)
        courses = [
            course(World(seed, options.endpoints), scoring, options.subtasks)
            for seed in range(options.seeds)
        ]
        key = name.replace(", ", "_").replace(" ", "_")
        figures[f"regret_share_{key}"] = fmean(each.whole / each.random for each in courses)
        figures[f"exponent_{key}"] = fmean(each.exponent for each in courses)
        figures[f"best_first_{key}"] = fmean(each.best_first for each in courses)
        figures[f"best_last_{key}"] = fmean(each.best_last for each in courses)
        rows.append(
            (
                name,
                spread([each.whole for each in courses], ".0f"),
                spread([each.whole / each.random for each in courses], ".3f"),
                spread([each.exponent for each in courses], ".2f"),
                spread([each.best_first for each in courses], ".2f"),
                spread([each.best_last for each in courses], ".2f"),
            )
        )
    columns = ("form", "regret", "of random's", "exponent", "best, first tenth", "last tenth")
    report("regret", columns, rows, **figures)


def spread(values: list[float], form: str) -> str:
    return f"{fmean(values):{form}} ({min(values):{form}}-{max(values):{form}})"


if __name__ == "__main__":
    main()
