"""Loads language models from a local folder or the hub: only safetensors, never their own code.

The first model loads torch and transformers.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workers.core.errors import MethodError
from workers.core.weights import nano
from workers.core.weights.files import (
    MODEL_NAME,
    ModelFiles,
    fetch,
    first_line,
    max_bytes,
    missing,
    model_files,
    models_folder,
    require_whole,
    too_large,
    unreadable,
)
from workers.core.weights.local import cpu_prefers_16_bits, described

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Head = Literal["language", "sequence", "token", "process"]
"""What a model's last layer judges: the next token, a whole text, each token, or each step of an
answer."""
HEADS: dict[str, Head] = {
    "ForCausalLM": "language",
    "ForSequenceClassification": "sequence",
    "ForTokenClassification": "token",
}
PROCESS = "Qwen2ForProcessRewardModel"
"""An architecture that transformers lacks. `process_model` reads it here, not the code that comes
with it."""
HEAD_NAMES = ("score.", "classifier.")
BYTES_EACH = 2
"""Bytes of a parameter, as most models are stored."""
MOST_LAYERS = 1_000


@dataclass(frozen=True, slots=True)
class Source:
    """`place`: the folder from which a model is read."""

    name: str
    place: str
    head: Head
    labels: int
    files: ModelFiles


def find_model(name: str) -> Source:
    """What the model's description says. Its weights are not read yet. Raises MethodError for a
    model that is missing or too large, or that needs its own code to run."""
    if not name or not re.fullmatch(MODEL_NAME, name):
        raise MethodError(
            code="no_model",
            message=f"“{name[:100]}” is not a model's name." if name else "No model is chosen.",
            remedy=f"Enter a folder in {models_folder()}, or a model on the hub as owner/name.",
        )
    if name == nano.NAME:
        try:
            nano.ensure_nano(models_folder())
        except OSError as error:
            raise missing(name, f"it can't be made: {error.strerror or error}") from error
    files = model_files(name)
    place = str(fetch(files, files.description()))
    config = load_config(name, place)
    architecture = (config.architectures or [""])[0]
    head = _head(architecture, config.model_type)
    if head is None:
        raise _not_used(name, architecture)
    return Source(name, place, head, labels=int(config.num_labels), files=files)


def _head(architecture: str, model_type: str) -> Head | None:
    """None if the studio has no use for it, or only the model's own code could read it."""
    import transformers

    if architecture == PROCESS and model_type == "qwen2":
        return "process"
    if not hasattr(transformers, architecture):
        return None
    if architecture in _language_models():  # also GPT2LMHeadModel
        return "language"
    return next((HEADS[ending] for ending in HEADS if architecture.endswith(ending)), None)


def _language_models() -> Collection[str]:
    from transformers.models.auto import modeling_auto

    found: Collection[str] = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()
    return found


def load_model(
    source: Source, head: Head, *, labels: int = 1, exact: bool = False
) -> PreTrainedModel:
    """The weights on the device, ready for inference; those of the hub are fetched first. On a GPU,
    and on a CPU that is faster so, they have 16 bits, unless `exact`: small updates of such weights
    would be rounded away. A head of another kind, or with other labels, than the model's own starts
    with random weights. Raises MethodError, also if weights are missing that the model should
    have."""
    require_whole(source.files, fetch(source.files, source.files.weights()))
    import torch
    import transformers

    config = load_config(source.name, source.place)
    _require_size_told(source, head, config)
    narrow = torch.cuda.is_available() or cpu_prefers_16_bits(described(config.to_dict()))
    transformers.utils.logging.disable_progress_bar()
    options: dict[str, Any] = {"num_labels": labels} if head in ("sequence", "token") else {}
    try:
        model, found = _class_of(head).from_pretrained(
            source.place,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            ignore_mismatched_sizes=True,  # told below, in words
            dtype=torch.bfloat16 if narrow and not exact else torch.float32,
            **options,
        )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise unreadable(source.name, error) from error
    others = sorted(name for name, *_ in found["mismatched_keys"])
    if labels != source.labels:  # its own head gives way to the one asked for
        others = [name for name in others if not name.startswith(HEAD_NAMES)]
    if others:
        told = ", ".join(others[:3])
        raise unreadable(
            source.name, ValueError(f"weights have other shapes than its description says: {told}")
        )
    if head == source.head and found["missing_keys"]:
        lacking = ", ".join(sorted(found["missing_keys"])[:3])
        raise unreadable(source.name, ValueError(f"some of its weights are missing: {lacking}"))
    ready: PreTrainedModel = model.to(device()).eval()
    return ready


def _class_of(head: Head) -> Any:
    import transformers

    from workers.core.weights.process_model import ProcessRewardModel

    kinds: dict[Head, Any] = {
        "language": transformers.AutoModelForCausalLM,
        "sequence": transformers.AutoModelForSequenceClassification,
        "token": transformers.AutoModelForTokenClassification,
        "process": ProcessRewardModel,
    }
    return kinds[head]


def _require_size_told(source: Source, head: Head, config: Any) -> None:
    """Refuse a large model that small files describe: missing weights would be made up in
    memory."""
    import torch

    kind = _class_of(head)
    _require_few_layers(source.name, getattr(config, "num_hidden_layers", 0))
    try:
        with torch.device("meta"):
            described = (
                kind(config)
                if head == "process"
                else kind.from_config(config, trust_remote_code=False)
            )
    except (ValueError, RuntimeError, KeyError, TypeError) as error:
        raise unreadable(source.name, error) from error
    parameters, most = described.num_parameters(), max_bytes() // BYTES_EACH
    if parameters > most:
        raise too_large(source.name, f"{parameters:,} parameters", f"{most:,}")


def _require_few_layers(name: str, layers: object) -> None:
    if isinstance(layers, int) and layers > MOST_LAYERS:
        raise too_large(name, f"{layers:,} layers", f"{MOST_LAYERS:,}")


def load_tokenizer(source: Source) -> PreTrainedTokenizerBase:
    """A tokenizer that can pad. Raises MethodError."""
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            source.place, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise unreadable(source.name, error) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise unreadable(
            source.name, ValueError("its tokenizer has neither a padding nor an end token")
        )
    return tokenizer


def device() -> torch.device:
    import torch

    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_config(name: str, place: str) -> Any:
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoConfig, PretrainedConfig

    try:
        told, _ = PretrainedConfig.get_config_dict(place, local_files_only=True)
        # Before a list of all of them is made.
        _require_few_layers(name, told.get("num_hidden_layers"))
        return AutoConfig.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    except OSError as error:
        raise missing(name, first_line(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError, StrictDataclassError) as error:
        if "trust_remote_code" in str(error) or "auto_map" in str(error):
            raise _foreign(name, "its own architecture") from error
        raise unreadable(name, error) from error


def _not_used(name: str, architecture: str) -> MethodError:
    import transformers

    if not architecture or not hasattr(transformers, architecture):
        return _foreign(name, architecture or "no architecture")
    return MethodError(
        code="model_of_other_kind",
        message=(
            f"The model “{name}” ({architecture}) neither writes text token by token nor "
            "classifies sequences or tokens."
        ),
        remedy="Choose a model for causal language modelling, or one that classifies.",
    )


def _foreign(name: str, architecture: str) -> MethodError:
    return MethodError(
        code="model_with_code",
        message=(
            f"The model “{name}” ({architecture}) works only with the code that comes with it, "
            "and the studio does not run such code."
        ),
        remedy=(
            "Choose a model whose architecture is part of transformers: for causal language "
            "modelling, or for classifying sequences or tokens. Process reward models like "
            "Qwen2.5-Math-PRM also work."
        ),
    )
