"""A small language model with a vocabulary of its own: the same code path as any other, in seconds.

Its tokens are the cells of boards by name, with their marks or without (`environments.cells`), so
that neither rows nor moves have to be counted. Its chat template writes only what the user says, so
an environment that words its observations in letters (`wording` “letters”) is read as it is.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from transformers import PreTrainedModel

NAME = "nano"
PAD, START, END, UNKNOWN = "<pad>", "<s>", "</s>", "<unk>"
MARKS = "#.SG*_$@+1234"
"""What stands in the cells of the games' boards."""
_TOKEN = f"[a-z]{{2}}[{re.escape(MARKS)}]?|."
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'user' %}"
    "{{ message['content'] }}{% elif message['role'] == 'assistant' %}"
    "{{ message['content'] }}{{ eos_token }}{% endif %}{% endfor %}"
)


class NanoConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: int = Field(default=4, ge=1, le=24, description="Number of layers.")
    width: int = Field(default=128, ge=16, le=1024, description="Width of the hidden state.")
    heads: int = Field(default=8, ge=1, le=16, description="Number of attention heads.")
    rows: int = Field(
        default=10, ge=1, le=26, description="Rows, and columns, of the largest board it can read."
    )
    length: int = Field(default=512, ge=32, le=4096, description="Longest text, in tokens.")


def parameters(config: NanoConfig = NanoConfig()) -> int:  # noqa: B008  frozen
    """Their number: the words' embedding, which also tells the words, the layers, and the norms."""
    layer = 4 * config.width**2 + 3 * config.width * 4 * config.width + 2 * config.width
    return len(vocabulary_of(config.rows)) * config.width + config.layers * layer + config.width


def ensure_nano(folder: Path) -> None:
    """Makes the model in the folder of models, unless one of this name is there. Raises OSError."""
    if (folder / NAME).is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=f".{NAME}.") as made:
        make_nano(Path(made) / "whole", NanoConfig(), seed=0)
        try:
            (Path(made) / "whole").rename(folder / NAME)
        except OSError:
            if not (folder / NAME).is_dir():  # else another process was faster
                raise


def begin_anew(model: PreTrainedModel, seed: int) -> None:
    """Random weights, from the seed."""
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        for module in model.modules():
            if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
                torch.nn.init.normal_(module.weight, std=model.config.initializer_range)


def vocabulary_of(rows: int) -> list[str]:
    """All tokens, for boards of so many rows and columns."""
    names = ascii_lowercase[:rows]
    cells = [f"{row}{column}" for row in names for column in names]
    marked = (f"{cell}{mark}" for cell in cells for mark in MARKS)
    return [PAD, START, END, UNKNOWN, "A", "B", "|", *cells, *marked]


def make_nano(folder: Path, config: NanoConfig, *, seed: int) -> None:
    """Writes an untrained model with its tokenizer. The same arguments give the same weights."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    words = vocabulary_of(config.rows)
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_TOKEN), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens([PAD, START, END, UNKNOWN])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    described = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": START,
        "eos_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "clean_up_tokenization_spaces": False,
        "model_max_length": config.length,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(f"{json.dumps(described, indent=2)}\n")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(words),
                hidden_size=config.width,
                intermediate_size=4 * config.width,
                num_hidden_layers=config.layers,
                num_attention_heads=config.heads,
                max_position_embeddings=config.length,
                bos_token_id=vocabulary[START],
                eos_token_id=vocabulary[END],
                pad_token_id=vocabulary[PAD],
                tie_word_embeddings=True,
            )
        )
    model.save_pretrained(folder)
