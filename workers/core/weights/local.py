"""The language models in the folder of local models, as far as their files tell without loading
them."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from workers.core.errors import MethodError
from workers.core.weights import nano
from workers.core.weights.files import model_files, models_folder

LANGUAGE = ("ForCausalLM", "LMHeadModel")
"""What architectures of language models end with. The second is GPT-2's."""
MOST_HEADER = 100_000_000
"""Bytes; the limit of safetensors itself."""
WIDE = 768
"""Width of hidden states from which 16 bits are worth it on a CPU with AMX. One core, answers of
adapters, tokens a second and seconds of an update with 32 and with 16 bits, and how much sampler
and trainer then differ by a token: SmolLM2-135M (576) 114 → 159, 10.3 → 7.7 and 0.04;
Qwen2.5-Coder-0.5B (896) 56 → 97, 36 → 15 and 0.016."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a language model. `adapted`: numbers of an adapter of rank 1 on all linear layers. `keys`:
    width of the keys of all heads, `inner` of a layer's perceptron, `length` the most tokens of a
    text. 0: the files do not say."""

    parameters: int
    adapted: int
    layers: int
    hidden: int
    inner: int
    keys: int
    words: int
    length: int = 0


@dataclass(frozen=True, slots=True)
class LocalModel:
    name: str
    parameters: int


def local_models() -> list[LocalModel]:
    """By name, nano first. A folder that has no readable language model is left out."""
    names = {path.parent.name for path in models_folder().glob("[!.]*/config.json")}
    found = [_read(name) for name in sorted(names - {nano.NAME})]
    small = _read(nano.NAME) or LocalModel(nano.NAME, nano.parameters())  # made when first needed
    return [small, *(model for model in found if model is not None)]


def known_shape(name: str) -> Shape | None:
    """None for a model of the hub, whose files may not be here, and for one that can't be read."""
    if name == nano.NAME and not (models_folder() / name).is_dir():  # made when first needed
        return nano_shape()
    if not name or not (models_folder() / name).is_dir():
        return None
    try:
        files = model_files(name)
        return None if files.folder is None else shape_of(files.folder, files.weights())
    except (MethodError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def nano_shape() -> Shape:
    """That of the model which is made where there is none."""
    config = nano.NanoConfig()
    layer = 4 * 2 * config.width + 3 * 5 * config.width
    return Shape(
        parameters=nano.parameters(config),
        adapted=config.layers * layer,
        layers=config.layers,
        hidden=config.width,
        inner=4 * config.width,
        keys=config.width,
        words=len(nano.vocabulary_of(config.rows)),
        length=config.length,
    )


def _read(name: str) -> LocalModel | None:
    try:
        files = model_files(name)
        if files.folder is None:
            return None
        config = json.loads((files.folder / "config.json").read_bytes())
        architectures = config.get("architectures") or [""]
        if not str(architectures[0]).endswith(LANGUAGE):
            return None
        parameters = shape_of(files.folder, files.weights()).parameters
    except (MethodError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None
    return LocalModel(name, parameters) if parameters else None


def shape_of(folder: Path, weights: Iterable[str]) -> Shape:
    """As the files in its folder say. Raises OSError and ValueError."""
    shapes = {name: shape for file in weights for name, shape in _shapes(folder / file).items()}
    return replace(
        described(json.loads((folder / "config.json").read_bytes())),
        parameters=sum(map(math.prod, shapes.values())),
        adapted=sum(
            sum(shape)
            for name, shape in shapes.items()
            if len(shape) == 2 and not re.search(r"embed|lm_head|wte|wpe", name)
        ),
    )


def described(config: Mapping[str, Any]) -> Shape:
    """As its configuration says, which does not count the parameters."""

    def told(*names: str) -> int:
        return next((found for name in names if (found := config.get(name))), 0)

    hidden, heads = told("hidden_size", "n_embd"), told("num_attention_heads", "n_head")
    width = told("head_dim") or (hidden // heads if heads else 0)
    return Shape(
        parameters=0,
        adapted=0,
        layers=told("num_hidden_layers", "n_layer"),
        hidden=hidden,
        inner=told("intermediate_size", "n_inner") or 4 * hidden,
        keys=(told("num_key_value_heads") or heads) * width,
        words=told("vocab_size"),
        length=told("max_position_embeddings", "n_positions"),
    )


def _shapes(weights: Path) -> dict[str, list[int]]:
    """As the file's header says: its length in 8 bytes, then JSON with the shape of each tensor
    (the format of safetensors). Raises OSError and ValueError."""
    with weights.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > MOST_HEADER:
            raise ValueError("no header of safetensors")
        header = json.loads(file.read(length))
    return {name: tensor["shape"] for name, tensor in header.items() if name != "__metadata__"}


def cpu_prefers_16_bits(shape: Shape) -> bool:
    """Whether a model whose weights are not trained should have numbers of 16 bits on this CPU."""
    return shape.hidden >= WIDE and _has_amx()


@cache
def _has_amx() -> bool:
    try:
        return " amx_bf16 " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
