"""The tables of the trial say what the method itself says."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from bench.common.stages.optimum import best_for
from bench.common.stages.probe import Probe
from bench.common.stages.tasks import draw_tasks
from bench.common.stages.trial import (
    NAMES,
    POOL,
    Courses,
    Ground,
    Texts,
    after,
    expected,
    first_state,
    untrained,
)
from bench.common.stages.world import KINDS, STAGES, SUBTASKS, Situation, stage_success
from workers.core.methods.evomas.adapter import Sampled
from workers.core.methods.evomas.agents import playable
from workers.core.methods.evomas.state import compact
from workers.core.methods.evomas.training.config import EvoMasTrainingConfig


class Numbers(Texts):
    """Texts by number, with noise instead of an embedder's rows."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self.table = torch.randn(2_000, 16, generator=torch.Generator().manual_seed(5))

    def places(self, texts: Sequence[str]) -> list[int]:
        self.known += [text for text in dict.fromkeys(texts) if text not in self.known]
        return [self.known.index(text) for text in texts]


def _layers(found: Sampled, row: int) -> tuple[tuple[str, ...], ...]:
    drawn = zip(found.orders[row].tolist(), found.present[row].tolist(), strict=True)
    roles = (tuple(POOL.roles[n] for n in order if n >= 0) for order, there in drawn if there)
    return tuple(tuple(role.key for role in layer) for layer in playable(tuple(roles)))


def test_courses_read_and_do_what_the_method_says() -> None:
    texts, random = Numbers(), np.random.default_rng(0)
    tasks = draw_tasks(30, seed=3, split="test")
    ground = Ground.of(tasks, texts)
    trial = untrained(EvoMasTrainingConfig(), texts, seed=0)
    courses = Courses.begin(np.arange(len(tasks)))
    states = [first_state(task) for task in tasks]
    stopped = np.zeros(len(tasks), dtype=bool)
    for _ in range(STAGES):
        left = np.flatnonzero((courses.done < SUBTASKS) & ~stopped)
        chosen = trial.choose(ground, courses.of(left), random, draws=True)
        success = random.random(len(left)) < chosen.chance
        for row, task in enumerate(left):
            read = [texts.known[place] for place in chosen.places[row]]
            assert read == list(compact(states[task], NAMES))
            layers = _layers(chosen.sampled, row)
            kind = KINDS[ground.kinds[task, courses.done[task]]]
            situation = Situation(kind, bool(courses.again[task]))
            assert chosen.chance[row] == pytest.approx(stage_success(layers, situation))
            states[task] = after(states[task], layers, success=bool(success[row]))
        stopped[left] |= chosen.stops
        moved = courses.of(left).after(chosen.tried, success)
        for name in ("done", "again", "tried"):
            getattr(courses, name)[left] = getattr(moved, name)


def test_what_is_expected_is_what_is_drawn_on_average() -> None:
    """One subtask's chance to the third power, and one failure, where every choice is the same."""
    ground = Ground.of(draw_tasks(40, seed=3, split="test"), Numbers())
    p = 0.8
    even = Ground(ground.texts, ground.kinds, ground.asked, ground.went, ground.chances * 0 + p)
    trial = untrained(EvoMasTrainingConfig(), ground.texts, seed=0)
    whole = p**SUBTASKS + SUBTASKS * p**SUBTASKS * (1 - p)
    assert expected(trial, even) == pytest.approx(whole)


def test_a_probe_that_knows_all_kinds_reaches_the_optimum() -> None:
    texts = Numbers()
    tasks = draw_tasks(60, seed=3, split="training")
    ground, best = Ground.of(tasks, texts), best_for([task.kinds for task in tasks])
    for place in range(len(KINDS)):
        row = torch.eye(len(KINDS), 16)[place]
        texts.table[torch.from_numpy(ground.asked[ground.kinds == place].ravel())] = row
    probe = Probe.fitted(ground)
    assert probe.accuracy(ground) == 1.0
    assert probe.expected(ground) == pytest.approx(best.optimum)
    texts.table[:] = texts.table[0]
    assert probe.expected(ground) < 0.9 * best.optimum
