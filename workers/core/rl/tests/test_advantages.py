import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workers.core.rl.advantages import (
    discounted_to_go,
    group_advantage,
    hierarchical_advantage,
    shared_values,
    value_advantage,
)
from workers.core.rl.options import Normalise

REWARDS = st.lists(st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4), min_size=1)


class TestGroupAdvantage:
    def test_eq_4_by_hand(self) -> None:
        advantages = group_advantage(torch.tensor([[1.0, -1.0, 1.0, -1.0]]), normalise="group")
        assert advantages[0].tolist() == pytest.approx([1, -1, 1, -1], abs=1e-5)

    @pytest.mark.parametrize("normalise", ["group", "batch", "none"])
    @given(rewards=REWARDS)
    def test_every_group_has_mean_zero(
        self, normalise: Normalise, rewards: list[list[float]]
    ) -> None:
        advantages = group_advantage(
            torch.tensor(rewards, dtype=torch.float64), normalise=normalise
        )
        assert advantages.mean(dim=-1).abs().max() < 1e-6

    @pytest.mark.parametrize("normalise", ["group", "batch", "none"])
    def test_equal_rewards_give_nothing(self, normalise: Normalise) -> None:
        assert group_advantage(torch.full((2, 4), 0.7), normalise=normalise).abs().max() == 0

    @pytest.mark.parametrize("normalise", ["group", "batch", "none"])
    def test_a_member_that_counts_three_times_is_three_members(self, normalise: Normalise) -> None:
        counted = group_advantage(
            torch.tensor([[0.9, -1.0], [0.4, 0.2]]),
            normalise=normalise,
            counts=torch.tensor([[3.0, 1.0], [1.0, 3.0]]),
        )
        apart = group_advantage(
            torch.tensor([[0.9, 0.9, 0.9, -1.0], [0.4, 0.2, 0.2, 0.2]]), normalise=normalise
        )
        assert counted[0].tolist() == pytest.approx(apart[0, 2:].tolist())
        assert counted[1].tolist() == pytest.approx(apart[1, :2].tolist())

    def test_one_batch_of_eight_is_eight_batches_of_one(self) -> None:
        rewards = torch.rand(8, 4, generator=torch.Generator().manual_seed(0))
        together = group_advantage(rewards, normalise="group")
        alone = torch.cat([group_advantage(row.unsqueeze(0), normalise="group") for row in rewards])
        assert torch.equal(together, alone)

    def test_the_groups_own_deviation_blows_up_a_difference_of_a_few_tokens(self) -> None:
        tokens_apart = torch.tensor([[0.98, 0.91], [0.9, -1.0]])
        by_group = group_advantage(tokens_apart, normalise="group")
        assert by_group[0, 0] == pytest.approx(by_group[1, 0].item(), rel=1e-3)
        by_batch = group_advantage(tokens_apart, normalise="batch")
        assert by_batch[0, 0] < 0.05 * by_batch[1, 0]


class TestToGo:
    def test_eq_6_by_hand(self) -> None:
        rewards, present = torch.tensor([[1.0, 0.0, -1.0]]), torch.ones(1, 3, dtype=torch.bool)
        to_go = discounted_to_go(rewards, present, gamma=0.9)
        assert to_go[0].tolist() == pytest.approx([1 - 0.81, -0.9, -1.0])
        whole = hierarchical_advantage(torch.tensor([2.0]), rewards, present, gamma=0.9)
        assert whole[0].tolist() == pytest.approx([2 + 0.19, 2 - 0.9, 1.0])

    def test_padding_is_inert(self) -> None:
        rewards = torch.tensor([[1.0, 0.5, 99.0]])
        present = torch.tensor([[True, True, False]])
        short = discounted_to_go(rewards[:, :2], present[:, :2], gamma=0.9)
        padded = discounted_to_go(rewards, present, gamma=0.9)
        assert padded[0].tolist() == [*short[0].tolist(), 0.0]
        advantages = hierarchical_advantage(torch.ones(1), rewards, present, gamma=0.9)
        assert advantages[0, 2] == 0


class TestValueAdvantage:
    VALUES = torch.tensor([[0.2, 0.5, 0.4]])
    REWARDS = torch.tensor([[0.0, 0.0, 0.9]])
    PRESENT = torch.ones(1, 3, dtype=torch.bool)

    def test_trace_one_is_reward_less_value(self) -> None:
        advantages = value_advantage(self.VALUES, self.REWARDS, self.PRESENT, trace=1.0)
        assert advantages[0].tolist() == pytest.approx([0.7, 0.4, 0.5])

    def test_trace_zero_is_the_step_of_the_value(self) -> None:
        advantages = value_advantage(self.VALUES, self.REWARDS, self.PRESENT, trace=0.0)
        assert advantages[0].tolist() == pytest.approx([0.3, -0.1, 0.5])

    def test_padding_is_inert(self) -> None:
        values = torch.tensor([[0.2, 0.5, 7.0]])
        rewards = torch.tensor([[0.0, 0.9, 3.0]])
        present = torch.tensor([[True, True, False]])
        padded = value_advantage(values, rewards, present, trace=0.9)
        short = value_advantage(values[:, :2], rewards[:, :2], present[:, :2], trace=0.9)
        assert padded[0].tolist() == [*short[0].tolist(), 0.0]


class TestSharedValues:
    STATES = torch.tensor([0, 0, 0, 1])
    RETURNS = torch.tensor([1.0, -1.0, 0.5, 0.7])
    PRIOR = torch.tensor([0.2, 0.2, 0.2, 0.4])

    def test_by_hand(self) -> None:
        counts = torch.tensor([1.0, 1.0, 3.0, 1.0])
        found = shared_values(self.STATES, self.RETURNS, self.PRIOR, counts, prior_count=2.0)
        expected = [(-1 + 1.5 + 0.4) / 6, (1 + 1.5 + 0.4) / 6, (1 - 1 + 1 + 0.4) / 6, 0.4]
        assert found.tolist() == pytest.approx(expected)

    def test_its_own_return_is_left_out(self) -> None:
        ones = torch.ones(4)
        changed = self.RETURNS.clone()
        changed[1] = 9.0
        found, other = (
            shared_values(self.STATES, returns, self.PRIOR, ones, prior_count=1.0)
            for returns in (self.RETURNS, changed)
        )
        assert found[1] == other[1]
        assert (found[[0, 2]] != other[[0, 2]]).all()
        assert found[3] == other[3]

    def test_what_was_never_drawn_tells_nothing(self) -> None:
        counts = torch.tensor([1.0, 1.0, 0.0, 1.0])
        found = shared_values(self.STATES, self.RETURNS, self.PRIOR, counts, prior_count=1.0)
        assert found[2].item() == pytest.approx(0.2 / 3)
        assert found[0].item() == pytest.approx((-1 + 0.2) / 2)
