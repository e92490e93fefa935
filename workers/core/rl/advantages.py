"""Advantages relative to a group, per action (MasHost, arXiv 2506.08507, Eq. 4 and 6), and from
values.

Legend: B queries, L systems per query, T actions of a system (padded). `present` is False for
padding, which contributes nothing.
"""

import torch
from torch import Tensor

from workers.core.rl.options import Normalise

STANDARD_DEVIATION_FLOOR = 1e-6
COUNTS_FLOOR = 1e-6
"""Smallest divisor: if nothing counts, a mean is 0."""


def group_mean(values: Tensor, counts: Tensor) -> Tensor:
    """The mean of each group. Members count as often as they were drawn: (B, L) × 2 → (B, 1)."""
    total = counts.sum(dim=-1, keepdim=True)
    return (values * counts).sum(dim=-1, keepdim=True) / total.clamp(min=COUNTS_FLOOR)


def deviation(values: Tensor, counts: Tensor) -> Tensor:
    """The standard deviation of all values, weighted by their counts: (N,) × 2 → (1,)."""
    return group_mean((values - group_mean(values, counts)).square(), counts).sqrt()


def group_advantage(
    rewards: Tensor, *, normalise: Normalise, counts: Tensor | None = None
) -> Tensor:
    """Eq. 4: (r_G − mean) / (std + 1e-6) over each query's systems: (B, L) → (B, L).

    `counts` (B, L): the weight of each, such as how often it was drawn. By default all are equal.

    A group of equal rewards gives 0. `batch` divides by the deviation of all centred rewards of the
    batch instead; `none` does not divide. With the group's own deviation, if every system is right,
    a difference of a few tokens counts as much as being right.
    """
    counts = torch.ones_like(rewards) if counts is None else counts
    centred = rewards - group_mean(rewards, counts)
    if normalise == "none":
        return centred
    variance = (
        group_mean(centred.square(), counts)
        if normalise == "group"
        else group_mean(centred.square().flatten(), counts.flatten())
    )
    return centred / (variance.sqrt() + STANDARD_DEVIATION_FLOOR)


def discounted_to_go(rewards: Tensor, present: Tensor, *, gamma: float) -> Tensor:
    """Σ_{T=t}^{|M|} γ^{T−t} r_T for every action t (Eq. 6, second term): (…, T) × 2 → (…, T)."""
    masked = rewards * present
    collected = torch.zeros_like(masked[..., 0])
    sums = []
    for reward in reversed(masked.unbind(dim=-1)):
        collected = reward + gamma * collected
        sums.append(collected)
    return torch.stack(sums[::-1], dim=-1) * present


def hierarchical_advantage(
    group: Tensor, action_rewards: Tensor, present: Tensor, *, gamma: float
) -> Tensor:
    """Eq. 6: Â_i(a_t) = A_G(i) + Σ_{T=t} γ^{T−t} r_{M_i}(a_T): (…), (…, T), (…, T) → (…, T)."""
    to_go = discounted_to_go(action_rewards, present, gamma=gamma)
    return (group.unsqueeze(-1) + to_go) * present


def shared_values(
    states: Tensor, returns: Tensor, prior: Tensor, counts: Tensor, *, prior_count: float
) -> Tensor:
    """The mean return of a query's other systems from the same state, for each of N actions: (N,) ×
    4 → (N,).

    `states` (int64): equal numbers are the same state. `returns`: the reward from there on.
    `counts`: how often each was drawn. `prior` counts as `prior_count` > 0 extra systems; it is the
    value if no other system reached the state. One own draw is left out, so the value does not
    depend on the action there, and an advantage relative to it stays unbiased.
    """
    own = counts.clamp(max=1)
    totals = torch.zeros(2, int(states.max()) + 1, dtype=returns.dtype)
    totals.index_add_(1, states, torch.stack([counts, counts * returns]))
    others = totals[:, states] - torch.stack([own, own * returns])
    values: Tensor = (others[1] + prior_count * prior) / (others[0] + prior_count)
    return values


def value_advantage(values: Tensor, rewards: Tensor, present: Tensor, *, trace: float) -> Tensor:
    """Generalised advantage estimation (arXiv 1506.02438) without discount: (…, T) × 3 → (…, T).

    `rewards` are the system's reward at its last action and 0 before. With
    δ_t = r_t + V(s_{t+1}) − V(s_t) the advantage is Σ_k trace^k δ_{t+k}: `trace` 1 is
    reward − V(s_t); 0 trusts the values alone.
    """
    following = torch.cat([values[..., 1:], torch.zeros_like(values[..., :1])], dim=-1)
    continues = torch.cat([present[..., 1:], torch.zeros_like(present[..., :1])], dim=-1)
    errors = rewards + following * continues - values
    return discounted_to_go(errors, present, gamma=trace)
