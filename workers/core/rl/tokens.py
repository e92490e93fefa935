"""The clipped objective over the tokens of answers (AT-GRPO, arXiv 2510.11062, Eq. 2).

Legend: N answers, T tokens of each (padded). `present` is 1 for a token of an answer and 0 for
padding. Everything else is (N, T), too, but where it says so.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from workers.core.rl.objective import clipped_surrogate


@dataclass(frozen=True, slots=True)
class TokenLoss:
    """`loss` is the sum over all answers here, divided already. (N, T): `clipped`, 1 where the
    ratio is outside of the clip, and `kl`, the divergence from the reference."""

    loss: Tensor
    clipped: Tensor
    kl: Tensor


def token_weights(present: Tensor, *, per_answer: bool, answers: int, tokens: int) -> Tensor:
    """The weight of each token in the mean over `answers` answers with `tokens` tokens together,
    which may be more than are here: (N, T) → (N, T).

    `per_answer`: every answer counts as much, 1/N Σ 1/|a_i| Σ_t (GRPO, arXiv 2402.03300, Eq. 3).
    Otherwise every token does.
    """
    if not per_answer:
        return present / max(1, tokens)
    lengths = present.sum(dim=-1, keepdim=True).clamp(min=1)
    return present / lengths / max(1, answers)


def kl_estimate(logprobs: Tensor, reference: Tensor) -> Tensor:
    """k3 of KL(π ‖ π_ref) for each token: e^(r) − r − 1 with r = log π_ref − log π. It is never
    negative, and 0 where both agree (Schulman 2020)."""
    difference = reference - logprobs
    return torch.exp(difference) - difference - 1


def token_loss(
    logprobs: Tensor,
    old: Tensor,
    advantages: Tensor,
    weights: Tensor,
    *,
    epsilon: float,
    kl: float = 0.0,
    reference: Tensor | None = None,
    importance: Tensor | None = None,
) -> TokenLoss:
    """−Σ weight · min(w Â, clip(w, 1 − ε, 1 + ε) Â), with w = π/π_old for each token.

    `advantages` is (N, 1) or (N, T). `importance` is the weight of tokens that an engine sampled
    with other probabilities than the trainer's. `reference` is needed if `kl` is above 0.
    """
    ratio = torch.exp(logprobs - old)
    surrogate = clipped_surrogate(ratio, advantages, epsilon=epsilon)
    if importance is not None:
        surrogate = surrogate * importance
    loss = -(surrogate * weights).sum()
    outside = ((ratio - 1).abs() > epsilon).to(logprobs.dtype)
    divergence = torch.zeros_like(logprobs)
    if reference is not None:
        divergence = kl_estimate(logprobs, reference)
        loss = loss + kl * (divergence * weights).sum()
    return TokenLoss(loss, outside, divergence.detach())
