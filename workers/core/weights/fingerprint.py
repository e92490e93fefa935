"""Recognises the model that a checkpoint was trained on, whatever its folder is called.

What is compared says how the trained tensors are read: the settings of the model, what its
tokenizer does, and, under an adapter, the weights. A model that was only saved again, by another
version of transformers or in other files, stays the same one.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from workers.core.errors import MethodError
from workers.core.weights.files import fetch, models_folder, unreadable
from workers.core.weights.models import Source, find_model, load_config, load_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

WITHOUT_MEANING = frozenset(
    {
        *("transformers_version", "dtype", "torch_dtype", "use_cache", "id2label", "label2id"),
        *("output_hidden_states", "output_attentions", "return_dict"),
    }
)
"""Settings that change when a model is saved again, and that do not say how it computes. The ids
of special tokens are the tokenizer's."""
PROBE = (
    "The quick brown fox's 1,024 steps\n\n\tdef f(x: int) -> int:\n        return x ** 2  # ±0.5\n"
    "Größe, naïve, Čeština; русский текст, 日本語の文章, العربية, हिन्दी 🦊👩‍💻 <|im_start|> "
    "AaaSab.ac#|S1G2  x=y≠z  HTTPServerError unbelievably"
)
"""Other merges of the same words divide this text otherwise."""
ROWS = 8
"""Of each tensor that are read, spread over it."""
WHOLE = 65_536
"""Numbers of a tensor that is read whole."""
SHOWN = 3


class Fingerprint(BaseModel):
    """`settings`: by dotted names. `tokenizer`, `weights`: SHA-256; "": not compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    settings: dict[str, Any]
    tokenizer: str
    weights: str = ""

    def differences(self, other: Fingerprint) -> list[str]:
        """In words. A setting that only one of them has is of another version of transformers."""
        found = [
            f"{name} was {self.settings[name]} and is {other.settings[name]}"
            for name in sorted(self.settings.keys() & other.settings.keys())
            if self.settings[name] != other.settings[name]
        ][:SHOWN]
        if self.tokenizer != other.tokenizer:
            found.append("its tokenizer differs")
        if self.weights and other.weights and self.weights != other.weights:
            found.append("its weights differ")
        return found


def fingerprint(name: str, *, weights: bool) -> Fingerprint:
    """That of a model. Of its `weights` only where an adapter is read beside them. Raises
    MethodError for a model that can't be used."""
    return _of(find_model(name), weights=weights)


def require_base(
    trained: str, model: str, base: Fingerprint | None, *, fetches: bool = True
) -> None:
    """Raises MethodError if the model is not the one that this was `trained` on. None: of a time
    when this was not recorded, so any is taken. Without `fetches` a model is compared as far as
    it is here."""
    if base is None:
        return
    try:
        source = find_model(model)
    except MethodError as error:
        if error.code == "model_missing" and not fetches:
            return
        raise
    here = fetches or source.files.folder is not None
    require_same_base(trained, model, base, _of(source, weights=bool(base.weights) and here))


def require_same_base(trained: str, model: str, base: Fingerprint, now: Fingerprint) -> None:
    """Raises MethodError, which names what differs."""
    if differences := base.differences(now):
        raise MethodError(
            code="other_base_model",
            message=(
                f"{trained} was trained on another model than “{model}” is now: "
                f"{'; '.join(differences)}."
            ),
            remedy=(
                f"Put the model of the training back (folder of local models: {models_folder()}), "
                "or train again on this one."
            ),
        )


def _of(source: Source, *, weights: bool) -> Fingerprint:
    settings = json.loads(json.dumps(load_config(source.name, source.place).to_dict(), default=str))
    return Fingerprint(
        settings=dict(_flat(settings)),
        tokenizer=_tokenizer(load_tokenizer(source)),
        weights=_weights(source) if weights else "",
    )


def _flat(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if name in WITHOUT_MEANING or name.startswith("_") or name.endswith("_token_id"):
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _tokenizer(tokenizer: PreTrainedTokenizerBase) -> str:
    """What it does, as far as models read it. Its files are written otherwise by each version."""
    does = {
        "words": tokenizer.get_vocab(),
        "template": tokenizer.chat_template,
        "special": [
            tokenizer.bos_token_id,
            tokenizer.eos_token_id,
            tokenizer.pad_token_id,
            tokenizer.unk_token_id,
        ],
        "probe": tokenizer(PROBE, add_special_tokens=False)["input_ids"],
    }
    return hashlib.sha256(json.dumps(does, sort_keys=True).encode()).hexdigest()


def _weights(source: Source) -> str:
    """Of names, shapes and some rows of all tensors, as numbers of 32 bits: the same in one file
    or in many, and in any order. Reads some MB, however large the model is."""
    from safetensors import SafetensorError

    folder = fetch(source.files, source.files.weights())
    try:
        tensors = [each for file in source.files.weights() for each in _rows(folder / file)]
    except (OSError, SafetensorError) as error:
        raise unreadable(source.name, error) from error
    digest = hashlib.sha256()
    for _, told in sorted(tensors):
        digest.update(told)
    return digest.hexdigest() if tensors else ""


def _rows(file: Path) -> Iterator[tuple[str, bytes]]:
    """The digest of each tensor, with its name."""
    from safetensors import safe_open

    with safe_open(file, "pt") as opened:
        for name in opened.keys():  # noqa: SIM118  no mapping
            tensor = opened.get_slice(name)
            shape = tensor.get_shape()
            digest = hashlib.sha256(f"{name} {shape}".encode())
            if math.prod(shape) <= WHOLE:
                digest.update(opened.get_tensor(name).float().numpy().tobytes())
            else:
                for row in range(ROWS):
                    places = [size * row // ROWS for size in shape[:-1]]
                    part = tensor[tuple(slice(place, place + 1) for place in places)]
                    digest.update(part.float().numpy().tobytes())
            yield name, digest.digest()
