"""REINFORCE by hand, and that padding changes nothing."""

import pytest
import torch

from workers.core.rl.reinforce import (
    RunningMeans,
    moved_baseline,
    others_mean,
    process_returns,
    reinforce_loss,
)

LOGS = torch.tensor([[-1.0, -2.0], [-0.5, -9.0]])
PRESENT = torch.tensor([[True, True], [True, False]])


def test_the_loss_by_hand() -> None:
    """−(1·(−1 − 2) + 0.5·(−0.5)) / 2"""
    returns = torch.tensor([[1.0, 1.0], [0.5, 7.0]])
    assert float(reinforce_loss(LOGS, returns, PRESENT)) == pytest.approx(1.625)


def test_its_gradient_is_the_return_of_each_decision() -> None:
    logs = LOGS.clone().requires_grad_()
    reinforce_loss(logs, torch.tensor([[1.0, 1.0], [0.5, 7.0]]), PRESENT).backward()
    assert logs.grad is not None
    assert logs.grad.tolist() == [[-0.5, -0.5], [-0.25, 0.0]]


def test_a_decision_earns_what_comes_after_it() -> None:
    found = process_returns(
        torch.tensor([1.0, 0.0]), torch.tensor([[0.4, 0.8], [1.0, 5.0]]), PRESENT, weight=0.5
    )
    assert found.flatten().tolist() == pytest.approx([1.3, 1.2, 0.25, 0.0])


def test_without_weight_the_utility_alone_counts() -> None:
    found = process_returns(torch.tensor([1.0, 0.0]), torch.rand(2, 2), PRESENT, weight=0.0)
    assert found.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_baselines() -> None:
    assert moved_baseline(0.5, torch.tensor([1.0, 0.0, 1.0, 1.0]), kept=0.9) == pytest.approx(0.525)
    rewards = torch.tensor([[1.0, 0.0, 0.5]])
    assert others_mean(rewards).flatten().tolist() == pytest.approx([0.25, 0.75, 0.5])
    assert float((rewards - others_mean(rewards)).sum()) == pytest.approx(0.0)
    assert others_mean(torch.tensor([[3.0]])).tolist() == [[0.0]]


def test_means_by_key_forget_what_is_old() -> None:
    means = RunningMeans()
    means.take(["a", "a", "b"], [1.0, 0.0, 0.5], kept=0.5)
    assert (means.of("a"), means.of("b")) == (0.5, 0.5)
    means.take(["a"], [1.0], kept=0.5)  # (0.5 · 2 · 0.5 + 1) / (0.5 · 2 + 1)
    assert (means.of("a"), means.of("b")) == (0.75, 0.5)
