"""One step of the decision process: state → action with its probabilities. Calls no LLM.

Runs and training rollouts share `Constructor.decide`: the probabilities are the same, whether the
arg-max or a draw is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from workers.core.methods.mashost.config import Jpss, MasHostConfig
from workers.core.methods.mashost.masks import allowed_actions
from workers.core.methods.mashost.policy import Encoded, MasHostPolicy, PoolTensors
from workers.core.methods.mashost.state import ConstructionState, StateBatch, collate
from workers.core.rl.categorical import greedy_action, masked_log_probabilities, sample_action
from workers.core.rl.edges import (
    bernoulli_log_probability,
    joint_edge_probability,
    relative_edge_probability,
    sample_edges,
    threshold_edges,
)


@dataclass(frozen=True, slots=True)
class EdgeDecision:
    """One entry per existing agent, in order: whether the new agent reads it and, with feedback
    edges, whether it sends its message back to it. `log_probability` covers all of them."""

    probabilities: tuple[float, ...]
    chosen: tuple[bool, ...]
    log_probability: float
    back_probabilities: tuple[float, ...] = ()
    sent_back: tuple[bool, ...] = ()

    @property
    def reads(self) -> tuple[int, ...]:
        return tuple(position for position, kept in enumerate(self.chosen) if kept)

    @property
    def sends(self) -> tuple[int, ...]:
        return tuple(position for position, kept in enumerate(self.sent_back) if kept)

    @staticmethod
    def of(
        probabilities: Sequence[float], chosen: Sequence[bool], agents: int, log_probability: float
    ) -> EdgeDecision:
        """From the decisions about reading the agents, followed by those about edges back, if
        any."""
        return EdgeDecision(
            probabilities=tuple(probabilities[:agents]),
            chosen=tuple(chosen[:agents]),
            log_probability=log_probability,
            back_probabilities=tuple(probabilities[agents:]),
            sent_back=tuple(chosen[agents:]),
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """a_t. `action` indexes the K roles, then DELETE, then EXIT; `edges` only for ADD."""

    kind: Literal["add", "delete", "exit"]
    action: int
    probabilities: tuple[float, ...]
    allowed: tuple[bool, ...]
    log_probability: float
    edges: EdgeDecision | None = None


@dataclass(frozen=True, slots=True)
class Constructor:
    """The policy over one pool under one run's options."""

    policy: MasHostPolicy
    pool: PoolTensors
    config: MasHostConfig

    @torch.inference_mode()
    def decide(self, state: ConstructionState, generator: torch.Generator) -> Decision:
        """The next action. Draws come only from `generator`, so a seed decides a construction."""
        roles = self.pool.size
        encoded = self.policy.encode(collate([state], role_count=roles), self.pool)
        allowed = allowed_actions([state], role_count=roles, config=self.config)[0]
        # Doubles: the probabilities of a thousand roles still sum to 1 within 1e-6.
        logits = self.policy.node_logits(encoded, self.pool)[0].double()
        log_probabilities = masked_log_probabilities(logits, allowed)
        action = self._action(log_probabilities, generator)
        kind = kind_of(action, roles)
        return Decision(
            kind=kind,
            action=action,
            probabilities=tuple(log_probabilities.exp().tolist()),
            allowed=tuple(allowed.tolist()),
            log_probability=float(log_probabilities[action]),
            edges=self._edges(encoded, log_probabilities, action, generator)
            if kind == "add"
            else None,
        )

    def _action(self, log_probabilities: Tensor, generator: torch.Generator) -> int:
        if self.config.greedy:
            return int(greedy_action(log_probabilities))
        return int(sample_action(log_probabilities, generator))

    def _edges(
        self, encoded: Encoded, log_probabilities: Tensor, action: int, generator: torch.Generator
    ) -> EdgeDecision:
        logits = self.policy.edge_logits(
            encoded, self.pool, torch.tensor([action]), feedback=self.config.feedback_edges
        )[0].double()
        readable = readable_edges(encoded.batch, feedback=self.config.feedback_edges)[0]
        probabilities = edge_probabilities(
            log_probabilities[action].exp(),
            log_probabilities[: self.pool.size].max().exp(),
            logits,
            jpss=self.config.jpss,
        ).masked_fill(~readable, 0.0)
        if self.config.edge_mode == "threshold":
            chosen = threshold_edges(probabilities, self.config.edge_threshold, readable)
        else:
            chosen = sample_edges(probabilities, readable, generator)
        return EdgeDecision.of(
            probabilities.tolist(),
            chosen.tolist(),
            encoded.batch.present.shape[1],
            float(bernoulli_log_probability(probabilities, chosen, readable)),
        )


def kind_of(action: int, role_count: int) -> Literal["add", "delete", "exit"]:
    if action < role_count:
        return "add"
    return "delete" if action == role_count else "exit"


def readable_edges(states: StateBatch, *, feedback: bool) -> Tensor:
    """Which agents have a message to read or, with `feedback`, to revise: (B, N), or (B, 2 N)."""
    readable = states.present & ~states.silent
    return torch.cat([readable, readable], dim=1) if feedback else readable


def edge_probabilities(
    node_probability: Tensor,
    highest_role_probability: Tensor,
    edge_logits: Tensor,
    *,
    jpss: Jpss,
) -> Tensor:
    """The probability of each edge under one of the three readings of Eq. 3: (…, N)."""
    if jpss == "joint":
        return joint_edge_probability(node_probability, edge_logits)
    if jpss == "relative":
        return relative_edge_probability(node_probability, highest_role_probability, edge_logits)
    return torch.sigmoid(edge_logits)
