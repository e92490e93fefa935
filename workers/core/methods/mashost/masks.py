"""Which node actions a state allows. A = K + 2: the roles in pool order, then DELETE, then EXIT."""

from collections.abc import Sequence

import torch
from torch import Tensor

from workers.core.methods.mashost.config import MasHostConfig
from workers.core.methods.mashost.state import ConstructionState

DELETE = "DELETE"
EXIT = "EXIT"


def allowed_actions(
    states: Sequence[ConstructionState], *, role_count: int, config: MasHostConfig
) -> Tensor:
    """(B, K + 2) bool. At least one action is always allowed, and step `max_steps` is always EXIT.

    An empty graph can't DELETE or EXIT. With `max_agents` present no role can be added. The last
    step can only EXIT. So that it finds a graph, the step before it can't delete the only agent.
    """
    allowed = torch.tensor([_allowed(state, config) for state in states])
    return torch.cat([allowed[:, :1].expand(-1, role_count), allowed[:, 1:]], dim=1)


def _allowed(state: ConstructionState, config: MasHostConfig) -> tuple[bool, bool, bool]:
    """Whether any role, DELETE and EXIT are allowed."""
    agents = len(state.agents)
    last_step = state.step >= config.max_steps
    needed = 1 if state.step == config.max_steps - 1 else 0
    return (
        agents < config.max_agents and not last_step,
        agents > needed and not last_step,
        agents > 0,
    )
