"""A world of tasks in stages, for EvoMAS. It has no language model: every probability is known.

A task has three subtasks of four kinds in random order, and four stages to do them in. The planner
is right, the evaluator knows. State, updater, agents' embeddings, adapter and learner are those of
the method; only what agents answer is drawn by these rules:

 1. An agent that reads no answer is right with the probability of `FRESH` for the subtask's kind,
    or of `AGAIN` after an attempt that failed.
 2. An agent that reads answers, a share s of them right, is right with probability
    s · KEEPS + (1 − s) · REPAIRS.
 3. Of answers that differ, an Ensemble takes a right one with probability `PICKS`, or
    `PICKS_FEW` if less than half are right. Answers that are all right or all wrong stay so.
 4. The stage succeeds if an answer of its last layer, taken at random, is right. Otherwise the
    verdict is “refine”.
 5. The utility is 1 if all subtasks are done within the stages, else 0: terminal and sparse.

Kinds differ in their best first agent, in whether a second one helps, and in what helps after a
failure. A kind is known only from the words of its subtask, a failure only from the state.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from workers.core.methods.evomas.config import ENSEMBLE

KINDS = ("recall", "search", "browse", "reason")
SUBTASKS = 3
STAGES = 4
SOURCES = ("io", "multi_generate", "self_refine", "web_search", "web_browser")
WORKERS = (*SOURCES, ENSEMBLE)
FRESH = {
    "recall": (0.70, 0.66, 0.20, 0.30, 0.10),
    "search": (0.10, 0.15, 0.05, 0.75, 0.35),
    "browse": (0.05, 0.10, 0.05, 0.25, 0.78),
    "reason": (0.35, 0.70, 0.15, 0.10, 0.05),
}
"""By kind, in the order of SOURCES."""
AGAIN = {
    "recall": (0.15, 0.25, 0.40, 0.82, 0.20),
    "search": (0.05, 0.10, 0.15, 0.25, 0.85),
    "browse": (0.05, 0.10, 0.10, 0.80, 0.25),
    "reason": (0.15, 0.20, 0.85, 0.10, 0.05),
}
KEEPS = {
    "recall": (0.70, 0.70, 0.80, 0.60, 0.50),
    "search": (0.60, 0.60, 0.80, 0.75, 0.97),
    "browse": (0.50, 0.50, 0.80, 0.60, 0.75),
    "reason": (0.70, 0.75, 0.97, 0.50, 0.50),
}
REPAIRS = {
    "recall": (0.20, 0.20, 0.10, 0.15, 0.05),
    "search": (0.05, 0.05, 0.10, 0.30, 0.50),
    "browse": (0.05, 0.05, 0.05, 0.15, 0.30),
    "reason": (0.20, 0.30, 0.60, 0.05, 0.05),
}
PICKS = 0.85
PICKS_FEW = 0.4

Layers = tuple[tuple[str, ...], ...]
Floats = NDArray[np.float64]

STATES = [(0, 0), *((n, r) for n in range(1, len(WORKERS) + 1) for r in range(n + 1))]
"""After a layer: how many answers there are, and how many are right."""
PLACES = {state: place for place, state in enumerate(STATES)}
SUCCESS = np.array([r / n if n else 0.0 for n, r in STATES])
SETS = [
    tuple(worker for worker, taken in zip(WORKERS, bits, strict=True) if taken)
    for bits in product((0, 1), repeat=len(WORKERS))
]
"""All sets of agents of a layer. The empty one does nothing, as a layer after Early-exit."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides how agents do: the subtask's kind, and whether an attempt failed before."""

    kind: str
    again: bool


SITUATIONS = [Situation(kind, again) for kind in KINDS for again in (False, True)]


def chance(worker: str, answers: int, right: int, situation: Situation) -> float:
    """The probability that a worker that reads `answers`, `right` of them right, is right."""
    kind = situation.kind
    if worker == ENSEMBLE:
        if right in (0, answers):
            return float(right > 0)
        return PICKS if 2 * right >= answers else PICKS_FEW
    place = SOURCES.index(worker)
    if not answers:
        return (AGAIN if situation.again else FRESH)[kind][place]
    share = right / answers
    return share * KEEPS[kind][place] + (1 - share) * REPAIRS[kind][place]


@cache
def transition(layer: tuple[str, ...], situation: Situation) -> Floats:
    """What a layer makes of each state: (S, S), rows sum to 1. An Ensemble without answers is left
    out; a layer without agents changes nothing."""
    matrix = np.zeros((len(STATES), len(STATES)))
    for place, (answers, right) in enumerate(STATES):
        agents = [worker for worker in layer if answers or worker != ENSEMBLE]
        if not agents:
            matrix[place, place] = 1.0
            continue
        counts = np.ones(1)  # Poisson binomial: the distribution of the number of right answers
        for worker in agents:
            p = chance(worker, answers, right, situation)
            counts = np.convolve(counts, (1 - p, p))
        for found, probability in enumerate(counts):
            matrix[place, PLACES[len(agents), found]] += probability
    return matrix


@cache
def stage_success(layers: Layers, situation: Situation) -> float:
    """The probability that a workflow does the subtask."""
    state = np.zeros(len(STATES))
    state[0] = 1.0
    for layer in layers:
        state = state @ transition(layer, situation)
    return float(state @ SUCCESS)
