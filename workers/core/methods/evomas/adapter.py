"""The workflow adapter: scores the agents of a pool for each layer (EvoMAS, §3.2 and D.1).

    E, X                            given, from the embedder (Eq. 21)
    c = mean of the agents chosen in earlier layers, 0 at first (Eq. 22)
    X̃ = [X; c] (Eq. 23)             Q = X̃ W_Q, K = E W_K, V = E W_V (Eq. 24)
    H = Attn(Q, K, V) (Eq. 25)      h = mean of H (Eq. 26)
    α_i = cos(h, e_i) (Eq. 10)      p = softmax(α / λ) (Eq. 11, 27)

Nothing depends on the number of agents: one adapter serves any pool. W_V begins as the identity, so
an untrained adapter prefers no direction. W_Q and W_K begin so that the logits of the attention
have a deviation of about 1: with less, it would read no state for long.

Legend: B states, M state tokens (padded), N agents, L layers, D embedding, W width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from workers.core.methods.evomas.config import AdapterConfig
from workers.core.rl.subsets import (
    NOBODY,
    drawn_until_mass,
    likeliest_until_mass,
    members,
    order_log_probability,
    tempered_log_probabilities,
)


@dataclass(frozen=True, slots=True)
class States:
    """State tokens X, padded, and which of them are there."""

    tokens: Tensor  # (B, M, D)
    present: Tensor  # (B, M) bool

    @classmethod
    def of(cls, rows: Sequence[Tensor]) -> "States":
        """From B tensors (M_b, D)."""
        tokens = nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
        lengths = torch.tensor([len(row) for row in rows])
        return cls(tokens, torch.arange(tokens.shape[1]) < lengths.unsqueeze(1))

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class Sampled:
    """Workflows: of each layer the log-probabilities of all agents and the order of the chosen.
    `present`: the layers up to the one with Early-exit."""

    log_probabilities: Tensor  # (B, L, N)
    orders: Tensor  # (B, L, N) int64
    present: Tensor  # (B, L) bool


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Under the given weights, with gradients: of each workflow and each of its layers."""

    log_probability: Tensor  # (B,), Eq. 14
    layers: Tensor  # (B, L), 0 where not present
    entropy: Tensor  # (B, L), nats, 0 where not present


class Adapter(nn.Module):
    """Parameters W_Q, W_K (D, W) and W_V (D, D)."""

    def __init__(self, config: AdapterConfig) -> None:
        super().__init__()
        self.config = config
        dimension, width = config.dimension, config.width
        self.query = nn.Parameter(torch.empty(dimension, width))
        self.key = nn.Parameter(torch.empty(dimension, width))
        self.value = nn.Parameter(torch.empty(dimension, dimension))

    def scores(self, states: States, agents: Tensor, chosen: Tensor) -> Tensor:
        """α (B, N). `agents` E (N, D); `chosen` (B, N) counts how often each was chosen in earlier
        layers."""
        with_context = with_layers_before(states, agents, chosen)
        queries = with_context.tokens @ self.query  # (B, M + 1, W)
        attended = attention(queries, agents @ self.key, agents @ self.value)  # (B, M + 1, D)
        return cosines(pooled(attended, with_context.present), agents)


def initial_adapter(seed: int, config: AdapterConfig) -> Adapter:
    """The untrained adapter of a seed."""
    generator = torch.Generator().manual_seed(seed)
    adapter = Adapter(config)
    with torch.no_grad():
        adapter.query.normal_(generator=generator)
        adapter.key.normal_(generator=generator)
        adapter.value.copy_(torch.eye(config.dimension))
    return adapter


def with_layers_before(states: States, agents: Tensor, chosen: Tensor) -> States:
    """Eq. 22 and 23: c, the mean of the embeddings chosen before, as one more token. An agent of
    two layers counts twice."""
    total = chosen.sum(dim=1, keepdim=True).clamp(min=1)
    context = (chosen.to(agents.dtype) @ agents / total).unsqueeze(1)  # (B, 1, D)
    there = states.present.new_ones(len(states), 1)
    return States(
        torch.cat([states.tokens, context], dim=1), torch.cat([states.present, there], dim=1)
    )


def attention(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Eq. 25, scaled dot products of one head: (B, M, W), (N, W), (N, D) → (B, M, D)."""
    return torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1) @ values


def pooled(rows: Tensor, present: Tensor) -> Tensor:
    """Eq. 26, the mean of the rows that are there: (B, M, D), (B, M) → (B, D)."""
    weights = present.to(rows.dtype).unsqueeze(-1)
    return (rows * weights).sum(dim=1) / weights.sum(dim=1)


def cosines(query: Tensor, agents: Tensor) -> Tensor:
    """Eq. 10: (B, D), (N, D) → (B, N)."""
    return functional.normalize(query, dim=-1) @ functional.normalize(agents, dim=-1).T


@dataclass(frozen=True, slots=True)
class Choosing:
    """How layers are chosen from scores: λ, ρ, L, and the place of Early-exit in the pool; None: it
    has none."""

    temperature: float
    mass: float
    layers: int
    exit: int | None = None


@torch.no_grad()
def sample(
    adapter: Adapter,
    agents: Tensor,
    states: States,
    choosing: Choosing,
    uniforms: Tensor | None = None,
) -> Sampled:
    """Eq. 13: a workflow for each state. `uniforms` (B, L, N) in [0, 1); None: the likeliest agents
    are taken, without a draw."""
    count, size = len(states), len(agents)
    chosen = agents.new_zeros(count, size)
    present = torch.ones(count, dtype=torch.bool)
    logs, orders, there = [], [], []
    for layer in range(choosing.layers):
        scores = adapter.scores(states, agents, chosen)
        log_p = tempered_log_probabilities(scores, temperature=choosing.temperature)
        if uniforms is None:
            order = likeliest_until_mass(log_p, mass=choosing.mass)
        else:
            order = drawn_until_mass(log_p, uniforms[:, layer], mass=choosing.mass)
        order = order.masked_fill(~present.unsqueeze(1), NOBODY)
        logs.append(log_p)
        orders.append(order)
        there.append(present)
        picked = members(order)
        chosen = chosen + picked
        if choosing.exit is not None:
            present = present & ~picked[:, choosing.exit]
    return Sampled(torch.stack(logs, 1), torch.stack(orders, 1), torch.stack(there, 1))


def likelihood(
    adapter: Adapter, agents: Tensor, states: States, sampled: Sampled, choosing: Choosing
) -> Likelihood:
    """Eq. 14: log P(G | s̃) of workflows that were sampled, under these weights."""
    chosen = agents.new_zeros(len(states), len(agents))
    layers, entropies = [], []
    for layer in range(sampled.orders.shape[1]):
        order = sampled.orders[:, layer]
        scores = adapter.scores(states, agents, chosen)
        log_p = tempered_log_probabilities(scores, temperature=choosing.temperature)
        there = sampled.present[:, layer]
        layers.append(order_log_probability(log_p, order))
        entropies.append(-(log_p.exp() * log_p).sum(dim=-1) * there)
        chosen = chosen + members(order)
    each = torch.stack(layers, dim=1)
    return Likelihood(each.sum(dim=1), each, torch.stack(entropies, dim=1))
