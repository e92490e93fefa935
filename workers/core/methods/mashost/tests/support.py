"""States, pools and policies for tests of the policy alone."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from workers.core.methods.mashost.config import PolicyConfig
from workers.core.methods.mashost.construct import Decision
from workers.core.methods.mashost.policy import (
    EmbeddedPool,
    MasHostPolicy,
    PoolTensors,
    initial_policy,
)
from workers.core.methods.mashost.state import AgentState, ConstructionState

SMALL = PolicyConfig(embedding_dimension=12, hidden=16, heads=2, layers=2)


def unit(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return functional.normalize(torch.randn(*shape, generator=generator), dim=-1)


def shaken_policy(config: PolicyConfig = SMALL, *, seed: int = 0) -> MasHostPolicy:
    """A policy whose learned terms are not zero, as after training, and no one role dominates."""
    policy = initial_policy(seed=seed, config=config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        policy.node_prior.fit.fill_(1.0)
        policy.node_prior.fit_later.fill_(0.5)
        for last in (policy.node_query, policy.delete_exit, policy.edge_score):
            last.weight.normal_(0.0, 0.3, generator=generator)
            last.bias.normal_(0.0, 0.3, generator=generator)
        policy.encoder.support.normal_(0.0, 0.3, generator=generator)
        policy.node_prior.exit_support.fill_(0.7)
    return policy


def pool_of(policy: MasHostPolicy, roles: Tensor) -> PoolTensors:
    anchors = unit(len(policy.config.anchors), policy.config.embedding_dimension, seed=99)
    with torch.inference_mode():
        return policy.pool_tensors(EmbeddedPool(roles, anchors))


def with_newest(state: ConstructionState, **changes: Any) -> ConstructionState:
    """The state with other values of its newest agent."""
    *others, newest = state.agents
    return replace(state, agents=(*others, replace(newest, **changes)))


def state_of(agents: int, *, roles: int, seed: int = 0, dimension: int = 12) -> ConstructionState:
    """A state with that many agents, each reading about half of those before it; the third says
    what the first says, and the fourth, too."""
    generator = torch.Generator().manual_seed(seed)
    state = ConstructionState(query=unit(dimension, seed=seed + 1))
    for index in range(agents):
        reads = torch.rand(index, generator=generator) < 0.5
        state = state.added(
            AgentState(
                agent_id=f"a{index + 1}",
                role_index=int(torch.randint(roles, (1,), generator=generator)),
                reads=tuple(reads.nonzero().flatten().tolist()),
                message=unit(dimension, seed=seed + 10 + index),
                silent=index == 1,
                agrees={2: (0,), 3: (0, 2)}.get(index, ()),
            )
        )
    return state


def uniforms_for(decision: Decision, *, width: int) -> Tensor:
    """Numbers that `draw` decides the same by: (width,), the node's first."""
    action, edges = decision.action, decision.edges
    numbers = torch.full((width,), 0.5, dtype=torch.float64)
    numbers[0] = sum(decision.probabilities[:action]) + decision.probabilities[action] / 2
    for place, chosen in enumerate(edges.chosen if edges else ()):
        numbers[1 + place] = 0.0 if chosen else 1 - 1e-9
    return numbers
