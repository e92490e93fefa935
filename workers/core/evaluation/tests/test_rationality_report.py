"""Diagnoses added up."""

from typing import Any

import pytest

from workers.core.evaluation.rationality_report import (
    CategoryCount,
    Diagnosed,
    arm_rationality,
    count_categories,
    role_match,
)
from workers.core.intervals import wilson
from workers.core.tests.support import known


def test_the_task_is_the_unit_not_the_repeat() -> None:
    answers = [
        *(Diagnosed("a", "1", similarity=0.5, share=1.0) for _ in range(9)),
        Diagnosed("a", "2", similarity=0.1, share=0.0),
        Diagnosed("a", "3"),  # only roles that serve any domain
    ]
    found = known(role_match(answers))
    assert (found.tasks, found.share) == (2, 0.5)
    assert found.similarity == pytest.approx(0.3)
    assert found.similarity_interval is not None
    assert found.similarity_interval.low >= 0.1
    assert found.share_interval == wilson(1, 2)


def test_one_answer_per_task_has_wilson_s_interval() -> None:
    answers = [Diagnosed("a", str(i), similarity=0.2, share=float(i < 30)) for i in range(40)]
    found = known(role_match(answers))
    assert found.share_interval == wilson(30, 40)


def test_the_order_of_answers_changes_nothing() -> None:
    answers = [Diagnosed("a", str(i), similarity=i / 10, share=i % 3 / 2) for i in range(10)]
    assert role_match(answers) == role_match(answers[::-1])


def test_no_role_no_match() -> None:
    assert role_match([Diagnosed("a", "1")]) is None
    assert role_match([]) is None


def test_categories_count_the_wrong_answers_each_once() -> None:
    def wrong(category: Any, by: Any, judge: Any = None) -> Diagnosed:
        return Diagnosed("a", "1", wrong=True, category=category, by=by, judge=judge)

    answers = [
        wrong(None, "unjudged"),
        wrong(None, "unjudged"),
        wrong("task_forgetting", "rule"),
        wrong("slight_deviation", "rule"),
        wrong("slight_deviation", "rule"),
        wrong("slight_deviation", "judge", "clever"),
        Diagnosed("a", "1", failed=True),
        Diagnosed("a", "1"),
    ]
    assert count_categories(answers) == [
        CategoryCount("slight_deviation", "rule", None, 2),
        CategoryCount("slight_deviation", "judge", "clever", 1),
        CategoryCount("task_forgetting", "rule", None, 1),
        CategoryCount(None, "unjudged", None, 2),
    ]
    arm = arm_rationality("a", answers)
    assert (arm.answers, arm.wrong, arm.failed, arm.roles) == (8, 6, 1, None)
    assert sum(found.count for found in arm.categories) == arm.wrong
