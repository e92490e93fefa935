"""The policies of a training: who plays whom, and with which weights each begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workers.core.errors import MethodError
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import Kept, weights_for
from workers.core.rollouts.policies import PolicySpec
from workers.core.training.context import TrainingContext

if TYPE_CHECKING:
    from pathlib import Path

SHARED = "shared"
"""The policy that plays all agents."""


def kept_of(config: AtGrpoTrainingConfig, environment: str, names: Sequence[str]) -> Kept:
    """`names`: the agents', in order."""
    shared = config.level == "shared"
    return Kept(
        environment=environment,
        model=config.model,
        rank=0 if config.level == "models" else config.rank,
        alpha=config.lora_alpha,
        agents=tuple(SHARED if shared else name for name in names),
    )


def engine_of(
    config: AtGrpoTrainingConfig, context: TrainingContext, kept: Kept
) -> InProcessEngine:
    """Loads the models. Raises MethodError for what can't be used."""

    def spec(policy: str) -> PolicySpec:
        folder = _start(policy, config, context, kept)
        start = folder and weights_for(folder, policy, model=kept.model, rank=kept.rank)
        return PolicySpec(kept.model, rank=kept.rank, alpha=kept.alpha, start=start or None)

    return InProcessEngine({policy: spec(policy) for policy in kept.policies}, seed=context.seed)


def _start(
    policy: str, config: AtGrpoTrainingConfig, context: TrainingContext, kept: Kept
) -> Path | None:
    if not config.joined or policy != kept.agents[-1]:
        return context.start_from
    if context.start_from is None or context.checkpoints is None:
        raise MethodError(
            code="joined_without_start",
            message="The second agent's checkpoint is named, but not the first one's.",
            remedy="Let the training start from the first agent's checkpoint.",
        )
    return context.checkpoints / config.joined
