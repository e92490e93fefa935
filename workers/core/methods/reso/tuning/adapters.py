"""What a tuning has learned, as a checkpoint, and as the folder of an adapter that others read.

The checkpoint's tensors are those of a PEFT adapter under PEFT's own names; its `config` says which
model they belong to and how, so that one can be made of the other without the model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from workers.core.checkpoints import CheckpointError, load, require_shapes
from workers.core.methods.base import MethodError
from workers.core.methods.reso.config import METHOD_KEY
from workers.core.methods.reso.tuning.config import TuningConfig, TuningKind

if TYPE_CHECKING:
    from peft import PeftModel
    from torch import Tensor
    from transformers import PreTrainedModel

TASKS: dict[TuningKind, str] = {"planner": "CAUSAL_LM", "reward_model": "SEQ_CLS"}
"""PEFT's names; of SEQ_CLS the head is learned, too. A head that judges steps has linear layers of
its own, which are adapted like all others, as in ReSo's published code, and no name there."""


class AdapterConfig(BaseModel):
    """A checkpoint's `config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: TuningKind
    base_model: str
    rank: int
    alpha: int
    max_tokens: int

    @staticmethod
    def of(kind: TuningKind, config: TuningConfig) -> AdapterConfig:
        return AdapterConfig(
            kind=kind,
            base_model=config.model,
            rank=config.rank,
            alpha=config.alpha,
            max_tokens=config.max_tokens,
        )


def adapted(model: PreTrainedModel, config: AdapterConfig) -> PeftModel:
    """The model with an untrained adapter on all its linear layers, by the present random state."""
    from peft import LoraConfig, get_peft_model

    from workers.core.methods.reso.tuning.process_model import ProcessRewardModel

    steps = isinstance(model, ProcessRewardModel)
    lora = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type=None if steps else TASKS[config.kind],
    )
    return get_peft_model(model, lora)


def tensors_of(model: PeftModel) -> dict[str, Tensor]:
    """A copy of what is learned, on the CPU."""
    from peft import get_peft_model_state_dict

    return {
        name: tensor.detach().cpu().clone()
        for name, tensor in get_peft_model_state_dict(model, save_embedding_layers=False).items()
    }


def put_tensors(model: PeftModel, tensors: dict[str, Tensor], *, folder: Path) -> None:
    """Raises CheckpointError `wrong_shape` for those of another model or adapter."""
    from peft import set_peft_model_state_dict

    require_shapes(folder, found=tensors, wanted=tensors_of(model))
    set_peft_model_state_dict(model, tensors)


def load_adapter(folder: Path, kind: TuningKind) -> tuple[AdapterConfig, dict[str, Tensor]]:
    """Raises MethodError for what is no adapter of this kind."""
    try:
        info, tensors = load(folder, method=METHOD_KEY)
        config = AdapterConfig.model_validate(info.config)
    except CheckpointError as error:
        raise unusable(error) from error
    except ValidationError as error:
        raise _other(folder, kind) from error
    if config.kind != kind:
        raise _other(folder, kind)
    return config, tensors


def write_adapter(checkpoint: Path, target: Path) -> None:
    """Writes the checkpoint as an ordinary PEFT adapter, for servers such as vLLM to load beside
    the model that it was made for; a head that was learned, too, needs PEFT itself. Raises
    CheckpointError, and OSError where the disk refuses."""
    from safetensors.torch import save_file

    info, tensors = load(checkpoint, method=METHOD_KEY)
    config = AdapterConfig.model_validate(info.config)
    target.mkdir(parents=True, exist_ok=True)
    save_file(tensors, target / "adapter_model.safetensors", metadata={"format": "pt"})
    described = json.dumps(_described(config, tensors), indent=2)
    (target / "adapter_config.json").write_text(f"{described}\n")


def _described(config: AdapterConfig, tensors: dict[str, Tensor]) -> dict[str, Any]:
    modules = {_module(name.split(".lora_")[0]) for name in tensors if ".lora_" in name}
    heads = {name.rsplit(".", 2)[1] for name in tensors if ".lora_" not in name}
    steps = config.kind == "reward_model" and not heads
    return {
        "peft_type": "LORA",
        "task_type": None if steps else TASKS[config.kind],
        "base_model_name_or_path": config.base_model,
        "r": config.rank,
        "lora_alpha": config.alpha,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted(modules),
        "modules_to_save": sorted(heads) or None,
        "inference_mode": True,
    }


def _module(path: str) -> str:
    """Its name, with the one above it where it is a number."""
    *_, above, name = path.split(".")
    return f"{above}.{name}" if name.isdigit() else name


def unusable(error: CheckpointError) -> MethodError:
    return MethodError(
        code=f"checkpoint_{error.code}",
        message=error.message,
        remedy="Choose another checkpoint, or none.",
    )


def _other(folder: Path, kind: TuningKind) -> MethodError:
    told = {"planner": "planner", "reward_model": "reward model"}[kind]
    return MethodError(
        code="checkpoint_wrong_kind",
        message=f"The checkpoint {folder.name} holds no tuned {told}.",
        remedy=f"Choose one that a training of a {told} has made, or none.",
    )
