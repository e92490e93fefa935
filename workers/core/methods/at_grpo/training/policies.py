"""The policies of a training: who plays whom, and with which weights each begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.core.errors import MethodError
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.rollouts.base import PolicyEngine
from workers.core.rollouts.kept import Kept
from workers.core.training import engines
from workers.core.training.context import TrainingContext
from workers.core.weights.fingerprint import fingerprint

if TYPE_CHECKING:
    from pathlib import Path

SHARED = "shared"
"""The policy that plays all agents."""


def kept_of(config: AtGrpoTrainingConfig, environment: str, names: Sequence[str]) -> Kept:
    """`names`: the agents', in order. Raises MethodError for a model that can't be used."""
    shared = config.level == "shared"
    rank = config.adapter_rank()
    return Kept(
        environment=environment,
        model=config.model,
        rank=rank,
        alpha=config.lora_alpha,
        agents=tuple(SHARED if shared else name for name in names),
        base=fingerprint(config.model, weights=rank > 0),
    )


def engine_of(config: AtGrpoTrainingConfig, context: TrainingContext, kept: Kept) -> PolicyEngine:
    """Loads the models. Raises MethodError for what can't be used."""
    return engines.engine_of(
        kept,
        context,
        starts={policy: _start(policy, config, context, kept) for policy in kept.policies},
        optimiser=config.optimiser,
        exact=config.exact,
        engine=config.engine,
    )


def starts_of(config: AtGrpoTrainingConfig, context: TrainingContext) -> tuple[Path | None, ...]:
    """The checkpoints that its policies begin with: the first agent's, and that of the agent that
    joins it. Raises MethodError."""
    if not config.joined:
        return (context.start_from,)
    return context.start_from, _joined(config, context)


def _start(
    policy: str, config: AtGrpoTrainingConfig, context: TrainingContext, kept: Kept
) -> Path | None:
    if not config.joined or policy != kept.agents[-1]:
        return context.start_from
    return _joined(config, context)


def _joined(config: AtGrpoTrainingConfig, context: TrainingContext) -> Path:
    if context.start_from is None or context.checkpoints is None:
        raise MethodError(
            code="joined_without_start",
            message="The second agent's checkpoint is named, but not the first one's.",
            remedy="Let the training start from the first agent's checkpoint.",
        )
    return context.checkpoints / config.joined
