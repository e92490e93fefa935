"""Decides which queries a trained policy is for: a line between its own and others, by embedding.

A policy that saw only two kinds of questions chooses the same first role for every question. So a
checkpoint may have the scope of its training: a logistic regression on the query's embedding. For
queries outside, the untrained policy decides (`prepared.prepare`), and the trace says so. None of
this is in the paper.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from workers.core.methods.mashost.policy import MasHostPolicy

L2 = 1e-4
"""With it, at least 99.5% of rows of GSM8K train and MBPP that it was not fitted to are inside."""
_ITERATIONS = 300


@dataclass(frozen=True, slots=True)
class Scope:
    """A query q is inside if weight · q + bias > 0."""

    weight: Tensor  # (D,)
    bias: Tensor  # ()

    def covers(self, queries: Tensor) -> Tensor:
        """(Q, D) → (Q,) bool."""
        return queries @ self.weight + self.bias > 0


def fit_scope(inside: Tensor, outside: Tensor) -> Scope:
    """The line between two sets of embeddings, (N, D) and (M, D). Each set counts half.

    Raises ValueError if one is empty.
    """
    if not len(inside) or not len(outside):
        raise ValueError("a scope needs queries inside and texts outside of it")
    points = torch.cat([inside, outside]).double()
    labels = torch.cat([torch.ones(len(inside)), torch.zeros(len(outside))]).double()
    shares = torch.where(labels > 0, 0.5 / len(inside), 0.5 / len(outside))
    weight = torch.zeros(points.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weight, bias], max_iter=_ITERATIONS, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimiser.zero_grad()
        logits = points @ weight + bias
        wrong = functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        total = (shares * wrong).sum() + L2 * weight.square().sum()
        total.backward()
        return total

    optimiser.step(loss)
    return Scope(weight.detach().float(), bias.detach().float())


def scoped(policy: MasHostPolicy, scope: Scope) -> MasHostPolicy:
    fresh = MasHostPolicy(policy.config.model_copy(update={"scope": True}))
    kept = dict(policy.state_dict())
    kept |= {"scope.weight": scope.weight.unsqueeze(0), "scope.bias": scope.bias.reshape(1)}
    fresh.load_state_dict(kept)
    return fresh.eval()
