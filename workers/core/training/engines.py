"""The engine of a training that changes language models. Importing it loads torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from workers.core.errors import MethodError
from workers.core.rollouts.base import OptimiserName, PolicyEngine
from workers.core.rollouts.in_process import InProcessEngine
from workers.core.rollouts.kept import Kept, weights_for
from workers.core.rollouts.policies import PolicySpec
from workers.core.rollouts.ranks.engine import RankedEngine
from workers.core.rollouts.vllm.engine import Servers, VllmEngine
from workers.core.training.context import TrainingContext
from workers.core.training.levels import Engine

if TYPE_CHECKING:
    from pathlib import Path

PUBLISHED = "published"
"""The adapters that vLLM servers have loaded, below the job's folder."""


def engine_of(
    kept: Kept,
    context: TrainingContext,
    *,
    starts: Mapping[str, Path | None],
    optimiser: OptimiserName,
    exact: bool,
    engine: Engine,
) -> PolicyEngine:
    """Loads the models. `starts`: the checkpoint that each policy begins with. Raises MethodError
    for what can't be used."""

    def spec(policy: str) -> PolicySpec:
        folder = starts[policy]
        start = folder and weights_for(folder, policy, kept)
        return PolicySpec(
            kept.model,
            rank=kept.rank,
            alpha=kept.alpha,
            start=start or None,
            optimiser=optimiser,
            exact=exact,
        )

    if engine == "vllm" and not context.vllm_urls:
        raise MethodError(
            code="vllm_not_set_up",
            message="The training samples by vLLM, but no vLLM server is set up.",
            remedy="Choose the engine in_process, or let an operator set STUDIO_VLLM_URLS.",
        )
    specs = {policy: spec(policy) for policy in kept.policies}
    make: Callable[..., PolicyEngine] = partial(InProcessEngine, specs, seed=context.seed)
    if engine == "vllm":
        servers = Servers(context.vllm_urls, context.folder / PUBLISHED, context.folder.name)
        make = partial(VllmEngine, specs, seed=context.seed, servers=servers)
    broken_off = context.stop.broken_off
    if context.ranks == 1:
        return make(broken_off=broken_off)
    own = context.folder / PUBLISHED
    return RankedEngine(make, ranks=context.ranks, own=own, broken_off=broken_off)
