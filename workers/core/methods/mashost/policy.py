"""The two policies of MasHost: π_θ over node actions and π_φ over edges (arXiv 2506.08507, §4.1).

Logits of roles come from the roles' embeddings, so a pool may change in order, size and content
without changing the network. Every head is the prior (`prior.py`) plus a learned term whose last
layer starts at zero.

Legend: B states, N agents, K roles, D embedding, H hidden.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.encoder import StateEncoder, linear
from workers.core.methods.mashost.prior import (
    EdgePrior,
    Features,
    FeedbackPrior,
    NodePrior,
    features,
    stage_scores,
)
from workers.core.methods.mashost.state import StateBatch


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of all roles' descriptions, embedded, and the position of each one's role."""

    vectors: Tensor  # (P, D)
    roles: Tensor  # (P,) int64


@dataclass(frozen=True, slots=True)
class EmbeddedPool:
    """The roles that systems are built from: profiles (K, D), the config's anchors in order
    (anchors, D), and the roles' phrases if the policy reads them."""

    roles: Tensor  # (K, D)
    anchors: Tensor
    phrases: Phrases | None = None

    @property
    def size(self) -> int:
        return self.roles.shape[0]


@dataclass(frozen=True, slots=True)
class PoolTensors:
    """A pool as the policy sees it. It depends on the weights: recompute it after a training step.

    The projections do not depend on the state, so a step takes rows of them.
    """

    roles: Tensor  # (K, D) embeddings of the profiles, L2-normalised
    likeness: Tensor  # (K, K) their cosines with each other
    stages: Tensor  # (K, S)
    tokens: Tensor  # (K, H) what a role adds to its agent's token
    keys: Tensor  # (K, H) what the state is compared with
    edge_keys: Tensor  # (K, H) what a new agent's role adds to its edges
    phrases: Phrases | None = None

    @property
    def size(self) -> int:
        return self.roles.shape[0]

    def fit(self, queries: Tensor) -> Tensor:
        """How near each role is to each query: (Q, D) → (Q, K).

        With phrases: half the similarity of the whole profile, half that of the nearest phrase (or
        profile).
        """
        whole = queries @ self.roles.T
        if self.phrases is None:
            return whole
        near = queries @ self.phrases.vectors.T  # (Q, P)
        whose = self.phrases.roles.expand(len(near), -1)
        return (whole + whole.scatter_reduce(1, whose, near, "amax")) / 2


@dataclass(frozen=True, slots=True)
class Encoded:
    """A batch after the encoder, which both policies read."""

    batch: StateBatch
    seen: Features
    state: Tensor  # (B, H)
    agents: Tensor  # (B, N, H)


class MasHostPolicy(nn.Module):
    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.config = config
        width = config.hidden
        self.encoder = StateEncoder(config)
        self.role_key = nn.Linear(config.embedding_dimension, width)
        self.node_prior = NodePrior()
        self.node_query = nn.Linear(width, width)
        self.delete_exit = nn.Linear(width, 2)
        self.edge_prior = EdgePrior()
        self.edge_agent = nn.Linear(width, width)
        self.edge_role = nn.Linear(width, width, bias=False)
        self.edge_state = nn.Linear(width, width, bias=False)
        self.edge_score = nn.Linear(width, 1)
        if config.scope:
            self.scope = nn.Linear(config.embedding_dimension, 1)
        # Made last, so that a seed gives all other weights alike with and without them.
        self.feedback_prior = FeedbackPrior() if config.feedback else None
        self.feedback_score = nn.Linear(width, 1) if config.feedback else None
        for last in (self.node_query, self.delete_exit, self.edge_score, self.feedback_score):
            if last is not None:
                nn.init.zeros_(last.weight)
                nn.init.zeros_(last.bias)

    def covers(self, query: Tensor) -> bool:
        """Whether the query (D,) is like those of the training; True without a scope."""
        return not self.config.scope or bool(self.scope(query) > 0)

    def pool_tensors(self, pool: EmbeddedPool) -> PoolTensors:
        sizes = [len(group) for group in self.config.anchor_groups]
        roles, stages = pool.roles, stage_scores(pool.roles, pool.anchors, sizes)
        keys = linear(self.role_key, roles)
        return PoolTensors(
            roles=roles,
            likeness=roles @ roles.T,
            stages=stages,
            tokens=linear(self.encoder.role, roles),
            keys=keys,
            edge_keys=linear(self.edge_role, keys),
            phrases=pool.phrases if self.config.phrases else None,
        )

    def encode(self, batch: StateBatch, pool: PoolTensors, seen: Features | None = None) -> Encoded:
        """Pass `seen` if it is already known."""
        state, agents = self.encoder.forward(batch, pool.tokens)
        return Encoded(batch=batch, seen=seen or seen_by(batch, pool), state=state, agents=agents)

    def node_logits(self, encoded: Encoded, pool: PoolTensors) -> Tensor:
        """π_θ before masks: (B, K + 2), roles in pool order, then DELETE, then EXIT."""
        query = linear(self.node_query, encoded.state) / math.sqrt(self.config.hidden)
        learned = torch.cat([query @ pool.keys.T, linear(self.delete_exit, encoded.state)], dim=-1)
        return learned + self.node_prior.forward(encoded.seen, pool.stages)

    def edge_logits(
        self,
        encoded: Encoded,
        pool: PoolTensors,
        chosen: Tensor,
        where: Tensor | None = None,
        *,
        feedback: bool = False,
    ) -> Tensor:
        """π_φ given the chosen roles (C,): (C, N), meaningless where padded. With `feedback` (C, 2
        N): first the agents to read, then those to send back to.

        `where` (C,) is the state in which each role was chosen. Without it they are in order.
        """
        state = linear(self.edge_state, encoded.state)
        if where is None:
            batch = encoded.batch
            context = pool.edge_keys[chosen] + state
            mixed = functional.gelu(linear(self.edge_agent, encoded.agents) + context.unsqueeze(1))
        else:  # only for present agents: most of a large batch is padding
            batch, present = encoded.batch.take(where), encoded.batch.present
            agents = linear(self.edge_agent, encoded.agents[present])  # (P, H)
            numbers = torch.zeros_like(present, dtype=torch.int64)
            numbers[present] = torch.arange(len(agents))
            context = pool.edge_keys.index_select(0, chosen) + state.index_select(0, where)
            readers, read = batch.present.nonzero()[:, 0], numbers[where][batch.present]
            mixed = functional.gelu(agents.index_select(0, read) + context.index_select(0, readers))

        def logits(prior: Tensor, score: nn.Linear) -> Tensor:
            learned = linear(score, mixed).squeeze(-1)
            if where is None:
                return prior + learned
            spread = torch.zeros_like(prior)
            spread[batch.present] = learned
            return prior + spread

        prior = self.edge_prior.forward(batch, pool.likeness, pool.stages, chosen)
        reads = logits(prior, self.edge_score)
        if not feedback:
            return reads
        if self.feedback_prior is None or self.feedback_score is None:
            raise ValueError("this policy decides no feedback edges; see `with_feedback`")
        prior = self.feedback_prior.forward(batch, pool.stages, chosen)
        return torch.cat([reads, logits(prior, self.feedback_score)], dim=-1)


def seen_by(batch: StateBatch, pool: PoolTensors) -> Features:
    """The prior's input; no weight changes it."""
    return features(batch, pool.roles, pool.likeness, pool.stages, pool.fit(batch.queries))


def with_feedback(policy: MasHostPolicy) -> MasHostPolicy:
    """The policy itself if it decides feedback edges. Otherwise one with the same weights that
    decides them by the untrained prior, for checkpoints from trainings without them."""
    if policy.config.feedback:
        return policy
    config = policy.config.model_copy(update={"feedback": True})
    with torch.random.fork_rng(devices=[]):
        extended = MasHostPolicy(config).train(policy.training)
    extended.load_state_dict(policy.state_dict(), strict=False)
    return extended


def initial_policy(
    *,
    seed: int,
    config: PolicyConfig | None = None,
    prior_weight: float = 1.0,
    edge_prior_weight: float = 1.0,
) -> MasHostPolicy:
    """An untrained policy. The same seed gives the same weights. Torch's own seed is not changed.

    `prior_weight` scales the prior for roles, DELETE and EXIT. With less weight it draws more
    varied teams, which is better for training. `edge_prior_weight` scales the prior for edges.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy = MasHostPolicy(config or PolicyConfig()).eval()
    with torch.no_grad():
        for parameter in policy.node_prior.parameters():
            parameter.mul_(prior_weight)
        for parameter in policy.edge_prior.parameters():
            parameter.mul_(edge_prior_weight)
    return policy
