"""The workflow adapter: scores the agents of a pool for each layer (EvoMAS, §3.2 and D.1).

    E, X                            given, from the embedder (Eq. 21)
    c = mean of the agents chosen in earlier layers, 0 at first (Eq. 22)
    X̃ = [X; c] (Eq. 23)             Q = X̃ W_Q, K = E W_K, V = E W_V (Eq. 24)
    H = Attn(Q, K, V) (Eq. 25)      h = mean of H (Eq. 26)
    α_i = cos(h, e_i) (Eq. 10)      p = softmax(α / λ) (Eq. 11, 27)

Nothing depends on the number of agents: one adapter serves any pool. The rows of E are orthonormal
(`told_apart`), the attention begins nearly even, and W_V as the identity, shortened along
Early-exit. So an untrained adapter takes every agent about equally often, and Early-exit seldom.

With H heads each attends by its own W/H columns of Q and K, and gives its own D/H columns of H. One
head tells no more kinds of states apart than there are agents: what a token says reaches h through
N weights alone.

Legend: B states, M state tokens (padded), U different ones, N agents, L layers, D embedding,
W width, H heads.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from workers.core.methods.evomas.config import AdapterConfig
from workers.core.rl.subsets import (
    ALL,
    NOBODY,
    drawn_until_mass,
    likeliest_until_mass,
    members,
    order_log_probability,
    tempered_log_probabilities,
)

SPREAD = 0.1
"""Deviation of W_Q and W_K at first. Logits of the attention then have one of about its square.
Wider noise stays in what is learned: unlike subtasks that were never seen got unlike workflows."""
EXIT_CHANCE = 0.02
"""About the probability of Early-exit in a layer before any training."""


@dataclass(frozen=True, slots=True)
class States:
    """State tokens X. Many states share lines, so X is rows of a table: that of state b and token m
    is `rows[places[b, m]]`; −1 is padding."""

    rows: Tensor  # (U, D)
    places: Tensor  # (B, M) int64

    @classmethod
    def of(cls, tokens: Tensor) -> "States":
        """One state (M, D)."""
        return cls(tokens, torch.arange(len(tokens)).unsqueeze(0))

    @classmethod
    def joined(cls, states: "Sequence[States]") -> "States":
        """All of them in order. A table that several share stays one."""
        tables = {id(each.rows): each.rows for each in states}
        starts, start = {}, 0
        for key, rows in tables.items():
            starts[key] = start
            start += len(rows)
        longest = max(each.places.shape[1] for each in states)
        places = [_moved(each.places, starts[id(each.rows)], longest) for each in states]
        return cls(torch.cat(list(tables.values())), torch.cat(places))

    def __len__(self) -> int:
        return len(self.places)


def _moved(places: Tensor, start: int, width: int) -> Tensor:
    """Places in a table behind `start` rows, padded to `width`."""
    if start:
        places = torch.where(places < 0, places, places + start)
    short = width - places.shape[1]
    return functional.pad(places, (0, short), value=-1) if short else places


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


@dataclass(frozen=True, slots=True)
class Read:
    """What is the same in all layers of a workflow. The mean of Eq. 26 is taken of the attention's
    weights instead of H: both are linear, so h is the same, and no (B, M, D) is needed."""

    weights: Tensor  # (B, H, N), summed over the state tokens
    tokens: Tensor  # (B, 1, 1), how many there are
    agents: Tensor  # E (N, D)
    keys: Tensor  # K (N, H, W/H)
    values: Tensor  # V (N, H, D/H)


class Adapter(nn.Module):
    """Parameters W_Q, W_K (D, W) and W_V (D, D)."""

    def __init__(self, config: AdapterConfig) -> None:
        super().__init__()
        self.config = config
        dimension, width = config.dimension, config.width
        self.query = nn.Parameter(torch.empty(dimension, width))
        self.key = nn.Parameter(torch.empty(dimension, width))
        self.value = nn.Parameter(torch.empty(dimension, dimension))

    def read(self, states: States, agents: Tensor) -> Read:
        """`agents` E (N, D)."""
        keys = self._by_head(agents @ self.key)
        present = (states.places >= 0)[..., None, None]
        each = attention_weights(self._by_head(states.rows @ self.query), keys)  # (U, H, N)
        weights = each[states.places.clamp(min=0)] * present
        values = self._by_head(agents @ self.value)
        return Read(weights.sum(dim=1), present.sum(dim=1).to(keys), agents, keys, values)

    def scores(self, read: Read, chosen: Tensor) -> Tensor:
        """α (B, N). `chosen` (B, N) counts how often each agent was chosen in earlier layers."""
        context = self._by_head(layers_before(read.agents, chosen) @ self.query)  # (B, H, W/H)
        weights = read.weights + attention_weights(context, read.keys)
        mean = weights / (read.tokens + 1)
        query = torch.einsum("bhn,nhd->bhd", mean, read.values).flatten(start_dim=1)  # h (B, D)
        return cosines(query, read.agents)

    def _by_head(self, columns: Tensor) -> Tensor:
        """(…, C) → (…, H, C/H)."""
        heads: Tensor = columns.unflatten(-1, (self.config.heads, -1))
        return heads


def told_apart(embeddings: Tensor) -> Tensor:
    """E (N, D): the orthonormal rows nearest to the embeddings (polar decomposition). Embeddings of
    similar roles have cosines up to 0.8, so the scores of Eq. 10 could hardly tell them apart.

    With N > D the rows are only as orthogonal as they can be.
    """
    unit = functional.normalize(embeddings, dim=-1)
    left, _, right = torch.linalg.svd(unit, full_matrices=False)
    nearest: Tensor = left @ right
    return nearest


def initial_adapter(
    seed: int, config: AdapterConfig, agents: Tensor, choosing: "Choosing"
) -> Adapter:
    """The untrained adapter of a seed, for the pool `agents` E (N, D)."""
    generator = torch.Generator().manual_seed(seed)
    adapter = Adapter(config)
    with torch.no_grad():
        adapter.query.normal_(std=SPREAD, generator=generator)
        adapter.key.normal_(std=SPREAD, generator=generator)
        adapter.value.copy_(torch.eye(config.dimension))
        if choosing.exit is not None and len(agents) > 1:
            exits = agents[choosing.exit]
            short = 1 - exit_length(len(agents), choosing.temperature)
            adapter.value.sub_(short * torch.outer(exits, exits))
    return adapter


def exit_length(count: int, temperature: float) -> float:
    """How long Early-exit's value is among `count` orthonormal ones of length 1, so that an even
    attention gives it `EXIT_CHANCE`, or as near to that as `temperature` allows.

    With s its length, its score is less by (1 − s) / √(count − 1 + s²). This is solved for s ≥ 0.
    """
    others = count - 1
    less = temperature * max(0.0, math.log((1 - EXIT_CHANCE) / others / EXIT_CHANCE))
    if less * less * others >= 1:
        return 0.0
    square = 1 - less * less
    return (1 - math.sqrt(1 - square * (1 - less * less * others))) / square


def layers_before(agents: Tensor, chosen: Tensor) -> Tensor:
    """c of Eq. 22, which Eq. 23 appends to X as one more token: the mean of the embeddings chosen
    before. An agent of two layers counts twice. (N, D), (B, N) → (B, D)."""
    return chosen.to(agents.dtype) @ agents / chosen.sum(dim=1, keepdim=True).clamp(min=1)


def attention_weights(queries: Tensor, keys: Tensor) -> Tensor:
    """Of Eq. 25, scaled dot products of each head: (…, H, W/H), (N, H, W/H) → (…, H, N)."""
    products = torch.einsum("...hw,nhw->...hn", queries, keys)
    return torch.softmax(products / keys.shape[-1] ** 0.5, dim=-1)


def cosines(query: Tensor, agents: Tensor) -> Tensor:
    """Eq. 10: (B, D), (N, D) → (B, N)."""
    return functional.normalize(query, dim=-1) @ functional.normalize(agents, dim=-1).T


@dataclass(frozen=True, slots=True)
class Choosing:
    """How layers are chosen from scores: λ, ρ, L, the place of Early-exit in the pool (None: it has
    none), and the most agents of a layer."""

    temperature: float
    mass: float
    layers: int
    exit: int | None = None
    most: int = ALL


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
    read = adapter.read(states, agents)
    chosen = agents.new_zeros(count, size)
    present = torch.ones(count, dtype=torch.bool)
    logs, orders, there = [], [], []
    for layer in range(choosing.layers):
        scores = adapter.scores(read, chosen)
        log_p = tempered_log_probabilities(scores, temperature=choosing.temperature)
        if uniforms is None:
            order = likeliest_until_mass(log_p, mass=choosing.mass, most=choosing.most)
        else:
            order = drawn_until_mass(
                log_p, uniforms[:, layer], mass=choosing.mass, most=choosing.most
            )
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
    read = adapter.read(states, agents)
    chosen = agents.new_zeros(len(states), len(agents))
    layers, entropies = [], []
    for layer in range(sampled.orders.shape[1]):
        order = sampled.orders[:, layer]
        scores = adapter.scores(read, chosen)
        log_p = tempered_log_probabilities(scores, temperature=choosing.temperature)
        there = sampled.present[:, layer]
        layers.append(order_log_probability(log_p, order))
        entropies.append(-(log_p.exp() * log_p).sum(dim=-1) * there)
        chosen = chosen + members(order)
    each = torch.stack(layers, dim=1)
    return Likelihood(each.sum(dim=1), each, torch.stack(entropies, dim=1))
