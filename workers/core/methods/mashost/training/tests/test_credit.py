"""What each action deserves: Eq. 4 to 6 by hand, and with learned values."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from workers.core.methods.mashost.training.config import PAPER, MasHostTrainingConfig
from workers.core.methods.mashost.training.credit import Credit, credit_of
from workers.core.methods.mashost.training.tests.support import (
    config_of,
    four_systems,
    learner_of,
    steps_of,
    system_of,
)
from workers.core.methods.mashost.training.trajectory import Group, exploring_at

RIGHT, WRONG = system_of(0, correct=(True, True)), system_of(1, correct=(False, False))
FREE_RIGHT = system_of(0, correct=(True, True), tokens=0.0)
FREE_WRONG = system_of(1, correct=(False, False), tokens=0.0)


def with_values(
    *groups: Group, values: Sequence[float] = (), stops: Sequence[float] = (), **changes: Any
) -> Credit:
    """Credit by a learned value and a reward of stopping for each state: 0 where none are given."""
    config = config_of(**{"normalise": "none", "trace": 1.0, "action_term": False} | changes)
    zeros = [0.0] * sum(len(system.actions) for group in groups for system in group)
    learned = torch.tensor(values or zeros), torch.tensor(stops or zeros)
    return credit_of(groups, values=learned, config=config)


class TestCreditOfThePaper:
    """Eq. 4 to 6 for a group of two systems of two actions, by hand."""

    def credit(self, **changes: Any) -> Credit:
        group = [replace(RIGHT, tokens=1_000.0), replace(WRONG, tokens=500.0)]
        config = MasHostTrainingConfig.model_validate(PAPER | changes)
        return credit_of([group], values=None, config=config)

    def test_by_hand(self) -> None:
        credit = self.credit()
        assert credit.rewards.tolist() == pytest.approx([0.9, -1.0])
        assert credit.action_rewards[0].tolist() == pytest.approx([1.0, math.exp(-2)])
        assert credit.action_rewards[1].tolist() == [0.0, 0.0]
        # mean −0.05, deviation 0.95: the group term is ±1 (Eq. 4)
        expected = [[1 + 1 + 0.9 * math.exp(-2), 1 + math.exp(-2)], [-1.0, -1.0]]
        for row, values in zip(credit.advantages.tolist(), expected, strict=True):
            assert row == pytest.approx(values, abs=1e-5)

    @pytest.mark.parametrize(
        ("switch", "expected"),
        [
            ({"action_term": False}, [1.0, 1.0]),
            ({"group_term": False}, [1 + 0.9 * math.exp(-2), math.exp(-2)]),
        ],
    )
    def test_an_ablation_takes_away_what_it_names(
        self, switch: dict[str, Any], expected: list[float]
    ) -> None:
        assert self.credit(**switch).advantages[0].tolist() == pytest.approx(expected, abs=1e-5)

    def test_without_exemption_the_first_wrong_step_costs(self) -> None:
        assert self.credit(exemption_time=0).action_rewards[1].tolist() == pytest.approx(
            [-0.1, -0.2]
        )


@pytest.mark.parametrize(("count_draws", "mean"), [(True, 0.5), (False, 0.0)])
@pytest.mark.parametrize("baseline", ["group", "value"])
def test_a_group_s_mean_and_a_query_s_luck_are_those_of_all_draws(
    baseline: str, count_draws: bool, mean: float
) -> None:
    """Of a right system that was drawn three times, and a wrong one that was drawn once."""
    group = (replace(FREE_RIGHT, draws=3), FREE_WRONG)
    credit = with_group_or_values(group, baseline, value_count=None, count_draws=count_draws)
    assert credit.advantages.tolist() == [[1 - mean] * 2, [-1 - mean] * 2]
    assert credit.counts.tolist() == ([1.5, 0.5] if count_draws else [1, 1])


@pytest.mark.parametrize("baseline", ["group", "value"])
def test_what_a_group_earns_is_what_its_policy_earns(baseline: str) -> None:
    """Of one right system of the policy, and a wrong one that explored."""
    credit = with_group_or_values((FREE_RIGHT, exploring_at(1, FREE_WRONG)), baseline)
    assert credit.advantages.tolist() == [[0, 0], [-2, -2]]
    assert credit.counts.tolist() == [1, 1]


def with_group_or_values(group: Group, baseline: str, **changes: Any) -> Credit:
    if baseline == "value":
        return with_values(group, **changes)
    config = config_of(baseline="group", normalise="none", action_term=False, **changes)
    return credit_of([group], values=None, config=config)


class TestCreditOfValues:
    def test_by_hand(self) -> None:
        credit = with_values(
            [RIGHT, WRONG], values=[0.5, 0.8, 0.2, -0.5], value_count=None, centre_luck=False
        )
        assert credit.advantages[0].tolist() == pytest.approx([0.99 - 0.5, 0.99 - 0.8])
        assert credit.advantages[1].tolist() == pytest.approx([-1.2, -0.5])

    def test_what_all_systems_of_a_query_have_in_common_is_nobodys_merit(self) -> None:
        same = [RIGHT, system_of(1, correct=(True, True))]
        assert with_values(same, values=[0.3] * 4).advantages.abs().max() < 1e-6

    def test_trusting_nothing_but_expectation_puts_x_for_the_reward(self) -> None:
        credit = with_values(
            [RIGHT, WRONG],
            values=[0.5, 0.8, 0.2, -0.5],
            stops=[0.0, 0.6, 0.0, -0.7],
            value_count=None,
            trace=0.0,
            trust_reward=0.0,
            centre_luck=False,
        )
        assert credit.advantages[:, 1].tolist() == pytest.approx([0.6 - 0.8, -0.7 + 0.5])

    def test_what_a_querys_systems_share_is_taken_from_its_own_alone(self) -> None:
        wrong = system_of(1, correct=(False, False), query=1)
        assert with_values([RIGHT, RIGHT], [wrong, wrong]).advantages.abs().max() < 1e-6

    def test_rewards_of_actions_are_shared_luck_too(self) -> None:
        advantages = with_values([RIGHT, WRONG], action_term=True).advantages
        assert advantages[:, 0].sum().item() == pytest.approx(0, abs=1e-6)
        assert advantages[0, 0] > advantages[1, 0]

    def test_a_batch_is_divided_by_its_deviation_and_not_centred(self) -> None:
        changes: dict[str, Any] = {"centre_luck": False, "value_count": None, "trace": 0.95}
        plain, divided = (
            with_values(four_systems(), normalise=normalise, **changes)
            for normalise in ("none", "batch")
        )
        present = plain.layout.present
        ratio = divided.advantages[present] / plain.advantages[present]
        deviation = plain.advantages[present].std(correction=0)
        assert torch.allclose(ratio, torch.ones_like(ratio) / deviation)
        assert torch.equal(divided.errors, plain.errors)

    @pytest.mark.parametrize(
        ("action_term", "gained"), [(False, 0.995), (True, 0.995 + (1 + math.exp(-2)) / 2)]
    )
    def test_values_settle(self, action_term: bool, gained: float) -> None:
        """One system is right and one wrong: relative to their mean, 0 before either is built."""
        learner = learner_of(
            config_of(action_term=action_term, critic_updates=16, critic_learning_rate=1e-2)
        )
        group = [RIGHT, WRONG]
        for _ in range(24):
            learner.update([group])
        steps = steps_of(learner, group)
        values = learner.critic.forward(steps.states, learner.pool.roles)[0][steps.where]
        assert values[::2].tolist() == pytest.approx([0, 0], abs=0.2)
        assert values[1].item() == pytest.approx(gained - action_term, abs=0.25)
        assert values[3].item() == pytest.approx(-gained, abs=0.25)


class TestSharedValues:
    """Three systems begin with the same agent; a fourth with another."""

    GROUP = (
        FREE_RIGHT,
        system_of(0, 1, correct=(True, False, False), tokens=0.0),
        system_of(0, 1, correct=(True, False, False), tokens=0.0),
        system_of(2, correct=(False, False), tokens=0.0),
    )

    def credit(self, *groups: Group, value_count: float | None) -> Credit:
        actions = sum(len(system.actions) for group in groups for system in group)
        return with_values(
            *groups, values=[0.25] * actions, centre_luck=False, value_count=value_count
        )

    def test_what_a_state_is_worth_is_what_the_others_earned_from_it_by_hand(self) -> None:
        credit = self.credit(self.GROUP, value_count=1.0)
        # The three others and V, where it begins; the two others and V, where the agent stands.
        first = 1 - (-1 - 1 - 1 + 0.25) / 4, 1 - (-1 - 1 + 0.25) / 3
        second = -1 - (1 - 1 - 1 + 0.25) / 4, -1 - (1 - 1 + 0.25) / 3, -1 - (-1 + 0.25) / 2
        last = -1 - (1 - 1 - 1 + 0.25) / 4, -1 - 0.25
        rows = credit.advantages.tolist()
        assert rows[0][:2] == pytest.approx(first)
        assert rows[1] == rows[2] == pytest.approx(second)
        assert rows[3][:2] == pytest.approx(last)
        assert rows[0][2] == rows[3][2] == 0

    def test_without_a_count_and_with_a_large_one_it_is_learned_alone(self) -> None:
        alone = self.credit(self.GROUP, value_count=None).advantages
        assert torch.allclose(self.credit(self.GROUP, value_count=1e6).advantages, alone, atol=1e-4)
        assert not torch.allclose(self.credit(self.GROUP, value_count=1.0).advantages, alone)

    def test_what_the_critic_learns_stays(self) -> None:
        alone, shared = (
            self.credit(self.GROUP, value_count=count).targets for count in (None, 1.0)
        )
        assert alone is not None
        assert shared is not None
        assert torch.equal(alone, shared)

    def test_other_queries_tell_nothing(self) -> None:
        other = [system_of(0, correct=(False, False), tokens=0.0) for _ in self.GROUP]
        alone = self.credit(self.GROUP, value_count=1.0)
        beside = self.credit(self.GROUP, other, value_count=1.0)
        assert torch.equal(beside.advantages[:4], alone.advantages)

    def test_drawn_three_times_is_three_systems(self) -> None:
        once = [self.GROUP[0], self.GROUP[3]]
        thrice = self.credit([replace(once[0], draws=3), once[1]], value_count=1.0)
        three = self.credit([once[0], once[0], once[0], once[1]], value_count=1.0)
        assert torch.allclose(thrice.advantages, three.advantages[[0, 3]])

    def test_what_the_endpoint_failed_tells_nothing(self) -> None:
        failed = [replace(self.GROUP[0], draws=0), *self.GROUP[1:]]
        without = self.credit(self.GROUP[1:], value_count=1.0)
        assert torch.equal(self.credit(failed, value_count=1.0).advantages[1:], without.advantages)

    def test_luck_of_those_before_is_nobodys_merit(self) -> None:
        """With centred luck too: from a state on which all earn alike, nothing is learned."""
        group = [
            system_of(0, 1, correct=(True, True, True), tokens=0.0),
            system_of(0, 2, correct=(True, True, True), tokens=0.0),
            system_of(3, 1, correct=(False, False, False), tokens=0.0),
        ]
        advantages = with_values(group, value_count=1e-6).advantages
        assert advantages[:2, 1].abs().max() < 1e-5
        assert advantages[0, 0] > 0.5

    def test_what_explored_tells_only_of_what_came_after(self) -> None:
        """Up to there it did not go on as the policy does; it is judged by those that did."""
        explorer = exploring_at(1, self.GROUP[1])
        group = [self.GROUP[0], explorer, self.GROUP[2], self.GROUP[3]]
        credit = self.credit(group, value_count=1.0)
        rows = credit.advantages.tolist()
        assert rows[0][:2] == pytest.approx([1 - (-1 - 1 + 0.25) / 3, 1 - (-1 + 0.25) / 2])
        assert rows[1][1:] == pytest.approx([-1 - (1 - 1 + 0.25) / 3, -1 - (-1 + 0.25) / 2])
        assert rows[2][2] == pytest.approx(-1 - (-1 + 0.25) / 2)
