"""Masked categorical: numbers by hand, invariants, finite differences."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workers.core.rl.categorical import (
    categorical_entropy,
    categorical_log_probability,
    greedy_action,
    masked_log_probabilities,
    sample_action,
)


def test_by_hand() -> None:
    logits = torch.tensor([math.log(2.0), math.log(3.0), math.log(5.0)])
    allowed = torch.tensor([True, False, True])
    log_probabilities = masked_log_probabilities(logits, allowed)
    assert log_probabilities.exp().tolist() == pytest.approx([2 / 7, 0.0, 5 / 7])
    entropy = -(2 / 7 * math.log(2 / 7) + 5 / 7 * math.log(5 / 7))
    assert categorical_entropy(log_probabilities).item() == pytest.approx(entropy)
    taken = categorical_log_probability(log_probabilities, torch.tensor(2))
    assert taken.item() == pytest.approx(math.log(5 / 7))
    assert greedy_action(log_probabilities).item() == 2


@given(st.integers(1, 40), st.integers(0, 2**31 - 1))
def test_probabilities_sum_to_one_and_masked_ones_are_zero(actions: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(actions, generator=generator) * 20
    allowed = torch.rand(actions, generator=generator) < 0.5
    allowed[int(torch.randint(actions, (1,), generator=generator))] = True
    probabilities = masked_log_probabilities(logits, allowed).exp()
    assert probabilities.sum().item() == pytest.approx(1.0, abs=1e-6)
    assert (probabilities[~allowed] == 0).all()
    assert allowed[sample_action(probabilities.log(), generator)]


def test_a_row_that_allows_nothing_is_an_error() -> None:
    allowed = torch.tensor([[True, False], [False, False]])
    with pytest.raises(ValueError, match="at least one action"):
        masked_log_probabilities(torch.zeros(2, 2), allowed)


def test_one_batch_of_eight_is_eight_batches_of_one() -> None:
    logits = torch.randn(8, 11, generator=torch.Generator().manual_seed(3))
    allowed = torch.rand(8, 11, generator=torch.Generator().manual_seed(4)) < 0.7
    allowed[:, 0] = True
    together = masked_log_probabilities(logits, allowed)
    for row in range(8):
        alone = masked_log_probabilities(logits[row : row + 1], allowed[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone, rtol=0, atol=0)


def test_gradient_agrees_with_finite_differences_and_masks_pass_none() -> None:
    logits = torch.randn(5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    allowed = torch.tensor([True, True, False, True, True])

    def objective(values: torch.Tensor) -> torch.Tensor:
        log_probabilities = masked_log_probabilities(values, allowed)
        return log_probabilities[3] + 0.1 * categorical_entropy(log_probabilities)

    leaf = logits.clone().requires_grad_()
    objective(leaf).backward()
    assert leaf.grad is not None
    for index in range(5):
        shift = torch.zeros(5, dtype=torch.float64)
        shift[index] = 1e-6
        slope = (objective(logits + shift) - objective(logits - shift)).item() / 2e-6
        assert leaf.grad[index].item() == pytest.approx(slope, abs=1e-8)
    assert leaf.grad[2].item() == 0.0


def test_draws_follow_the_probabilities_and_the_seed() -> None:
    log_probabilities = torch.tensor([0.1, 0.0, 0.6, 0.3]).log().expand(20_000, 4)
    draws = sample_action(log_probabilities, torch.Generator().manual_seed(7))
    again = sample_action(log_probabilities, torch.Generator().manual_seed(7))
    assert torch.equal(draws, again)
    shares = torch.bincount(draws, minlength=4) / len(draws)
    assert shares.tolist() == pytest.approx([0.1, 0.0, 0.6, 0.3], abs=0.015)
