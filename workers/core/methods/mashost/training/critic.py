"""The value of a state: a baseline for training, learned beside the policy.

There are two numbers per state. V is the reward that the policy earns from there on (with
`centre_luck` relative to that of the query's first state, which is then worth 0). X is the reward
for stopping there. X does not depend on the policy. Its label is known for every state that a
system passed: the answer there, and its cost so far.

Legend: N states, D embedding, H hidden.
"""

import torch
from torch import Tensor, nn

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.encoder import StateEncoder, linear
from workers.core.methods.mashost.state import StateBatch


class Critic(nn.Module):
    """It has its own encoder, so its gradients do not change the policy."""

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
    """The same seed gives the same weights. Torch's own seed is not changed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Critic(config)
