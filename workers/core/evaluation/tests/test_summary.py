"""Arms, pairs and budgets of small evaluations whose numbers can be worked out by hand."""

import random
from typing import Any

import pytest

from workers.core.evaluation.budgets import at_equal_tokens, budget_grid
from workers.core.evaluation.cells import Cell, by_arm
from workers.core.evaluation.summary import ArmSummary, arm_summary, summarise
from workers.core.intervals import wilson
from workers.core.tests.support import within


def cell(task: int, correct: bool | None, *, arm: str = "a", repeat: int = 0, **more: Any) -> Cell:
    values: dict[str, Any] = {
        "prompt_tokens": 80,
        "completion_tokens": 20,
        "cost": 0.01,
        "seconds": 1.0,
        "reward": None if correct is None else float(correct),
        **more,
    }
    return Cell(arm=arm, task=f"t{task:03}", repeat=repeat, correct=correct, **values)


def arm(cells: list[Cell]) -> ArmSummary:
    return arm_summary("a", cells)


def test_one_arm() -> None:
    found = arm([cell(0, True, seconds=1.0), cell(1, True, seconds=3.0), cell(2, False)])
    assert (found.n, found.tasks, found.correct, found.failures) == (3, 3, 2, 0)
    assert found.accuracy == pytest.approx(2 / 3)
    interval = wilson(2, 3)
    assert found.interval is not None
    assert interval is not None
    assert found.interval.low == pytest.approx(interval.low)
    assert found.tokens_mean == 100
    assert found.cost_mean == pytest.approx(0.01)
    assert found.seconds_median == 1.0
    assert found.seconds_mean == pytest.approx(5 / 3)
    assert found.seconds_p95 == pytest.approx(2.8)


def test_a_failed_cell_is_wrong_and_a_failure() -> None:
    failed = cell(1, None, failed=True, prompt_tokens=None, completion_tokens=None)
    found = arm([cell(0, True), failed])
    assert (found.n, found.correct, found.accuracy) == (2, 1, 0.5)
    assert (found.failures, found.unjudged, found.unknown_usage) == (1, 0, 1)
    assert arm([cell(0, True, failed=True)]).accuracy == 0.0


def test_what_ran_out_of_time_is_told_apart_from_other_failures() -> None:
    late, spent = (cell(task, None, failed=True, out_of_time=task == 1) for task in (1, 2))
    found = arm([cell(0, True), late, spent])
    assert (found.failures, found.out_of_time) == (2, 1)
    assert found.accuracy == pytest.approx(1 / 3)
    assert arm([cell(0, True)]).out_of_time == 0


def test_what_could_not_be_judged_is_left_out_of_the_accuracy_alone() -> None:
    found = arm([cell(0, True), cell(1, None, prompt_tokens=280)])
    assert (found.n, found.accuracy, found.unjudged) == (1, 1.0, 1)
    assert found.tokens_mean == 200


def test_a_task_that_cannot_be_judged_is_left_out_for_every_arm_alike() -> None:
    """a failed on ten tasks that nobody judges, b answered them: neither is better for it."""
    cells = [cell(t, True, arm=name) for t in range(10) for name in ("a", "b")]
    cells += [cell(t, None, arm="a", failed=True, judgeable=False) for t in range(10, 20)]
    cells += [cell(t, None, arm="b", judgeable=False) for t in range(10, 20)]
    cells += [cell(20, None, arm="a", failed=True), cell(20, None, arm="b")]  # a verifier gave up
    found = summarise(cells, ["a", "b"])
    assert [(a.n, a.accuracy, a.unjudged, a.failures) for a in found.arms] == [
        (10, 1.0, 11, 11),
        (10, 1.0, 11, 0),
    ]
    assert (found.pairs[0].n, found.pairs[0].difference) == (10, 0.0)
    assert {(point.label, point.accuracy) for point in found.at_equal_tokens} == {
        ("a", 1.0),
        ("b", 1.0),
    }
    assert found.unjudged_tasks == 11


def test_unknown_usage_is_unknown_and_never_nought() -> None:
    unknown = [
        cell(task, True, prompt_tokens=None, completion_tokens=None, cost=None, seconds=None)
        for task in range(3)
    ]
    found = arm(unknown)
    assert (found.tokens_mean, found.tokens_interval, found.cost_mean) == (None, None, None)
    assert (found.seconds_mean, found.seconds_median, found.seconds_p95) == (None, None, None)
    assert found.unknown_usage == 3
    partly = arm([*unknown, cell(9, True)])
    assert (partly.tokens_mean, partly.unknown_usage) == (100, 3)


def test_kept_answers_make_nobody_faster() -> None:
    asked = [cell(t, True, seconds=2.0, cached_share=0.0) for t in range(3)]
    kept = [cell(t, True, seconds=0.01, cached_share=share) for t, share in ((3, 1.0), (4, 0.5))]
    unknown = [cell(5, True, seconds=2.0, cached_share=None)]
    found = arm([*asked, *kept, *unknown])
    assert (found.seconds_mean, found.seconds_median, found.seconds_p95) == (2.0, 2.0, 2.0)
    assert (found.n, found.timed, found.cached) == (6, 4, 2)
    assert arm(kept).seconds_mean is None


def test_an_arm_without_cells_says_nothing() -> None:
    found = summarise([], ["a", "b"])
    assert [a.accuracy for a in found.arms] == [None, None]
    assert found.pairs[0].mcnemar_p is None
    assert found.pairs[0].holm_p is None
    assert found.at_equal_tokens == ()


def test_repeats_are_averaged_within_a_task_first() -> None:
    """t0 asked four times, t1 once: the mean of tasks is ½, not 4 of 5."""
    found = arm([*(cell(0, True, repeat=r) for r in range(4)), cell(1, False)])
    assert (found.n, found.tasks, found.correct, found.accuracy) == (5, 2, 4, 0.5)


def test_repeats_that_agree_leave_the_interval_as_it_was() -> None:
    once = [cell(task, task % 3 > 0) for task in range(30)]
    often = [cell(task, task % 3 > 0, repeat=r) for task in range(30) for r in range(5)]
    often_interval, once_interval = arm(often).interval, arm(once).interval
    assert often_interval is not None
    assert once_interval is not None
    assert often_interval.low == pytest.approx(once_interval.low)
    assert often_interval.high == pytest.approx(once_interval.high)
    assert arm(often).tokens_interval == arm(once).tokens_interval


def test_pairs_use_the_tasks_that_both_have() -> None:
    cells = [cell(t, True, arm="a") for t in range(6)] + [
        cell(t, t > 2, arm="b") for t in range(1, 8)
    ]
    pair = summarise(cells, ["a", "b"]).pairs[0]
    assert (pair.left, pair.right, pair.n) == ("a", "b", 5)
    assert (pair.only_left, pair.only_right, pair.difference) == (2, 0, 0.4)
    assert pair.mcnemar_p == pair.holm_p == 0.5


def test_several_pairs_are_corrected_together() -> None:
    cells = [
        cell(t, right, arm=name)
        for t in range(20)
        for name, right in (("a", True), ("b", t > 9), ("c", t > 10))
    ]
    pairs = {(p.left, p.right): p for p in summarise(cells, ["a", "b", "c"]).pairs}
    assert list(pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    least = pairs["a", "c"]
    assert least.mcnemar_p is not None
    assert least.holm_p == pytest.approx(3 * least.mcnemar_p)
    assert pairs["b", "c"].holm_p == 1.0


def test_the_order_of_the_cells_changes_no_digit() -> None:
    shuffler = random.Random(0)
    cells = [
        cell(t, shuffler.random() < 0.6, arm=name, repeat=r, prompt_tokens=shuffler.randrange(900))
        for t in range(25)
        for name in ("a", "b")
        for r in range(2)
    ]
    first = summarise(cells, ["a", "b"])
    shuffler.shuffle(cells)
    assert summarise(cells, ["a", "b"]) == first


def test_five_arms_on_thousands_of_tasks_take_seconds() -> None:
    drawn = random.Random(0)
    labels = [f"arm {number}" for number in range(5)]
    cells = [
        cell(t, drawn.random() < 0.6, arm=name, prompt_tokens=drawn.randrange(50, 2_000))
        for t in range(5_000)
        for name in labels
    ]
    with within(60):
        found = summarise(cells, labels)
    assert len(found.pairs) == 10


def test_a_cell_of_an_unknown_arm_is_refused() -> None:
    with pytest.raises(KeyError):
        summarise([cell(0, True, arm="x")], ["a"])


class TestEqualTokens:
    cells = (
        cell(0, True, prompt_tokens=80, completion_tokens=20),
        cell(1, True, prompt_tokens=900, completion_tokens=100),
        cell(2, False, prompt_tokens=10, completion_tokens=0),
        cell(3, True, prompt_tokens=None, completion_tokens=None),
    )

    def curve(self, budgets: list[int]) -> list[float]:
        grouped = by_arm(self.cells, ["a"])
        return [point.accuracy for point in at_equal_tokens(grouped, budgets)]

    def test_an_answer_that_took_more_counts_as_wrong(self) -> None:
        assert self.curve([99, 100, 999, 1000]) == [0.0, 0.25, 0.25, 0.5]

    def test_a_curve_never_falls(self) -> None:
        curve = self.curve(list(range(0, 1_200, 50)))
        assert curve == sorted(curve)

    def test_at_the_last_budget_of_the_grid_everything_known_counts(self) -> None:
        last = at_equal_tokens(by_arm(self.cells, ["a"]))[-1]
        assert (last.budget, last.accuracy) == (1000, 0.5)
        assert last.interval is not None
        assert last.interval.low < 0.5 < last.interval.high

    def test_the_grid_goes_from_the_cheapest_to_the_dearest_in_round_numbers(self) -> None:
        grid = budget_grid(self.cells)
        assert grid[0] == 10
        assert grid[-1] == 1000
        assert grid == sorted(set(grid))
        assert all(b < 100 or b % 10 == 0 for b in grid)
        assert budget_grid([self.cells[3]]) == []
        assert budget_grid([self.cells[0]]) == [100]
