"""The best that can be done in the world of stages, by enumeration of all workflows.

A workflow is three layers of any of the 64 sets of working agents; empty ones stand for Early-exit.
Doing more subtasks is never worse, so the best policy takes in each situation the workflow that
succeeds most often. A policy that reads no state can do no better than the best of all workflows
that stay the same, except by the number of the stage, which says nothing about kinds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bench.common.stages.world import (
    SETS,
    SITUATIONS,
    STAGES,
    SUCCESS,
    Floats,
    Layers,
    Situation,
    transition,
)

Chances = Mapping[Situation, NDArray[np.float64]]


@cache
def all_chances() -> dict[Situation, Floats]:
    """The success of every workflow in each situation: (64³,) each, first layer first."""
    found = {}
    for situation in SITUATIONS:
        matrices = np.stack([transition(layer, situation) for layer in SETS])  # (64, S, S)
        first = matrices[:, 0]  # (64, S)
        second = np.einsum("as,bst->abt", first, matrices)  # (64, 64, S)
        found[situation] = (second @ (matrices @ SUCCESS).T).reshape(-1)
    return found


def workflow(number: int) -> Layers:
    """The workflow with this number in `all_chances`, without empty layers."""
    places = np.unravel_index(number, (len(SETS),) * 3)
    return tuple(SETS[place] for place in places if SETS[place])


def value(kinds: Sequence[str], chances: Chances) -> Floats:
    """The probability that all subtasks are done within the stages, where a stage succeeds with
    these chances: (…,) as each of them."""

    def done(place: int, left: int, again: bool) -> Floats:
        if place == len(kinds):
            return np.ones_like(shape)
        if left == 0:
            return np.zeros_like(shape)
        p = chances[Situation(kinds[place], again)]
        return p * done(place + 1, left - 1, False) + (1 - p) * done(place, left - 1, True)

    shape = next(iter(chances.values()))
    return done(0, STAGES, False)


@dataclass(frozen=True, slots=True)
class Best:
    """Over tasks: the optimum, and the best workflow that stays the same, with their mean
    utilities."""

    optimum: float
    workflows: dict[Situation, Layers]
    fixed: float
    fixed_workflow: Layers


def best_for(tasks: Sequence[tuple[str, ...]]) -> Best:
    """`tasks`: the kinds of each one's subtasks."""
    whole = all_chances()
    best = {situation: np.array(found.max()) for situation, found in whole.items()}
    counts = {kinds: tasks.count(kinds) / len(tasks) for kinds in sorted(set(tasks))}
    fixed = sum(share * value(kinds, whole) for kinds, share in counts.items())
    place = int(np.argmax(fixed))
    return Best(
        optimum=float(sum(share * value(kinds, best) for kinds, share in counts.items())),
        workflows={each: workflow(int(found.argmax())) for each, found in whole.items()},
        fixed=float(np.asarray(fixed)[place]),
        fixed_workflow=workflow(place),
    )
