"""The state encoder: attention over the query and the agents so far, with edges as attention bias.

There is one token for the query (with the step) and one per agent (role, message, position, voice,
and support: how many others gave the same answer). The relation of two tokens (same, query, reads,
is read by, unrelated) adds a learned bias per layer and head. So the graph enters the encoder. No
token attends to padding.

At B = 1 a step is mostly the overhead of small operations. So layers are called through
`functional`, and what all layers share is computed once.

Legend: B states, N agents, T = 1 + N tokens, D embedding, H hidden, A heads, L layers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from workers.core.methods.mashost.config import MAX_STEPS, PolicyConfig
from workers.core.methods.mashost.state import StateBatch

RELATIONS = 6
SAME, TO_QUERY, FROM_QUERY, READS, READ_BY, UNRELATED = range(RELATIONS)
BOTH = RELATIONS
"""Two agents that read each other: only with feedback edges, so in a separate table."""

REVISIONS = 3
"""Rows of the table by number of revisions of an agent's message. Higher numbers use the last
row."""

SUPPORTS = 4
"""Rows of the table by number of others with the same answer. Higher numbers use the last row."""

BUCKETS = 4
BUCKET_ROWS = 32
"""Larger batches are encoded in parts of similar size. One batch would be mostly padding."""


class StateEncoder(nn.Module):
    """s_t → a vector of the state and one per agent."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        width, dimension = config.hidden, config.embedding_dimension
        self.query = nn.Linear(dimension, width)
        self.role = nn.Linear(dimension, width)
        self.message = nn.Linear(dimension, width, bias=False)
        self.step = nn.Embedding(MAX_STEPS + 1, width)
        self.position = nn.Embedding(MAX_STEPS, width)
        self.voice = nn.Embedding(3, width)
        self.support = nn.Parameter(torch.zeros(SUPPORTS, width))
        self.layers = nn.ModuleList(_Layer(width, config.heads) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.both = self.revised = None
        if config.feedback:
            self.both = nn.Parameter(torch.zeros(config.layers, config.heads))
            self.revised = nn.Parameter(torch.zeros(REVISIONS, width))

    def forward(self, batch: StateBatch, roles: Tensor) -> tuple[Tensor, Tensor]:
        """Batch and the pool's projected roles (K, H) → state (B, H), agents (B, N, H)."""
        queries, messages = linear(self.query, batch.queries), linear(self.message, batch.texts)
        if len(batch) < BUCKETS * BUCKET_ROWS:
            tokens = self._tokens(batch, roles, queries, messages)
        else:
            parts = batch.present.sum(dim=1).argsort().chunk(BUCKETS)
            found = [self._padded(batch.take(rows), roles, queries, messages) for rows in parts]
            tokens = torch.cat(found)[torch.cat(parts).argsort()]
        return tokens[:, 0], tokens[:, 1:]

    def _padded(
        self, batch: StateBatch, roles: Tensor, queries: Tensor, messages: Tensor
    ) -> Tensor:
        """`_tokens` at the width of the batch's largest state, zeros beyond it."""
        width = batch.present.shape[1]
        needed = int(batch.present.sum(dim=1).max())
        tokens = self._tokens(batch.narrow(needed), roles, queries, messages)
        return functional.pad(tokens, (0, 0, 0, width - needed))

    def _tokens(
        self, batch: StateBatch, roles: Tensor, queries: Tensor, messages: Tensor
    ) -> Tensor:
        """(B, T, H)."""
        query = queries.index_select(0, batch.query) + self.step.weight[batch.step]  # (B, H)
        agents = (
            messages[batch.messages]
            + roles[batch.roles]
            + self.position.weight[: batch.roles.shape[1]]
            + self.voice.weight[voices(batch)]
            + self.support[batch.support.clamp(max=SUPPORTS - 1)]
        )  # (B, N, H)
        if self.revised is not None:
            agents = agents + self.revised[batch.revised.clamp(max=REVISIONS - 1)]
        tokens = torch.cat([query.unsqueeze(1), agents], dim=1)
        biases = self._biases(batch)
        for layer, bias in zip(self._blocks(), biases, strict=True):
            tokens = layer.forward(tokens, bias)
        return norm(self.norm, tokens)

    def _blocks(self) -> Iterable[_Layer]:
        return cast("Iterable[_Layer]", self.layers)

    def _biases(self, batch: StateBatch) -> tuple[Tensor, ...]:
        """The bias added to each layer's attention, −inf on padding: L × (B, A, T, T)."""
        tables = torch.stack([layer.relation_bias.weight for layer in self._blocks()], dim=1)
        if self.both is not None:
            tables = torch.cat([tables, self.both.unsqueeze(0)])
        # A product with the relations as one-hot vectors: the gradient of a lookup takes six times
        # as long.
        found = relations(batch.reads, feedback=self.both is not None)
        related = functional.one_hot(found, len(tables)).to(tables.dtype)
        biases = (related @ tables.flatten(1)).view(*related.shape[:3], *tables.shape[1:])
        visible = functional.pad(batch.present, (1, 0), value=True)[:, None, None, :]
        # (B, T, T, L, A) → (L, B, A, T, T)
        biases = biases.permute(3, 0, 4, 1, 2)
        return biases.masked_fill(~visible, float("-inf")).unbind(0)


def voices(batch: StateBatch) -> Tensor:
    """(B, N) int64: 0 silent, 1 spoke without an answer, 2 answered."""
    return (~batch.silent).long() + (batch.answered & ~batch.silent).long()


def linear(layer: nn.Linear, inputs: Tensor) -> Tensor:
    """`layer(inputs)` without the module's call, which takes as long as a small product."""
    return functional.linear(inputs, layer.weight, layer.bias)


def norm(layer: nn.LayerNorm, inputs: Tensor) -> Tensor:
    """`layer(inputs)` without the module's call."""
    return functional.layer_norm(
        inputs, layer.normalized_shape, layer.weight, layer.bias, layer.eps
    )


def relations(reads: Tensor, *, feedback: bool = False) -> Tensor:
    """(B, N, N) bool → (B, T, T) int64: the relation of token i to the token j it attends to. BOTH
    occurs only with `feedback`: without it no two agents read each other, but padding may contain
    anything."""
    agents = torch.full(reads.shape, UNRELATED, dtype=torch.int64)
    read_by = reads.transpose(1, 2)
    agents.masked_fill_(reads, READS).masked_fill_(read_by, READ_BY)
    if feedback:
        agents.masked_fill_(reads & read_by, BOTH)
    agents.diagonal(dim1=1, dim2=2).fill_(SAME)
    related = functional.pad(agents, (1, 0), value=TO_QUERY)
    related = functional.pad(related, (0, 0, 1, 0), value=FROM_QUERY)
    related[:, 0, 0] = SAME
    return related


class _Layer(nn.Module):
    """Pre-norm attention with relation bias, then a feed-forward block of twice the width."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(width)
        self.projections = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)
        self.relation_bias = nn.Embedding(RELATIONS, heads)
        self.norm_feed = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 2 * width)
        self.narrow = nn.Linear(2 * width, width)

    def forward(self, tokens: Tensor, bias: Tensor) -> Tensor:
        rows, length, _ = tokens.shape
        projected = linear(self.projections, norm(self.norm_attention, tokens))
        queries, keys, values = (
            projected.view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        )  # (B, A, T, H/A) each
        mixed = functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
        tokens = tokens + linear(self.output, mixed.transpose(1, 2).flatten(-2))
        widened = functional.gelu(linear(self.widen, norm(self.norm_feed, tokens)))
        return tokens + linear(self.narrow, widened)
