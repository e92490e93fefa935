"""The clipped objective of HRPO (MasHost, arXiv 2506.08507, Eq. 7)."""

import torch
from torch import Tensor

from workers.core.rl.options import Weigh


def probability_ratio(log_probability: Tensor, old_log_probability: Tensor) -> Tensor:
    """w of Eq. 7: (…) × 2 → (…). Both are joint: node and, if an agent is added, its edges."""
    return torch.exp(log_probability - old_log_probability)


def importance(
    log_probability: Tensor, sampled_log_probability: Tensor, *, limit: float | None
) -> Tensor:
    """The importance weight of an action that another policy sampled: (…) × 2 → (…), at most
    `limit`.

    With it the ratio of Eq. 7 can be relative to the policy at the start of an update (decoupled,
    arXiv 2110.00641). So a sample that is a step old still moves it by a full ε.
    """
    ratio = probability_ratio(log_probability, sampled_log_probability)
    return ratio if limit is None else ratio.clamp(max=limit)


def clipped_surrogate(ratio: Tensor, advantages: Tensor, *, epsilon: float) -> Tensor:
    """min(w·Â, clip(w, 1−ε, 1+ε)·Â) for each action: (…) × 2 → (…)."""
    clipped = ratio.clamp(1.0 - epsilon, 1.0 + epsilon)
    return torch.minimum(ratio * advantages, clipped * advantages)


def action_weights(present: Tensor, *, weigh: Weigh) -> Tensor:
    """The weight of each action in the mean: (N, T) → (N, T). All sum to 1; padding is 0.

    `system` is 1/L Σ_i 1/|M_i| Σ_t of Eq. 7: every system counts equally, so an action of a long
    one counts less than an action of a short one. `action`: every action counts equally.
    """
    if weigh == "action":
        return present / present.sum()
    lengths = present.sum(dim=-1, keepdim=True)
    return present / lengths / len(present)


def clipped_share(ratio: Tensor, present: Tensor, *, epsilon: float) -> Tensor:
    """Share of the actions whose ratio is outside [1 − ε, 1 + ε]: (…) × 2 → scalar."""
    outside = ((ratio - 1.0).abs() > epsilon) & present
    return outside.sum() / present.sum().clamp(min=1)
