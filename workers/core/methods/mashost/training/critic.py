"""What a state is worth: a baseline for training, learned beside the policy.

Two numbers per state: V, the reward that the policy goes on to earn from it (with `centre_luck`
relative to that of the query's first state, which is then worth 0), and X, the reward of stopping
there. X does not depend on the policy, and its label is known for every state that any
system passed through: the answer it had there, and what it had cost.

Legend: N states, D embedding, H hidden.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.encoder import StateEncoder, linear
from workers.core.methods.mashost.state import StateBatch


class Critic(nn.Module):
    """An encoder of its own, so that its gradients do not pull at the policy."""

    def __init__(self, config: PolicyConfig) -> None:
        super().__init__()
        self.encoder = StateEncoder(config)
        self.hidden = nn.Linear(config.hidden, config.hidden)
        self.values = nn.Linear(config.hidden, 2)

    def forward(self, states: StateBatch, roles: Tensor) -> tuple[Tensor, Tensor]:
        """States and the pool's embeddings (K, D) → V (N,) and X (N,)."""
        tokens = linear(self.encoder.role, roles)
        state, _ = self.encoder.forward(states, tokens)
        values = linear(self.values, nn.functional.gelu(linear(self.hidden, state)))
        return values[:, 0], values[:, 1]


def initial_critic(*, seed: int, config: PolicyConfig) -> Critic:
    """The same seed, the same weights. Torch's own seed is left alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Critic(config)
