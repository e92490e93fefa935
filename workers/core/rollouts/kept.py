"""What a checkpoint of trained language models holds: the weights or the adapter of each policy.

Its tensors are named POLICY:PARAMETER. Its `config` says which model they belong to, so that
nothing is put onto another one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.checkpoints import CheckpointError, load, read_info, unusable
from workers.core.errors import MethodError
from workers.core.specs import Slug
from workers.core.weights.adapters import write_peft

if TYPE_CHECKING:
    from torch import Tensor


class Kept(BaseModel):
    """A checkpoint's `config`. `agents`: the policy of each agent, in order. `rank` 0: the tensors
    are all weights of the model, else those of an adapter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: str
    model: str
    rank: int
    alpha: int
    agents: tuple[Slug, ...]

    @property
    def policies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.agents))


def kept_in(folder: Path) -> Kept:
    """Raises MethodError for anything but a checkpoint of language models."""
    try:
        return Kept.model_validate(read_info(folder).config)
    except CheckpointError as error:
        raise unusable(error) from error
    except ValidationError as error:
        raise MethodError(
            code="checkpoint_without_models",
            message=f"The checkpoint {folder.name} has no trained language models.",
            remedy="Choose another checkpoint, or train this one again.",
        ) from error


def named(policies: dict[str, dict[str, Tensor]]) -> dict[str, Tensor]:
    return {
        f"{policy}:{name}": tensor
        for policy, tensors in policies.items()
        for name, tensor in tensors.items()
    }


def weights_for(folder: Path, policy: str, *, model: str, rank: int) -> dict[str, Tensor]:
    """What the policy of this name has learned; that of the only one if no other is there. Raises
    MethodError, also for weights of another model."""
    kept = kept_in(folder)
    if (kept.model, kept.rank) != (model, rank):
        raise MethodError(
            code="checkpoint_other_model",
            message=(
                f"The checkpoint {folder.name} belongs to the model “{kept.model}” with rank "
                f"{kept.rank}, not to “{model}” with rank {rank}."
            ),
            remedy="Choose that model and rank, or another checkpoint.",
        )
    if policy not in kept.policies and len(kept.policies) > 1:
        raise MethodError(
            code="checkpoint_other_agents",
            message=(
                f"The checkpoint {folder.name} has weights for {', '.join(kept.policies)}, and "
                f"none for {policy}."
            ),
            remedy="Choose a checkpoint of the same agents, or of one model for all.",
        )
    own = policy if policy in kept.policies else kept.policies[0]
    return tensors_in(folder, own)


def tensors_in(folder: Path, policy: str) -> dict[str, Tensor]:
    """What the policy of this name has learned. Raises MethodError."""
    from workers.core.rl.moments import part  # torch, which runs and web processes don't load

    try:
        _, tensors = load(folder, method=read_info(folder).method)
    except CheckpointError as error:
        raise unusable(error) from error
    return part(tensors, f"{policy}:")


def write_adapters(folder: Path, target: Path) -> None:
    """Write the checkpoint's adapter as a PEFT folder. Several have a folder each below `target`,
    with the policy's name. Raises MethodError for a checkpoint without adapters, and OSError."""
    kept = kept_in(folder)
    if not kept.rank:
        raise MethodError(
            code="no_adapter",
            message=f"The checkpoint “{folder.name}” has all weights of its models, no adapter.",
            remedy=(
                "Runs use it at the endpoint “Models of this studio”. For a server's adapters, "
                "train with a rank of at least 1."
            ),
        )
    for policy in kept.policies:
        write_peft(
            target / policy if len(kept.policies) > 1 else target,
            tensors_in(folder, policy),
            base_model=kept.model,
            rank=kept.rank,
            alpha=kept.alpha,
        )
