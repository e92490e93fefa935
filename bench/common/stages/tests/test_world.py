"""The rules by hand, and that the enumeration finds what the rules give."""

from itertools import combinations, product

import numpy as np
import pytest

from bench.common.stages.optimum import all_chances, best_for, value, workflow
from bench.common.stages.tasks import SUBJECTS, WORDS, draw_tasks
from bench.common.stages.world import (
    KINDS,
    PICKS,
    SETS,
    SITUATIONS,
    STAGES,
    STATES,
    SUBTASKS,
    Situation,
    stage_success,
    transition,
)

RECALL, REASON = Situation("recall", False), Situation("reason", False)
ALL_TASKS = list(product(KINDS, repeat=SUBTASKS))


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_layer_leads_somewhere(situation: Situation) -> None:
    for layer in SETS:
        matrix = transition(layer, situation)
        assert matrix.shape == (len(STATES), len(STATES))
        assert np.allclose(matrix.sum(axis=1), 1.0)
        assert matrix.min() >= 0


def test_a_workflow_by_hand() -> None:
    assert stage_success((("io",),), RECALL) == pytest.approx(0.7)
    one_right = 0.7 * (1 - 0.66) + (1 - 0.7) * 0.66
    both = (("io", "multi_generate"), ("ensemble",))
    assert stage_success(both, RECALL) == pytest.approx(0.7 * 0.66 + one_right * PICKS)
    refined = (("multi_generate",), ("self_refine",))
    assert stage_success(refined, REASON) == pytest.approx(0.7 * 0.97 + 0.3 * 0.6)
    assert stage_success((), RECALL) == 0.0
    assert stage_success((("ensemble",),), RECALL) == 0.0


def test_the_enumeration_agrees_with_the_rules() -> None:
    chances = all_chances()
    random = np.random.default_rng(0)
    for situation in SITUATIONS:
        for number in random.integers(len(SETS) ** 3, size=20).tolist():
            expected = stage_success(workflow(number), situation)
            assert chances[situation][number] == pytest.approx(expected)


def test_a_task_by_hand() -> None:
    """Every stage succeeds with probability p: at most one of four fails."""
    p = 0.8
    chances = {situation: np.array(p) for situation in SITUATIONS}
    expected = p**SUBTASKS + SUBTASKS * p**SUBTASKS * (1 - p)
    assert (SUBTASKS, STAGES) == (3, 4)
    assert float(value(("recall",) * SUBTASKS, chances)) == pytest.approx(expected)


def test_the_optimum_cannot_be_reached_without_reading_the_state() -> None:
    best = best_for(ALL_TASKS)
    assert best.fixed < 0.65 * best.optimum
    assert len(set(best.workflows.values())) == len(SITUATIONS)


def test_splits_share_no_words() -> None:
    for one, other in combinations(SUBJECTS, 2):
        assert not set(SUBJECTS[one]) & set(SUBJECTS[other])
        for kind in KINDS:
            assert not set(WORDS[kind][one]) & set(WORDS[kind][other])
    assert draw_tasks(3, seed=5, split="test") == draw_tasks(3, seed=5, split="test")
