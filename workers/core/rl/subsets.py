"""Draws a set of items one after the other, without replacement, until the drawn ones hold enough
probability mass (EvoMAS, arXiv 2605.08769, Eq. 11, 12 and 27 to 29).

Legend: B rows, N items. An order is (B, N) int64: the drawn items in the order in which they were
drawn, then −1.
"""

import sys

import torch
from torch import Tensor

NOBODY = -1
ALL = sys.maxsize
"""No limit of the items that are drawn."""
ROUNDING = 1e-6
"""A mass this little below the threshold has reached it: the sum of all may miss 1."""


def tempered_log_probabilities(scores: Tensor, *, temperature: float) -> Tensor:
    """log softmax(α / λ) of Eq. 11: (…, N) → (…, N)."""
    return torch.log_softmax(scores / temperature, dim=-1)


@torch.no_grad()
def drawn_until_mass(
    log_probabilities: Tensor, uniforms: Tensor, *, mass: float, most: int = ALL
) -> Tensor:
    """An order drawn as in Eq. 28 and cut as in Eq. 29: (B, N) × 2 → (B, N).

    `uniforms` are in [0, 1). Sorting log p plus Gumbel noise draws without replacement, each item
    in proportion to its probability among those left.
    """
    tiny = torch.finfo(log_probabilities.dtype).tiny
    waits = (-torch.log(uniforms.clamp(min=tiny))).clamp(min=tiny)  # exponential
    order = (log_probabilities - waits.log()).argsort(dim=-1, descending=True)
    return cut_at_mass(order, log_probabilities.exp(), mass=mass, most=most)


@torch.no_grad()
def likeliest_until_mass(log_probabilities: Tensor, *, mass: float, most: int = ALL) -> Tensor:
    """The same without a draw: the likeliest first, ties to the lower index. (B, N) → (B, N)."""
    order = log_probabilities.argsort(dim=-1, descending=True, stable=True)
    return cut_at_mass(order, log_probabilities.exp(), mass=mass, most=most)


def cut_at_mass(order: Tensor, probabilities: Tensor, *, mass: float, most: int = ALL) -> Tensor:
    """Eq. 29: the shortest beginning of each order whose probabilities sum to `mass` in (0, 1], but
    no longer than `most` ≥ 1.

    Where the probabilities are no numbers, nothing could be chosen. Then it is the item with the
    highest probability alone, as in D.1: (B, N) × 2 → (B, N).
    """
    before = probabilities.gather(-1, order).cumsum(dim=-1).roll(1, dims=-1)
    before[..., 0] = 0.0
    kept = before < mass - ROUNDING
    kept[..., 0] = True
    kept[..., most:] = False
    found = torch.where(kept, order, NOBODY)
    broken = ~probabilities.isfinite().all(dim=-1, keepdim=True)
    highest = probabilities.nan_to_num(nan=-1.0).argmax(dim=-1, keepdim=True)
    alone = torch.full_like(order, NOBODY)
    alone[..., :1] = highest
    return torch.where(broken, alone, found)


def order_log_probability(log_probabilities: Tensor, order: Tensor) -> Tensor:
    """log of Eq. 28: Σ_r log( p_{i_r} / (1 − Σ_{q<r} p_{i_q}) ), (B, N) × 2 → (B,).

    The remainder is summed over the items left, which stays exact where it is small.
    """
    left = torch.ones_like(log_probabilities, dtype=torch.bool)
    total = log_probabilities.new_zeros(log_probabilities.shape[:-1])
    for drawn in order.unbind(dim=-1):
        there = drawn >= 0
        item = drawn.clamp(min=0).unsqueeze(-1)
        # Where all are taken nothing more is drawn; −∞ there would spoil the gradient.
        open_ = left | ~there.unsqueeze(-1)
        remainder = torch.logsumexp(log_probabilities.masked_fill(~open_, float("-inf")), dim=-1)
        own = log_probabilities.gather(-1, item).squeeze(-1)
        total = total + torch.where(there, own - remainder, 0.0)
        left = left.scatter(-1, item, left.gather(-1, item) & ~there.unsqueeze(-1))
    return total


def members(order: Tensor) -> Tensor:
    """Eq. 12: which items were drawn, (B, N) int64 → (B, N) bool."""
    items = torch.arange(order.shape[-1], device=order.device)
    return (order.unsqueeze(-1) == items).any(dim=-2)
