"""Which role learns in a step (MetaAgent-X, arXiv 2605.14212, §3.3)."""

from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.worlds import DESIGNER, EXECUTOR, ROLES, Role

BOTH = 2
"""The stage's number where both roles learn. Else it is the role's place in `ROLES`."""


def active(step: int, config: MetaAgentXTrainingConfig) -> tuple[Role, ...]:
    """`step`: of reinforcement learning, from 1."""
    if config.schedule == "joint":
        return ROLES
    if config.schedule != "stagewise":
        return (config.schedule,)
    other = DESIGNER if config.first == EXECUTOR else EXECUTOR
    is_first = (step - 1) // config.stage_steps % 2 == 0
    return (config.first if is_first else other,)


def shares(step: int, config: MetaAgentXTrainingConfig) -> dict[Role, float]:
    """Each role's share of the learning rate; a role that teaches nothing is not there."""
    learns = active(step, config)
    found: dict[Role, float] = dict.fromkeys(learns, 1.0)
    if config.schedule == "stagewise" and config.freeze == "rates" and config.inactive_rate:
        found |= {role: config.inactive_rate for role in ROLES if role not in learns}
    return found


def stage(step: int, config: MetaAgentXTrainingConfig) -> int:
    """0: the designer learns. 1: the executor does. 2: both do."""
    learns = active(step, config)
    return BOTH if len(learns) > 1 else ROLES.index(learns[0])
