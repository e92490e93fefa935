"""Credit of designers and executors: by hand, and what holds for any rewards."""

import itertools
import random
import statistics

import pytest

from workers.core.rl.groups import relative
from workers.core.rl.hierarchical import (
    designer_advantages,
    designer_rewards,
    executor_advantages,
)


def test_a_design_is_worth_the_mean_of_its_executions() -> None:
    assert designer_rewards([[1, 0], [1, 1], []]) == [0.5, 1.0, 0.0]


def test_designs_by_hand() -> None:
    """Rewards 0.5, 1 and 0: mean 0.5, standard deviation √(1/6)."""
    deviation = (1 / 6) ** 0.5
    expected = [0.0, 0.5 / (deviation + 1e-6), -0.5 / (deviation + 1e-6)]
    assert designer_advantages([[1, 0], [1, 1], []]) == pytest.approx(expected)


def test_executions_by_hand() -> None:
    """One trajectory earned 1 and three earned 0: mean 1/4, standard deviation √3/4."""
    deviation = 3**0.5 / 4
    above, below = 0.75 / (deviation + 1e-6), -0.25 / (deviation + 1e-6)
    [[right, wrong]] = executor_advantages([[1, 0]], [[1, 3]])
    assert (right, wrong) == pytest.approx((above, below))


def test_executions_are_compared_across_designs() -> None:
    """Within each design all are equal."""
    [[good], [bad]] = executor_advantages([[1], [0]], [[1], [1]])
    assert good == pytest.approx(1, abs=1e-5)
    assert bad == pytest.approx(-1, abs=1e-5)


@pytest.mark.parametrize("rewards", [[], [0.7], [0.1 + 0.2, 0.3, 0.3]])
def test_a_group_of_one_or_of_equal_rewards_teaches_nothing(rewards: list[float]) -> None:
    assert relative(rewards) == [0.0] * len(rewards)
    assert designer_advantages([[reward] for reward in rewards]) == [0.0] * len(rewards)
    assert executor_advantages([rewards], [[1] * len(rewards)]) == [[0.0] * len(rewards)]


def test_an_execution_without_trajectories_changes_nothing() -> None:
    alone = executor_advantages([[1, 0]], [[2, 1]])
    beside = executor_advantages([[1, 0], [0, 1], []], [[2, 1], [0, 0], []])
    assert beside == [*alone, [0.0, 0.0], []]


def test_advantages_of_a_question_sum_to_zero_and_have_deviation_one() -> None:
    generator = random.Random(0)
    for designs, executions in itertools.product((2, 3, 8), (1, 4)):
        rewards = [[generator.random() for _ in range(executions)] for _ in range(designs)]
        calls = [[generator.randint(1, 5) for _ in range(executions)] for _ in range(designs)]
        own = designer_advantages(rewards)
        assert sum(own) == pytest.approx(0, abs=1e-9)
        assert statistics.pstdev(own) == pytest.approx(1, abs=1e-3)
        told = executor_advantages(rewards, calls)
        trajectories = [
            advantage
            for row, counts in zip(told, calls, strict=True)
            for advantage, count in zip(row, counts, strict=True)
            for _ in range(count)
        ]
        assert sum(trajectories) == pytest.approx(0, abs=1e-9)
        assert statistics.pstdev(trajectories) == pytest.approx(1, abs=1e-3)


def test_a_shift_and_a_scale_of_all_rewards_change_nothing() -> None:
    rewards, calls = [[1.0, 0.0], [0.4, 1.4]], [[3, 2], [1, 1]]
    other = [[10 * reward - 3 for reward in row] for row in rewards]
    assert designer_advantages(other) == pytest.approx(designer_advantages(rewards), abs=1e-4)
    for one, two in zip(
        executor_advantages(other, calls), executor_advantages(rewards, calls), strict=True
    ):
        assert one == pytest.approx(two, abs=1e-4)
