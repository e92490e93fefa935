"""Which node actions a state allows. A = K + 2: the roles in pool order, then DELETE, then EXIT."""

from __future__ import annotations

import torch
from torch import Tensor

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.state import ConstructionState

DELETE = "DELETE"
EXIT = "EXIT"


def allowed_actions(state: ConstructionState, *, role_count: int, config: MasHostConfig) -> Tensor:
    """(K + 2,) bool. At least one action is always allowed, and step `max_steps` is always EXIT.

    An empty graph cannot DELETE or EXIT. With `max_agents` present no role can be added. The last
    step can only EXIT; so that it finds a graph, the step before it cannot delete the only agent.
    """
    agents = len(state.agents)
    last_step = state.step >= config.max_steps
    one_before_last = state.step == config.max_steps - 1
    allowed = torch.empty(role_count + 2, dtype=torch.bool)
    allowed[:role_count] = agents < config.max_agents and not last_step
    allowed[role_count] = agents > (1 if one_before_last else 0) and not last_step
    allowed[role_count + 1] = agents > 0
    return allowed
