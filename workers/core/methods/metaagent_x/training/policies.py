"""The policies of a training: who designs, who plays, and with which weights each begins."""

from workers.core.methods.metaagent_x.training.config import MetaAgentXTrainingConfig
from workers.core.methods.metaagent_x.training.worlds import ROLES, Role
from workers.core.rollouts.base import PolicyEngine
from workers.core.rollouts.kept import Kept
from workers.core.training import engines
from workers.core.training.context import TrainingContext
from workers.core.weights.fingerprint import fingerprint

SHARED = "shared"
"""The policy that has both roles."""


def policies_of(config: MetaAgentXTrainingConfig) -> dict[Role, str]:
    return {role: SHARED if config.level == "shared" else role for role in ROLES}


def kept_of(config: MetaAgentXTrainingConfig, world: str) -> Kept:
    """Raises MethodError for a model that can't be used."""
    rank = config.adapter_rank()
    return Kept(
        environment=world,
        model=config.model,
        rank=rank,
        alpha=config.lora_alpha,
        agents=tuple(policies_of(config).values()),
        base=fingerprint(config.model, weights=rank > 0),
    )


def engine_of(
    config: MetaAgentXTrainingConfig, context: TrainingContext, kept: Kept
) -> PolicyEngine:
    """Loads the models. Raises MethodError for what can't be used."""
    return engines.engine_of(
        kept,
        context,
        starts=dict.fromkeys(kept.policies, context.start_from),
        optimiser=config.optimiser,
        exact=config.exact,
        engine=config.engine,
    )
