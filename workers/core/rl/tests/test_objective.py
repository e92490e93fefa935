import math

import pytest
import torch

from workers.core.rl.objective import (
    action_weights,
    clipped_share,
    clipped_surrogate,
    importance,
    probability_ratio,
)


def test_eq_7_by_hand_for_two_systems_of_two_and_one_actions() -> None:
    old = torch.tensor([[0.5, 0.5], [0.2, 1.0]]).log()
    new = torch.tensor([[0.6, 0.5], [0.1, 1.0]]).log()
    advantages = torch.tensor([[1.0, -1.0], [-2.0, 5.0]])
    present = torch.tensor([[True, True], [True, False]])
    ratio = probability_ratio(new, old)
    assert ratio[0, 0].item() == pytest.approx(1.2)
    surrogate = clipped_surrogate(ratio, advantages, epsilon=0.1)
    # 1.2 → 1.1 · 1;  1 · −1;  min(0.5 · −2, 0.9 · −2) = −1.8
    objective = (action_weights(present, weigh="system") * surrogate).sum()
    assert objective.item() == pytest.approx(((1.1 - 1.0) / 2 + -1.8) / 2)
    assert clipped_share(ratio, present, epsilon=0.1).item() == pytest.approx(2 / 3)


def test_a_ratio_that_gained_enough_gets_no_gradient_and_one_that_lost_still_does() -> None:
    new = torch.tensor([math.log(1.5), math.log(1.5)], requires_grad=True)
    ratio = probability_ratio(new, torch.zeros(2))
    objective = clipped_surrogate(ratio, torch.tensor([1.0, -1.0]), epsilon=0.1).sum()
    (gradient,) = torch.autograd.grad(objective, new)
    assert gradient.tolist() == pytest.approx([0.0, -1.5])


def test_weights_by_hand() -> None:
    present = torch.tensor([[True, True, False], [True, False, False]])
    by_system = action_weights(present, weigh="system")
    assert by_system.tolist() == [[0.25, 0.25, 0.0], [0.5, 0.0, 0.0]]
    by_action = action_weights(present, weigh="action")
    assert by_action.flatten().tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3, 0, 0])


def test_importance_is_the_ratio_to_who_sampled_up_to_a_limit() -> None:
    now = torch.tensor([0.3, 0.1, 0.9]).log()
    sampled = torch.tensor([0.2, 0.2, 0.1]).log()
    for limit, highest in ((2.0, 2.0), (None, 9.0)):
        found = importance(now, sampled, limit=limit)
        assert found.tolist() == pytest.approx([1.5, 0.5, highest])
