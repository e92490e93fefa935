"""What a checkpoint of trained language models holds: the weights or the adapter of each policy.

Its tensors are named POLICY:PARAMETER. Its `config` says which model they belong to, and what that
model was like, so that nothing is put onto another one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.checkpoints import CheckpointError, load, read_info, unusable
from workers.core.errors import MethodError
from workers.core.specs import Slug
from workers.core.weights.adapters import write_peft
from workers.core.weights.fingerprint import Fingerprint, require_base, require_same_base

if TYPE_CHECKING:
    from torch import Tensor


class Kept(BaseModel):
    """A checkpoint's `config`. `agents`: the policy of each agent, in order. `rank` 0: the tensors
    are all weights of the model, else those of an adapter. `base`: of the model it was trained on;
    None in checkpoints of before it was recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    environment: str
    model: str
    rank: int
    alpha: int
    agents: tuple[Slug, ...]
    base: Fingerprint | None = None

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


def trained_with(folder: Path) -> dict[str, Any]:
    """The settings of the training that made a checkpoint; empty if it does not say. Raises
    MethodError."""
    try:
        settings: dict[str, Any] = read_info(folder).recipe.get("training", {})
    except CheckpointError as error:
        raise unusable(error) from error
    return settings


def named(policies: dict[str, dict[str, Tensor]]) -> dict[str, Tensor]:
    return {
        f"{policy}:{name}": tensor
        for policy, tensors in policies.items()
        for name, tensor in tensors.items()
    }


def weights_for(folder: Path, policy: str, onto: Kept) -> dict[str, Tensor]:
    """What the policy of this name has learned; that of the only one if no other is there. Raises
    MethodError, also for weights of another model than the one they are to be put `onto`."""
    kept = kept_in(folder)
    compared = kept.base is not None and onto.base is not None
    if kept.rank != onto.rank or (kept.model != onto.model and not compared):
        raise MethodError(
            code="checkpoint_other_model",
            message=(
                f"The checkpoint {folder.name} belongs to the model “{kept.model}” with rank "
                f"{kept.rank}, not to “{onto.model}” with rank {onto.rank}."
            ),
            remedy="Choose that model and rank, or another checkpoint.",
        )
    if kept.base is not None and onto.base is not None:
        require_same_base(f"The checkpoint “{folder.name}”", onto.model, kept.base, onto.base)
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
    return _tensors(folder, own)


def tensors_in(folder: Path, policy: str) -> dict[str, Tensor]:
    """What the policy of this name has learned, to be put onto the model that the checkpoint names.
    Raises MethodError, also if that is another one by now."""
    kept = kept_in(folder)
    require_base(f"The checkpoint “{folder.name}”", kept.model, kept.base)
    return _tensors(folder, policy)


def _tensors(folder: Path, policy: str) -> dict[str, Tensor]:
    from workers.core.rl.moments import part  # torch, which runs and web processes don't load

    try:
        _, tensors = load(folder, method=read_info(folder).method)
    except CheckpointError as error:
        raise unusable(error) from error
    return part(tensors, f"{policy}:")


def write_models(folder: Path, target: Path) -> None:
    """Write what was learned for other programs: an adapter as a PEFT folder, all weights as a
    model's folder. Several have a folder each below `target`, with the policy's name. Raises
    MethodError if the model that the checkpoint names is here and another one by now, or, for all
    weights, if it is not here; and OSError."""
    kept = kept_in(folder)
    require_base(f"The checkpoint “{folder.name}”", kept.model, kept.base, fetches=False)
    for policy in kept.policies:
        place = target / policy if len(kept.policies) > 1 else target
        if kept.rank:
            learned = _tensors(folder, policy)
            write_peft(place, learned, base_model=kept.model, rank=kept.rank, alpha=kept.alpha)
        else:
            _write_model(folder, policy, kept, place)


def _write_model(folder: Path, policy: str, kept: Kept, target: Path) -> None:
    from workers.core.rollouts.policies import PolicySpec, load_policies

    spec = PolicySpec(kept.model, start=_tensors(folder, policy))
    from safetensors import SafetensorError

    (own,) = load_policies({policy: spec}, seed=0).values()
    try:
        own.model.save_pretrained(target)
    except SafetensorError as error:  # of the disk
        raise OSError(str(error)) from error
    own.tokenizer.save_pretrained(target)
