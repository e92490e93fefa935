"""Masked categorical distributions over node actions. A actions = K roles + DELETE + EXIT.

Every function takes leading batch dimensions. A batch gives the same numbers as its rows alone.
"""

import torch
from torch import Tensor


def masked_log_probabilities(logits: Tensor, allowed: Tensor) -> Tensor:
    """Log-softmax over the allowed actions: (…, A), (…, A) bool → (…, A) in nats.

    Actions that are not allowed get −inf and pass no gradient. Raises ValueError for a row that
    allows nothing: it has no distribution.
    """
    if not bool(allowed.any(dim=-1).all()):
        raise ValueError("every row must allow at least one action")
    return torch.log_softmax(logits.masked_fill(~allowed, float("-inf")), dim=-1)


def categorical_entropy(log_probabilities: Tensor) -> Tensor:
    """Entropy in nats: (…, A) → (…). An action with probability 0 contributes 0, not NaN."""
    finite = log_probabilities.masked_fill(torch.isneginf(log_probabilities), 0.0)
    probabilities = log_probabilities.exp()
    return -(probabilities * finite).sum(dim=-1)


def categorical_log_probability(log_probabilities: Tensor, actions: Tensor) -> Tensor:
    """Log-probability of the actions taken: (…, A), (…) int64 → (…)."""
    return log_probabilities.gather(-1, actions.unsqueeze(-1)).squeeze(-1)


def greedy_action(log_probabilities: Tensor) -> Tensor:
    """The most probable action, ties to the lower index: (…, A) → (…) int64."""
    return log_probabilities.argmax(dim=-1)


def sample_action(log_probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """One draw per row: (…, A) → (…) int64. The same generator state gives the same draws."""
    flat = log_probabilities.exp().reshape(-1, log_probabilities.shape[-1])
    draws = torch.multinomial(flat, num_samples=1, generator=generator)
    return draws.reshape(log_probabilities.shape[:-1])
