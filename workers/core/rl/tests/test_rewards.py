import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workers.core.rl.rewards import action_reward, system_reward


def flags(*values: bool) -> torch.Tensor:
    return torch.tensor([values])


class TestSystemReward:
    def test_eq_4_by_hand(self) -> None:
        correct = torch.tensor([True, True, False, True])
        tokens = torch.tensor([0.0, 1_500.0, 100.0, 1e9])
        rewards = system_reward(correct, tokens, beta=1e-4)
        assert rewards.tolist() == pytest.approx([1.0, 0.85, -1.0, 0.0])

    @given(st.floats(0, 1e6), st.floats(0, 1e-2))
    def test_right_is_never_worth_less_than_wrong(self, tokens: float, beta: float) -> None:
        right, wrong = system_reward(
            torch.tensor([True, False]), torch.tensor([tokens, tokens]), beta=beta
        )
        assert -1 == wrong < right <= 1


class TestActionReward:
    def reward(self, *correct: bool, exemption: int = 3, alpha: float = 0.1) -> list[float]:
        present = torch.ones(1, len(correct), dtype=torch.bool)
        rewards = action_reward(flags(*correct), present, exemption_time=exemption, alpha=alpha)
        return rewards[0].tolist()

    def test_eq_5_by_hand(self) -> None:
        # wrong · right · kept right · broken · kept wrong late · repaired
        rewards = self.reward(False, True, True, False, False, True)
        assert rewards == pytest.approx([0.0, 1.0, math.exp(-3), -1.0, -0.2, 1.0])

    def test_early_agents_are_exempt_and_late_ones_pay_more_and_more(self) -> None:
        assert self.reward(*[False] * 5) == pytest.approx([0, 0, 0, -0.1, -0.2])
        assert self.reward(*[False] * 3, exemption=0) == pytest.approx([-0.1, -0.2, -0.3])

    def test_the_late_penalty_stops_at_minus_one(self) -> None:
        assert self.reward(False, False, exemption=0, alpha=5.0) == [-1.0, -1.0]

    def test_breaking_a_right_system_costs_all_of_it_also_within_the_exemption(self) -> None:
        assert self.reward(True, False) == [1.0, -1.0]

    def test_padding_earns_nothing(self) -> None:
        correct, present = flags(True, True, False), flags(True, False, False)
        rewards = action_reward(correct, present, exemption_time=3, alpha=0.1)
        assert rewards[0].tolist() == [1.0, 0.0, 0.0]
