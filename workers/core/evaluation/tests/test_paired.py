"""Paired tests against hand-worked numbers, scipy, and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from workers.core.evaluation.paired import compare, holm, mcnemar_exact, paired_bootstrap
from workers.core.intervals import wilson
from workers.core.tests.support import known, within


def test_mcnemar_by_hand() -> None:
    """1 against 6: 2 · (C(7,0) + C(7,1)) / 2⁷ = 16 / 128."""
    assert mcnemar_exact(1, 6) == 0.125
    assert mcnemar_exact(6, 1) == 0.125
    assert mcnemar_exact(0, 5) == 2 / 32
    assert mcnemar_exact(3, 3) == 1.0
    assert mcnemar_exact(0, 0) == 1.0


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_agrees_with_the_binomial_test(left: int, right: int) -> None:
    wanted = stats.binomtest(left, left + right).pvalue if left + right else 1.0
    assert mcnemar_exact(left, right) == pytest.approx(wanted, abs=1e-12)


def test_mcnemar_of_ten_thousand_tasks_is_exact_and_takes_no_time() -> None:
    with within(10):
        found = mcnemar_exact(4_850, 5_150)
    assert found == pytest.approx(stats.binomtest(4_850, 10_000).pvalue, rel=1e-12)
    assert mcnemar_exact(5_000, 5_000) == 1.0
    assert mcnemar_exact(0, 10_000) == 0.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sum_of_the_tail(left: int, right: int) -> None:
    n = left + right
    tail = sum(math.comb(n, k) for k in range(min(left, right) + 1))
    assert mcnemar_exact(left, right) == min(1.0, 2 * tail / 2**n)


def test_holm_by_hand() -> None:
    """0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 not below 0.06, and 0.4 as it is."""
    assert holm([0.02, 0.4, 0.01, 0.03]) == pytest.approx([0.06, 0.4, 0.04, 0.06])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(a >= p or a == 1 for a, p in zip(adjusted, p_values, strict=True))
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_a_comparison_counts_who_alone_was_right() -> None:
    found = compare([1, 1, 1, 0, 0, 1], [1, 0, 0, 1, 0, 0])
    assert (found.n, found.only_left, found.only_right) == (6, 3, 1)
    assert found.p_value == mcnemar_exact(3, 1)
    assert found.difference == pytest.approx(2 / 6)
    assert found.interval is not None
    assert found.interval.low <= 2 / 6 <= found.interval.high


def test_with_repeats_a_task_counts_once() -> None:
    found = compare([0.75, 1.0, 0.5], [0.5, 1.0, 0.75])
    assert (found.only_left, found.only_right, found.p_value) == (1, 1, 1.0)
    assert found.difference == pytest.approx(0.0)


def test_no_common_task_compares_nothing() -> None:
    found = compare([], [])
    assert (found.n, found.p_value, found.difference, found.interval) == (0, None, None, None)


def test_swapping_the_arms_swaps_the_signs() -> None:
    left, right = [1, 0, 1, 1, 0, 1, 1], [0, 0, 1, 0, 1, 1, 0]
    forth, back = compare(left, right), compare(right, left)
    assert forth.p_value == back.p_value
    assert forth.interval is not None
    assert back.interval is not None
    assert forth.interval.low == pytest.approx(-back.interval.high)


def test_arms_that_never_differ_are_still_uncertain() -> None:
    found, limit = paired_bootstrap([0.0] * 20), wilson(0, 20)
    assert found is not None
    assert limit is not None
    assert (found.low, found.high) == (-limit.high, limit.high)
    always = known(paired_bootstrap([1.0] * 20))
    assert always.low == pytest.approx(1 - 2 * limit.high)
    assert always.high == 1.0
    assert paired_bootstrap([]) is None


def test_the_paired_bootstrap_agrees_with_scipy() -> None:
    generator = np.random.default_rng(0)
    left, right = generator.random((2, 150)) < np.array([[0.7], [0.6]])
    differences = left.astype(float) - right.astype(float)
    wanted = stats.bootstrap(
        (differences,), np.mean, method="percentile", rng=1
    ).confidence_interval
    found = known(paired_bootstrap(list(differences)))
    assert found.low == pytest.approx(wanted.low, abs=0.015)
    assert found.high == pytest.approx(wanted.high, abs=0.015)


def test_the_paired_interval_holds_the_truth_as_often_as_it_says() -> None:
    """Arms of accuracy 0.7 and 0.6 on tasks of different hardness; aim 95%, at least 92%."""
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(500):
        hardness = generator.normal(0, 0.5, 120)
        noise = generator.normal(0, 1, (2, 120)) * np.sqrt(0.75)
        limits = stats.norm.ppf([0.7, 0.6])
        left, right = (hardness + noise) < limits[:, None]
        found = known(
            paired_bootstrap(list(left.astype(float) - right.astype(float)), resamples=1_000)
        )
        held += found.low <= 0.1 <= found.high
    assert held >= 460


def test_equal_arms_are_called_different_at_most_as_often_as_promised() -> None:
    generator = np.random.default_rng(0)
    called = 0
    for _ in range(1_000):
        left, right = generator.random((2, 80)) < 0.6
        found = compare(left.astype(float), right.astype(float), resamples=1)
        assert found.p_value is not None
        called += found.p_value <= 0.05
    assert called <= 60
