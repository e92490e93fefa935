"""The policies of a training: who plays whom, and with which weights each begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workers.core.errors import MethodError
from workers.core.methods.at_grpo.training.config import AtGrpoTrainingConfig
from workers.core.rollouts.base import PolicyEngine
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import Kept, weights_for
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.ranks.engine import RankedEngine
from workers.core.rollouts.vllm.engine import Servers, VllmEngine
from workers.core.training.context import TrainingContext
from workers.core.weights.fingerprint import fingerprint

if TYPE_CHECKING:
    from pathlib import Path

SHARED = "shared"
"""The policy that plays all agents."""
PUBLISHED = "published"
"""The adapters that vLLM servers have loaded, below the job's folder."""


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

    def spec(policy: str) -> PolicySpec:
        folder = _start(policy, config, context, kept)
        start = folder and weights_for(folder, policy, kept)
        return PolicySpec(
            kept.model,
            rank=kept.rank,
            alpha=kept.alpha,
            start=start or None,
            optimiser=config.optimiser,
        )

    if config.engine == "vllm" and not context.vllm_urls:
        raise MethodError(
            code="vllm_not_set_up",
            message="The training samples by vLLM, but no vLLM server is set up.",
            remedy="Choose the engine in_process, or let an operator set STUDIO_VLLM_URLS.",
        )
    specs = {policy: spec(policy) for policy in kept.policies}
    make: Callable[[], PolicyEngine] = partial(InProcessEngine, specs, seed=context.seed)
    if config.engine == "vllm":
        servers = Servers(context.vllm_urls, context.folder / PUBLISHED, context.folder.name)
        make = partial(VllmEngine, specs, seed=context.seed, servers=servers)
    return RankedEngine(make, ranks=context.ranks) if context.ranks > 1 else make()


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
