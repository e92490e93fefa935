"""Many steps of the decision process at once: draws actions, and computes log-probabilities again.

Training and runs share the distribution. `draw` samples from it; `likelihood` gives the joint
log-probability of what was drawn under newer weights, with gradients. The draws come from numbers
that the caller passes, so a construction goes the same way in any batch.

Legend: N steps, U distinct states in which they were taken, W agents (padded), K roles, A = K + 2
actions, E edges to decide when an agent is added: W, or with `feedback` 2 W, first the agents to
read, then those to send back to.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from workers.core.methods.mashost.config import Jpss
from workers.core.methods.mashost.construct import edge_probabilities, readable_edges
from workers.core.methods.mashost.policy import MasHostPolicy, PoolTensors
from workers.core.methods.mashost.prior import Features
from workers.core.methods.mashost.state import StateBatch
from workers.core.rl.categorical import (
    categorical_entropy,
    categorical_log_probability,
    greedy_action,
    masked_log_probabilities,
)
from workers.core.rl.edges import (
    bernoulli_entropy,
    bernoulli_log_probability,
    step_log_probability,
    threshold_edges,
)

TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Steps:
    """N steps: the states, the allowed actions, and the actions taken.

    Many were taken in the same state, so each state is encoded once and `where` points to it.
    `seen` is the prior's input there, kept by callers that ask more than once.
    """

    states: StateBatch  # U
    where: Tensor  # (N,) int64, rows of `states`
    allowed: Tensor  # (U, A) bool
    actions: Tensor  # (N,) int64
    chosen: Tensor  # (N, E) bool: the new agent reads it, or sends back to it
    seen: Features | None = None

    def __len__(self) -> int:
        return self.actions.shape[0]

    def take(self, rows: Tensor) -> Steps:
        """The steps at these rows, with the states that they need."""
        needed, where = torch.unique(self.where[rows], return_inverse=True)
        return Steps(
            states=self.states.take(needed),
            where=where,
            allowed=self.allowed[needed],
            actions=self.actions[rows],
            chosen=self.chosen[rows],
            seen=self.seen.take(needed) if self.seen else None,
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """What `draw` sampled. `edges` is each edge's probability, 0 where no agent is read."""

    log_probabilities: Tensor  # (N, A) double
    actions: Tensor  # (N,) int64
    edges: Tensor  # (N, E) double
    chosen: Tensor  # (N, E) bool
    log_probability: Tensor  # (N,) double, joint


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Log-probabilities of the steps under the given weights, with gradients."""

    log_probability: Tensor  # (N,) joint: node, and where an agent is added its edges
    node_entropy: Tensor  # (N,) nats
    edge_entropy: Tensor  # (N,) nats, 0 where no agent is added


@torch.no_grad()
def draw(
    policy: MasHostPolicy,
    pool: PoolTensors,
    states: StateBatch,
    allowed: Tensor,
    uniforms: Tensor,
    *,
    where: Tensor,
    jpss: Jpss,
    feedback: bool = False,
    powers: Tensor | None = None,
    greedy: bool = False,
    threshold: float | None = None,
) -> Drawn:
    """N actions, each in the state `where` (N,) of the U states, `allowed` (U, A).

    `uniforms` (N, 1 + E) in [0, 1): for the node, then for each edge. `powers` (N,) > 0: exponents
    of the actions' probabilities before one is drawn; the returned probabilities are the policy's.
    With `greedy` the most probable action is taken, and with a `threshold` the edges at or above
    it, without a draw.
    """
    encoded = policy.encode(states, pool)
    nodes = masked_log_probabilities(policy.node_logits(encoded, pool).double(), allowed)[where]
    drawn_with = nodes if powers is None else torch.log_softmax(nodes * powers.unsqueeze(1), dim=1)
    actions = greedy_action(nodes) if greedy else _invert(drawn_with.exp(), uniforms[:, 0])
    roles = actions.clamp(max=pool.size - 1)
    readable = readable_edges(states, feedback=feedback)[where]
    logits = policy.edge_logits(encoded, pool, roles, where, feedback=feedback)
    edges = _edges(nodes, roles, logits.double(), jpss)
    edges = edges.masked_fill(~readable, 0.0)
    adds = actions < pool.size
    kept = uniforms[:, 1:] < edges
    if threshold is not None:
        kept = threshold_edges(edges, threshold, readable)
    chosen = kept & adds.unsqueeze(-1)
    return Drawn(
        log_probabilities=nodes,
        actions=actions,
        edges=edges,
        chosen=chosen,
        log_probability=step_log_probability(
            categorical_log_probability(nodes, actions),
            bernoulli_log_probability(edges, chosen, readable),
            adds,
        ),
    )


def likelihood(
    policy: MasHostPolicy, pool: PoolTensors, steps: Steps, *, jpss: Jpss, feedback: bool = False
) -> Likelihood:
    """log π(a_t | s_t) of Eq. 7 with the entropies of both policies."""
    encoded = policy.encode(steps.states, pool, steps.seen)
    each = masked_log_probabilities(policy.node_logits(encoded, pool), steps.allowed)
    nodes = each.index_select(0, steps.where)
    adds = steps.actions < pool.size
    roles = steps.actions.clamp(max=pool.size - 1)
    readable = readable_edges(steps.states, feedback=feedback)[steps.where]
    logits = policy.edge_logits(encoded, pool, roles, steps.where, feedback=feedback)
    edges = _edges(nodes, roles, logits, jpss)
    return Likelihood(
        log_probability=step_log_probability(
            categorical_log_probability(nodes, steps.actions),
            bernoulli_log_probability(edges, steps.chosen, readable),
            adds,
        ),
        node_entropy=categorical_entropy(each).index_select(0, steps.where),
        edge_entropy=bernoulli_entropy(edges, readable) * adds,
    )


def _edges(nodes: Tensor, roles: Tensor, logits: Tensor, jpss: Jpss) -> Tensor:
    """Edge probabilities under one of the three readings of Eq. 3: (N, E)."""
    chosen = categorical_log_probability(nodes, roles).exp()
    # Where no role is allowed nothing is read; a quotient of zeros would still spoil the gradient.
    highest = nodes[:, :-2].amax(dim=1).exp().clamp(min=TINY)
    return edge_probabilities(chosen, highest, logits, jpss=jpss)


def _invert(probabilities: Tensor, uniforms: Tensor) -> Tensor:
    """The action whose part of the cumulative distribution contains a uniform number.

    Rounding may leave the sum a little below 1. Then the last action with a positive probability is
    taken.
    """
    cumulative = probabilities.cumsum(dim=-1)
    found = torch.searchsorted(cumulative, uniforms.unsqueeze(-1).contiguous(), right=True)
    last = probabilities.shape[-1] - 1 - probabilities.flip(-1).gt(0).int().argmax(dim=-1)
    return torch.minimum(found.squeeze(-1), last)
