"""What each action deserves: Eq. 4 to 6 by hand, and with learned values."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from workers.core.methods.mashost.training.config import PAPER, MasHostTrainingConfig
from workers.core.methods.mashost.training.credit import Credit, credit_of
from workers.core.methods.mashost.training.tests.support import (
    ROLES,
    config_of,
    four_systems,
    learner_of,
    system_of,
)
from workers.core.methods.mashost.training.trajectory import Group, exploring_at, tensors_of


class TestCreditOfThePaper:
    """Eq. 4 to 6 for a group of two systems of two actions, by hand."""

    CONFIG = MasHostTrainingConfig.model_validate(PAPER)

    def test_by_hand(self) -> None:
        group = [
            system_of(0, correct=(True, True), tokens=1_000.0),
            system_of(1, correct=(False, False), tokens=500.0),
        ]
        credit = credit_of([group], values=None, config=self.CONFIG)
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
        config = self.CONFIG.model_copy(update=switch)
        group = [
            system_of(0, correct=(True, True), tokens=1_000.0),
            system_of(1, correct=(False, False), tokens=500.0),
        ]
        credit = credit_of([group], values=None, config=config)
        assert credit.advantages[0].tolist() == pytest.approx(expected, abs=1e-5)

    def test_without_exemption_the_first_wrong_step_costs(self) -> None:
        config = self.CONFIG.model_copy(update={"exemption_time": 0})
        credit = credit_of(
            [[system_of(1, correct=(False, False)), system_of(0, correct=(True, True))]],
            values=None,
            config=config,
        )
        assert credit.action_rewards[0].tolist() == pytest.approx([-0.1, -0.2])


class TestCounts:
    """A right system that was drawn three times, a wrong one that was drawn once."""

    GROUP = (
        replace(system_of(0, correct=(True, True), tokens=0.0), draws=3),
        system_of(1, correct=(False, False), tokens=0.0),
    )

    @pytest.mark.parametrize(("count_draws", "mean"), [(True, 0.5), (False, 0.0)])
    def test_a_group_s_mean_is_that_of_all_draws(self, count_draws: bool, mean: float) -> None:
        config = config_of(
            baseline="group", normalise="none", action_term=False, count_draws=count_draws
        )
        credit = credit_of([self.GROUP], values=None, config=config)
        assert credit.advantages.tolist() == [[1 - mean] * 2, [-1 - mean] * 2]
        assert credit.counts.tolist() == ([1.5, 0.5] if count_draws else [1, 1])

    @pytest.mark.parametrize(("count_draws", "mean"), [(True, 0.5), (False, 0.0)])
    def test_a_query_s_luck_is_that_of_all_draws(self, count_draws: bool, mean: float) -> None:
        config = config_of(
            normalise="none",
            value_count=None,
            trace=1.0,
            action_term=False,
            count_draws=count_draws,
        )
        values = (torch.zeros(4), torch.zeros(4))
        credit = credit_of([self.GROUP], values=values, config=config)
        assert credit.advantages.tolist() == [[1 - mean] * 2, [-1 - mean] * 2]


class TestExplorers:
    """One right system of the policy, and a wrong one that explored."""

    GROUP = (
        system_of(0, correct=(True, True), tokens=0.0),
        exploring_at(1, system_of(1, correct=(False, False), tokens=0.0)),
    )

    @pytest.mark.parametrize("baseline", ["group", "value"])
    def test_what_a_group_earns_is_what_its_policy_earns(self, baseline: str) -> None:
        config = config_of(baseline=baseline, normalise="none", trace=1.0, action_term=False)
        values = (torch.zeros(4), torch.zeros(4)) if baseline == "value" else None
        credit = credit_of([self.GROUP], values=values, config=config)
        assert credit.advantages.tolist() == [[0, 0], [-2, -2]]
        assert credit.counts.tolist() == [1, 1]


class TestCreditOfValues:
    def test_by_hand(self) -> None:
        config = config_of(
            normalise="none",
            baseline="value",
            value_count=None,
            trace=1.0,
            centre_luck=False,
            action_term=False,
        )
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(False, False))]
        values = torch.tensor([0.5, 0.8, 0.2, -0.5])
        credit = credit_of([group], values=(values, torch.zeros(4)), config=config)
        assert credit.advantages[0].tolist() == pytest.approx([0.99 - 0.5, 0.99 - 0.8])
        assert credit.advantages[1].tolist() == pytest.approx([-1.2, -0.5])

    def test_what_all_systems_of_a_query_have_in_common_is_nobodys_merit(self) -> None:
        config = config_of(
            normalise="none", baseline="value", trace=1.0, centre_luck=True, action_term=False
        )
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(True, True))]
        credit = credit_of([group], values=(torch.full((4,), 0.3), torch.zeros(4)), config=config)
        assert credit.advantages.abs().max() < 1e-6

    def test_trusting_nothing_but_expectation_puts_x_for_the_reward(self) -> None:
        config = config_of(
            normalise="none",
            baseline="value",
            value_count=None,
            trace=0.0,
            trust_reward=0.0,
            centre_luck=False,
            action_term=False,
        )
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(False, False))]
        values, stops = torch.tensor([0.5, 0.8, 0.2, -0.5]), torch.tensor([0.0, 0.6, 0.0, -0.7])
        credit = credit_of([group], values=(values, stops), config=config)
        assert credit.advantages[:, 1].tolist() == pytest.approx([0.6 - 0.8, -0.7 + 0.5])

    def test_what_a_querys_systems_share_is_taken_from_its_own_alone(self) -> None:
        config = config_of(baseline="value", trace=1.0, action_term=False, normalise="none")
        right = [system_of(0, correct=(True, True), query=0) for _ in range(2)]
        wrong = [system_of(1, correct=(False, False), query=1) for _ in range(2)]
        credit = credit_of([right, wrong], values=(torch.zeros(8), torch.zeros(8)), config=config)
        assert credit.advantages.abs().max() < 1e-6

    def test_rewards_of_actions_are_shared_luck_too(self) -> None:
        config = config_of(baseline="value", trace=1.0, action_term=True, normalise="none")
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(False, False))]
        credit = credit_of([group], values=(torch.zeros(4), torch.zeros(4)), config=config)
        assert credit.advantages[:, 0].sum().item() == pytest.approx(0, abs=1e-6)
        assert credit.advantages[0, 0] > credit.advantages[1, 0]

    def test_a_batch_is_divided_by_its_deviation_and_not_centred(self) -> None:
        plain, divided = (
            credit_of(
                [four_systems()],
                values=(torch.zeros(10), torch.zeros(10)),
                config=config_of(normalise=normalise, centre_luck=False, value_count=None),
            )
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
        group = [system_of(0, correct=(True, True)), system_of(1, correct=(False, False))]
        for _ in range(24):
            learner.update([group])
        actions = [action for system in group for action in system.actions]
        steps = tensors_of(actions, role_count=ROLES, config=learner.config.run_config())
        values = learner.critic.forward(steps.states, learner.pool.roles)[0][steps.where]
        assert values[::2].tolist() == pytest.approx([0, 0], abs=0.2)
        assert values[1].item() == pytest.approx(gained - action_term, abs=0.25)
        assert values[3].item() == pytest.approx(-gained, abs=0.25)


class TestSharedValues:
    """Three systems begin with the same agent; a fourth with another."""

    GROUP = (
        system_of(0, correct=(True, True), tokens=0.0),
        system_of(0, 1, correct=(True, False, False), tokens=0.0),
        system_of(0, 1, correct=(True, False, False), tokens=0.0),
        system_of(2, correct=(False, False), tokens=0.0),
    )

    def credit(self, *groups: Group, **changes: Any) -> Credit:
        config = config_of(normalise="none", trace=1.0, centre_luck=False, **changes)
        actions = sum(len(system.actions) for group in groups for system in group)
        values = (torch.full((actions,), 0.25), torch.zeros(actions))
        return credit_of(
            groups, values=values, config=config.model_copy(update={"action_term": False})
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
        config = config_of(normalise="none", trace=1.0, action_term=False, value_count=1e-6)
        values = (torch.zeros(9), torch.zeros(9))
        credit = credit_of([group], values=values, config=config)
        assert credit.advantages[:2, 1].abs().max() < 1e-5
        assert credit.advantages[0, 0] > 0.5

    def test_what_explored_tells_only_of_what_came_after(self) -> None:
        """Up to there it did not go on as the policy does; it is judged by those that did."""
        explorer = exploring_at(1, self.GROUP[1])
        group = [self.GROUP[0], explorer, self.GROUP[2], self.GROUP[3]]
        credit = self.credit(group, value_count=1.0)
        rows = credit.advantages.tolist()
        assert rows[0][:2] == pytest.approx([1 - (-1 - 1 + 0.25) / 3, 1 - (-1 + 0.25) / 2])
        assert rows[1][1:] == pytest.approx([-1 - (1 - 1 + 0.25) / 3, -1 - (-1 + 0.25) / 2])
        assert rows[2][2] == pytest.approx(-1 - (-1 + 0.25) / 2)
