"""The log-probability of one construction step of MasHost (arXiv 2506.08507, Eq. 3 and 7)."""

from __future__ import annotations

import torch
from torch import Tensor


def step_log_probability(
    node_log_probability: Tensor, edge_log_probability: Tensor, adds_agent: Tensor
) -> Tensor:
    """log π(a_t | s_t) = log π_θ(a_n) + Σ_j log π_φ(e_j): (…) × 3 → (…).

    DELETE and EXIT decide no edges: where `adds_agent` is False the edge term is left out, so the
    ratio w of Eq. 7 has no edge factor there.
    """
    return node_log_probability + torch.where(
        adds_agent, edge_log_probability, torch.zeros_like(edge_log_probability)
    )
