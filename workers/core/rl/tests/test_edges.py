"""JPSS and the step's log-probability: numbers by hand, both gradients, padding."""

import math

import pytest
import torch

from workers.core.rl.categorical import masked_log_probabilities
from workers.core.rl.edges import (
    bernoulli_entropy,
    bernoulli_log_probability,
    joint_edge_probability,
    relative_edge_probability,
    sample_edges,
    step_log_probability,
    threshold_edges,
)

LOGIT_OF_08 = math.log(4.0)
PRESENT = torch.tensor([True, True])


def test_equation_3_by_hand() -> None:
    probability = torch.tensor(0.25)
    logits = torch.tensor([0.0, LOGIT_OF_08])
    assert joint_edge_probability(probability, logits).tolist() == pytest.approx([0.125, 0.2])
    relative = relative_edge_probability(probability, torch.tensor(0.5), logits)
    assert relative.tolist() == pytest.approx([0.25, 0.4])


def test_the_log_probability_of_a_step_by_hand() -> None:
    probabilities = joint_edge_probability(torch.tensor(0.5), torch.tensor([0.0, LOGIT_OF_08]))
    chosen = torch.tensor([True, False])
    edges = bernoulli_log_probability(probabilities, chosen, PRESENT)
    assert edges.item() == pytest.approx(math.log(0.25) + math.log(0.6), rel=1e-5)
    node = torch.tensor(math.log(0.5))
    added = step_log_probability(node, edges, torch.tensor(True))
    assert added.item() == pytest.approx(math.log(0.5 * 0.25 * 0.6), rel=1e-5)
    assert step_log_probability(node, edges, torch.tensor(False)).item() == pytest.approx(node)


def test_padding_is_inert() -> None:
    probabilities = torch.tensor([0.3, 0.9, 0.5])
    chosen = torch.tensor([True, False, True])
    present = torch.tensor([True, True, False])
    short = bernoulli_log_probability(probabilities[:2], chosen[:2], PRESENT)
    assert bernoulli_log_probability(probabilities, chosen, present).item() == pytest.approx(short)
    entropy = bernoulli_entropy(probabilities, present).item()
    assert entropy == pytest.approx(bernoulli_entropy(probabilities[:2], PRESENT).item())
    assert threshold_edges(probabilities, 0.2, present).tolist() == [True, True, False]
    drawn = sample_edges(torch.ones(3), present, torch.Generator().manual_seed(0))
    assert drawn.tolist() == [True, True, False]


def test_an_edge_carries_gradient_to_both_networks() -> None:
    """Finite differences of the joint log-probability in node logits and edge logits."""
    generator = torch.Generator().manual_seed(5)
    start = torch.randn(6, dtype=torch.float64, generator=generator)
    chosen = torch.tensor([True, False])

    def edge_term(values: torch.Tensor) -> torch.Tensor:
        node = masked_log_probabilities(values[:4], torch.ones(4, dtype=torch.bool)).exp()
        joint = joint_edge_probability(node[1], values[4:])
        return bernoulli_log_probability(joint, chosen, PRESENT)

    leaf = start.clone().requires_grad_()
    edge_term(leaf).backward()
    assert leaf.grad is not None
    for index in range(6):
        shift = torch.zeros(6, dtype=torch.float64)
        shift[index] = 1e-6
        slope = (edge_term(start + shift) - edge_term(start - shift)).item() / 2e-6
        assert leaf.grad[index].item() == pytest.approx(slope, abs=1e-8)
    assert (leaf.grad.abs() > 1e-4).all()


def test_saturated_probabilities_stay_finite() -> None:
    probabilities = torch.tensor([0.0, 1.0], requires_grad=True)
    worst = bernoulli_log_probability(probabilities, torch.tensor([True, False]), PRESENT)
    assert math.isfinite(worst.item())
    assert worst.item() < -30


def test_draws_follow_the_probabilities_and_the_seed() -> None:
    probabilities = torch.tensor([0.2, 0.7]).expand(20_000, 2)
    present = torch.ones(20_000, 2, dtype=torch.bool)
    drawn = sample_edges(probabilities, present, torch.Generator().manual_seed(1))
    assert torch.equal(
        drawn, sample_edges(probabilities, present, torch.Generator().manual_seed(1))
    )
    assert drawn.float().mean(0).tolist() == pytest.approx([0.2, 0.7], abs=0.015)
