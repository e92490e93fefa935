"""Bernoulli edges and JPSS, MasHost's joint probability space sampling.

Source: arXiv 2506.08507, Eq. 3 and 7. N existing agents, each of which the new agent reads or not.
`present` is False for padding in a batch, which has no edge and contributes nothing.
"""

import torch
from torch import Tensor

PROBABILITY_FLOOR = 1e-7
"""Keeps the log of a saturated probability, and its gradient, finite in float32."""


def joint_edge_probability(node_probability: Tensor, edge_logits: Tensor) -> Tensor:
    """Eq. 3: p · sigmoid(logit_j). Shapes (…), (…, N) → (…, N).

    `node_probability` is the probability with which the new agent's role was chosen. So the
    gradient of an edge reaches the node policy as well as the edge policy.
    """
    return node_probability.unsqueeze(-1) * torch.sigmoid(edge_logits)


def relative_edge_probability(
    node_probability: Tensor, highest_probability: Tensor, edge_logits: Tensor
) -> Tensor:
    """Eq. 3 with p / max p in place of p: (…), (…), (…, N) → (…, N).

    With K roles p starts near 1/K, so the literal joint almost never draws an edge. Divided by the
    most probable role's p, the arg-max role keeps its full sigmoid. For that role the quotient is
    1, so its edges pass no gradient to the node policy. Edges of other roles pass it to both p's.
    """
    return joint_edge_probability(node_probability / highest_probability, edge_logits)


def bernoulli_log_probability(probabilities: Tensor, chosen: Tensor, present: Tensor) -> Tensor:
    """Sum over edges of log p if chosen and log(1 − p) if not: (…, N) × 3 → (…)."""
    clamped = probabilities.clamp(PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR)
    each = torch.where(chosen, clamped.log(), torch.log1p(-clamped))
    return each.masked_fill(~present, 0.0).sum(dim=-1)


def bernoulli_entropy(probabilities: Tensor, present: Tensor) -> Tensor:
    """Sum over edges of the binary entropy in nats: (…, N), (…, N) bool → (…)."""
    p = probabilities.clamp(PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR)
    each = -(p * p.log() + (1.0 - p) * torch.log1p(-p))
    return each.masked_fill(~present, 0.0).sum(dim=-1)


def threshold_edges(probabilities: Tensor, threshold: float, present: Tensor) -> Tensor:
    """Edges at or above the threshold: (…, N) → (…, N) bool."""
    return (probabilities >= threshold) & present


def sample_edges(probabilities: Tensor, present: Tensor, generator: torch.Generator) -> Tensor:
    """One independent draw per edge: (…, N) → (…, N) bool, reproducible from the generator."""
    draws = torch.rand(probabilities.shape, generator=generator, dtype=probabilities.dtype)
    return (draws < probabilities) & present


def step_log_probability(
    node_log_probability: Tensor, edge_log_probability: Tensor, adds_agent: Tensor
) -> Tensor:
    """log π(a_t | s_t) = log π_θ(a_n) + Σ_j log π_φ(e_j): (…) × 3 → (…).

    DELETE and EXIT decide no edges. If `adds_agent` is False, the edge term is left out, so the
    ratio w of Eq. 7 has no edge factor.
    """
    return node_log_probability + torch.where(
        adds_agent, edge_log_probability, torch.zeros_like(edge_log_probability)
    )
