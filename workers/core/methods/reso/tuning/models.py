"""Language models from a local folder or the hub: safetensors only, never with code of their own.

The folder of local models is `STUDIO_MODELS_DIR`, else `models` in the studio's data folder. torch
and transformers come with the first model.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workers.core.methods.base import MethodError
from workers.core.methods.reso.tuning.config import MODEL_NAME

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Head = Literal["language", "sequence", "token"]
"""What a model's last layer says: the next token, something of a whole text, or of each token."""
HEADS: dict[str, Head] = {
    "ForCausalLM": "language",
    "ForSequenceClassification": "sequence",
    "ForTokenClassification": "token",
}


def models_folder() -> Path:
    named = os.environ.get("STUDIO_MODELS_DIR")
    return Path(named) if named else Path(os.environ.get("STUDIO_DATA_DIR", ".studio")) / "models"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a model is read from: a folder that is there, or an id on the hub."""

    name: str
    place: str
    head: Head
    labels: int


def find_model(name: str) -> Source:
    """What the model's own description says of it; its weights are not read yet. Raises MethodError
    for one that is not there, or that could only be used by running code that comes with it."""
    if not name or not re.fullmatch(MODEL_NAME, name):
        raise MethodError(
            code="no_model",
            message=f"“{name[:100]}” names no model." if name else "No model is named.",
            remedy=f"Name a folder in {models_folder()}, or a model on the hub as owner/name.",
        )
    local = models_folder() / name
    if not local.is_dir() and "/" not in name:
        raise _missing(name, f"there is no folder {local}")
    place = str(local) if local.is_dir() else name
    config = _config(name, place)
    architecture = (config.architectures or [""])[0]
    head = next((HEADS[ending] for ending in HEADS if architecture.endswith(ending)), None)
    import transformers

    if head is None or not hasattr(transformers, architecture):
        raise _foreign(name, architecture or "no architecture")
    return Source(name, place, head, labels=int(config.num_labels))


def load_model(source: Source, head: Head, *, labels: int = 1) -> PreTrainedModel:
    """The weights, on the device, ready to infer with; a head of another kind than the model's own
    begins by chance. Raises MethodError, also where weights are missing that it says it has."""
    import torch
    import transformers

    kinds: dict[Head, Any] = {
        "language": transformers.AutoModelForCausalLM,
        "sequence": transformers.AutoModelForSequenceClassification,
        "token": transformers.AutoModelForTokenClassification,
    }
    transformers.utils.logging.disable_progress_bar()
    options: dict[str, Any] = {} if head == "language" else {"num_labels": labels}
    try:
        model, found = kinds[head].from_pretrained(
            source.place,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            dtype=torch.bfloat16 if torch.cuda.is_available() else torch.float32,
            **options,
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise _unreadable(source.name, error) from error
    if head == source.head and found["missing_keys"]:
        missing = ", ".join(sorted(found["missing_keys"])[:3])
        raise _unreadable(source.name, ValueError(f"it lacks weights of its own: {missing}"))
    ready: PreTrainedModel = model.to(device()).eval()
    return ready


def load_tokenizer(source: Source) -> PreTrainedTokenizerBase:
    """One that pads. Raises MethodError."""
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            source.place, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unreadable(source.name, error) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise _unreadable(source.name, ValueError("its tokenizer has neither padding nor an end"))
    return tokenizer


def device() -> torch.device:
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _config(name: str, place: str) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(place, trust_remote_code=False)
    except OSError as error:
        raise _missing(name, _first_line(error)) from error
    except (ValueError, KeyError) as error:
        if "trust_remote_code" in str(error) or "auto_map" in str(error):
            raise _foreign(name, "an architecture of its own") from error
        raise _unreadable(name, error) from error


def _missing(name: str, why: str) -> MethodError:
    return MethodError(
        code="model_missing",
        message=f"The model “{name}” cannot be had: {why}.",
        remedy=f"Put its folder into {models_folder()}, or name one that the hub gives to this "
        "machine.",
    )


def _foreign(name: str, architecture: str) -> MethodError:
    return MethodError(
        code="model_with_code",
        message=f"The model “{name}” ({architecture}) cannot be used without running code that "
        "comes with it, and none is run here.",
        remedy="Choose a model of an architecture that transformers has itself: one for causal "
        "language modelling, or one that classifies sequences or tokens.",
    )


def _unreadable(name: str, error: Exception) -> MethodError:
    return MethodError(
        code="model_unreadable",
        message=f"The model “{name}” cannot be read: {_first_line(error)}",
        remedy="Choose one with safetensors weights and a tokenizer of the usual form.",
    )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300].rstrip(".")
