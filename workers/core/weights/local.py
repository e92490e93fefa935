"""The language models in the folder of local models, as far as their files tell without loading
them."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from workers.core.errors import MethodError
from workers.core.weights import nano
from workers.core.weights.files import model_files, models_folder

LANGUAGE = "ForCausalLM"
MOST_HEADER = 100_000_000
"""Bytes; the limit of safetensors itself."""
FROZEN_BYTES = 4
"""Of a parameter that is only read: 32 bits."""
TRAINED_BYTES = 5 * 4
"""Of a parameter that is trained: itself, its gradient, the two moments of AdamW, and its value at
the start, for the KL divergence."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    name: str
    parameters: int

    @property
    def frozen_bytes(self) -> int:
        return self.parameters * FROZEN_BYTES

    @property
    def trained_bytes(self) -> int:
        return self.parameters * TRAINED_BYTES


def local_models() -> list[LocalModel]:
    """By name, nano first. A folder that has no readable language model is left out."""
    names = {path.parent.name for path in models_folder().glob("[!.]*/config.json")}
    found = [_read(name) for name in sorted(names - {nano.NAME})]
    small = _read(nano.NAME) or LocalModel(nano.NAME, nano.parameters())  # made when first needed
    return [small, *(model for model in found if model is not None)]


def _read(name: str) -> LocalModel | None:
    try:
        files = model_files(name)
        if files.folder is None:
            return None
        config = json.loads((files.folder / "config.json").read_bytes())
        architectures = config.get("architectures") or [""]
        if not str(architectures[0]).endswith(LANGUAGE):
            return None
        parameters = sum(_parameters(files.folder / weights) for weights in files.weights())
    except (MethodError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return LocalModel(name, parameters) if parameters else None


def _parameters(weights: Path) -> int:
    """As the file's header says: its length in 8 bytes, then JSON with the shape of each tensor
    (the format of safetensors). Raises OSError and ValueError."""
    with weights.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > MOST_HEADER:
            raise ValueError("no header of safetensors")
        header = json.loads(file.read(length))
    return sum(
        math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__"
    )
