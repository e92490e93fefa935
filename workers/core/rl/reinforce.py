"""REINFORCE on the return of a trajectory (EvoMAS, arXiv 2605.08769, Eq. 16 and 17).

Legend: B trajectories, T decisions of one (padded). `present` is False for padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor


def reinforce_loss(log_probability: Tensor, returns: Tensor, present: Tensor) -> Tensor:
    """−1/B Σ_b Σ_t R_{b,t} log P(G_{b,t}): (B, T) × 3 → scalar. Its gradient is −∇J of Eq. 16; with
    one trajectory and R_t = U(τ) that of Eq. 17."""
    return -(returns.detach() * log_probability * present).sum() / len(log_probability)


def process_returns(
    utility: Tensor, stage_rewards: Tensor, present: Tensor, *, weight: float
) -> Tensor:
    """R_t = U(τ) + weight · Σ_{k≥t} r_k / T, (B,), (B, T), (B, T) → (B, T).

    Only rewards that a decision can still change count for it. Divided by the T of the batch, the
    process never outweighs `weight` times a right answer.
    """
    masked = stage_rewards * present
    to_go = masked.flip(-1).cumsum(dim=-1).flip(-1) / masked.shape[-1]
    return (utility.unsqueeze(-1) + weight * to_go) * present


def moved_baseline(baseline: float, rewards: Tensor, *, kept: float) -> float:
    """The moving mean of returns: `kept` of it stays, the rest is the mean of these (B,)."""
    return kept * baseline + (1.0 - kept) * float(rewards.mean())


def others_mean(rewards: Tensor) -> Tensor:
    """The mean of a group's other members, (…, R) → (…, R). With one member it is 0: there is
    nothing to compare with."""
    count = rewards.shape[-1]
    if count == 1:
        return torch.zeros_like(rewards)
    return (rewards.sum(dim=-1, keepdim=True) - rewards) / (count - 1)


@dataclass(slots=True)
class RunningMeans:
    """Means by key, where later numbers count more. `means`: key → (mean, its weight)."""

    means: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, keys: Sequence[str], numbers: Sequence[float], *, kept: float) -> None:
        """`kept`: the share of a key's old weight that stays, if the key is among these."""
        given: dict[str, list[float]] = {}
        for key, number in zip(keys, numbers, strict=True):
            given.setdefault(key, []).append(number)
        for key, new in given.items():
            mean, weight = self.means.get(key, (0.0, 0.0))
            old = kept * weight
            self.means[key] = ((old * mean + sum(new)) / (old + len(new)), old + len(new))

    def of(self, key: str) -> float:
        """Raises KeyError for a key that was never taken."""
        return self.means[key][0]
