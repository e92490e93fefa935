"""Stores a learned LoRA adapter as a checkpoint, and as a folder that other programs read.

The checkpoint's tensors are those of a PEFT adapter under PEFT's names. Its `config` says to which
model they belong and how, so each form can be made from the other without the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.checkpoints import CheckpointError, load, require_shapes, unusable
from workers.core.errors import MethodError
from workers.core.specs import Slug
from workers.core.weights.fingerprint import Fingerprint, require_base

if TYPE_CHECKING:
    from peft import LoraConfig, PeftModel
    from torch import Tensor
    from transformers import PreTrainedModel


Task = Literal["CAUSAL_LM", "SEQ_CLS"]
"""PEFT's name of what an adapted model does."""


@dataclass(frozen=True, slots=True)
class AdapterKind:
    """The purpose of an adapter: `key` in checkpoints, `name` for people.

    `task` is PEFT's name. For SEQ_CLS the head is learned, too. A head that judges steps has its
    own linear layers, which are adapted like all others (as in ReSo's published code). PEFT has no
    name for it.
    """

    method: str
    key: str
    name: str
    task: Task


class AdapterConfig(BaseModel):
    """A checkpoint's `config`. `base`: of the base model; None in checkpoints of before it was
    recorded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Slug
    base_model: str
    rank: int
    alpha: int
    max_tokens: int
    base: Fingerprint | None = None


def adapted(model: PreTrainedModel, config: AdapterConfig, kind: AdapterKind) -> PeftModel:
    """The model with an untrained adapter on all its linear layers, from the current random
    state."""
    from peft import get_peft_model

    from workers.core.weights.process_model import ProcessRewardModel

    task = None if isinstance(model, ProcessRewardModel) else kind.task
    return get_peft_model(model, lora_config(config.rank, config.alpha, task))


def lora_config(rank: int, alpha: int, task: Task | None) -> LoraConfig:
    """On all linear layers. Nothing is dropped out, so what is trained is what is used."""
    from peft import LoraConfig

    return LoraConfig(
        r=rank, lora_alpha=alpha, lora_dropout=0.0, target_modules="all-linear", task_type=task
    )


def tensors_of(model: PeftModel) -> dict[str, Tensor]:
    """A copy of the learned tensors on the CPU."""
    from peft import get_peft_model_state_dict

    return {
        name: tensor.detach().cpu().clone()
        for name, tensor in get_peft_model_state_dict(model, save_embedding_layers=False).items()
    }


def put_tensors(model: PeftModel, tensors: dict[str, Tensor], *, folder: Path) -> None:
    """Raises CheckpointError `wrong_shape` for tensors of another model or adapter."""
    from peft import set_peft_model_state_dict

    require_shapes(folder, found=tensors, wanted=tensors_of(model))
    set_peft_model_state_dict(model, tensors)


def load_adapter(
    folder: Path, kind: AdapterKind, *, onto: str = ""
) -> tuple[AdapterConfig, dict[str, Tensor]]:
    """To be put `onto` the model of this name, or onto that of the checkpoint. Raises MethodError
    for anything but an adapter of this kind, and if the model is not the one it was trained on."""
    config, tensors = _read(folder, kind)
    require_base(f"The checkpoint “{folder.name}”", onto or config.base_model, config.base)
    return config, tensors


def _read(folder: Path, kind: AdapterKind) -> tuple[AdapterConfig, dict[str, Tensor]]:
    try:
        info, tensors = load(folder, method=kind.method)
        config = AdapterConfig.model_validate(info.config)
    except CheckpointError as error:
        raise unusable(error) from error
    except ValidationError as error:
        raise _other(folder, kind) from error
    if config.kind != kind.key:
        raise _other(folder, kind)
    return config, tensors


def write_adapter(checkpoint: Path, target: Path, kind: AdapterKind) -> None:
    """Write the checkpoint as an ordinary PEFT adapter, which servers such as vLLM load beside its
    model. A learned head needs PEFT itself. Raises MethodError for anything but an adapter of this
    kind, or if its model is here and another one by now; and OSError if the disk refuses."""
    config, tensors = _read(checkpoint, kind)
    require_base(
        f"The checkpoint “{checkpoint.name}”", config.base_model, config.base, fetches=False
    )
    write_peft(
        target,
        tensors,
        base_model=config.base_model,
        rank=config.rank,
        alpha=config.alpha,
        task=kind.task,
    )


def write_peft(
    target: Path,
    tensors: Mapping[str, Tensor],
    *,
    base_model: str,
    rank: int,
    alpha: int,
    task: Task = "CAUSAL_LM",
) -> None:
    """A PEFT adapter's folder. Raises OSError."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    modules = {_module(name.split(".lora_")[0]) for name in tensors if ".lora_" in name}
    heads = {name.rsplit(".", 2)[1] for name in tensors if ".lora_" not in name}
    steps = task == "SEQ_CLS" and not heads
    described = {
        "peft_type": "LORA",
        "task_type": None if steps else task,
        "base_model_name_or_path": base_model,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted(modules),
        "modules_to_save": sorted(heads) or None,
        "inference_mode": True,
    }
    target.mkdir(parents=True, exist_ok=True)
    try:
        save_file(dict(tensors), target / "adapter_model.safetensors", metadata={"format": "pt"})
    except SafetensorError as error:  # of the disk
        raise OSError(str(error)) from error
    (target / "adapter_config.json").write_text(f"{json.dumps(described, indent=2)}\n")


def _module(path: str) -> str:
    """A layer's name, with the one above it if it is a number."""
    *_, above, name = path.split(".")
    return f"{above}.{name}" if name.isdigit() else name


def _other(folder: Path, kind: AdapterKind) -> MethodError:
    return MethodError(
        code="checkpoint_wrong_kind",
        message=f"The checkpoint {folder.name} has no tuned {kind.name}.",
        remedy=f"Choose one from a training of a {kind.name}, or start without one.",
    )
