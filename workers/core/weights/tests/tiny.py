"""Models of two layers with random weights, in folders as the hub would give them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen2ForSequenceClassification,
    Qwen2ForTokenClassification,
    Qwen2Model,
)

from workers.core.weights.files import WEIGHTS

KINDS: dict[str, Any] = {
    "language": Qwen2ForCausalLM,
    "sequence": Qwen2ForSequenceClassification,
    "token": Qwen2ForTokenClassification,
}
TEMPLATE = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
TEXTS = [
    '{"subtasks": [{"id": "s1", "text": "What do 14 loaves bring?", "depends_on": []}]}',
    '{"subtask": "How many dollars in all?", "answers_before": [], "agent": {}, "answer": "42"}',
    "Divide the user's question into subtasks that others will solve, one each.",
]


TAGGED = [" ки"] * 99
"""Often enough to be one token."""


def tokenizer(*, tag: bool = False) -> PreTrainedTokenizerFast:
    built = Tokenizer(BPE())
    built.pre_tokenizer = ByteLevel(add_prefix_space=False)
    built.decoder = ByteLevelDecoder()
    special = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=special,
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    built.train_from_iterator(TEXTS + TAGGED * tag, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=built, eos_token="<|end|>", pad_token="<|pad|>"
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def _config(words: PreTrainedTokenizerFast, *, labels: int = 1) -> Qwen2Config:
    return Qwen2Config(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4_096,
        num_labels=labels,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
    )


def save_tiny(
    folder: Path, kind: str = "language", *, labels: int = 1, nan: bool = False, tag: bool = False
) -> None:
    words = tokenizer(tag=tag)
    config = _config(words, labels=labels)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = KINDS[kind](config)
    if nan:
        for weights in model.state_dict().values():
            weights.fill_(torch.nan)
    model.save_pretrained(folder)
    words.save_pretrained(folder)


@contextmanager
def edited_weights(folder: Path) -> Iterator[dict[str, torch.Tensor]]:
    weights = load_file(folder / WEIGHTS)
    yield weights
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def save_process(folder: Path, *, labels: int = 2, tag: bool = True) -> None:
    """As Qwen2.5-Math-PRM lies on the hub, with the code that comes with it; made of nothing that
    reads it here. Running the code would leave a file."""
    words = tokenizer()
    if tag:
        words.add_tokens(["<extra_0>"], special_tokens=True)
    config = _config(words)
    width = config.hidden_size
    with torch.random.fork_rng():
        torch.manual_seed(0)
        body = Qwen2Model(config)
        first, second = torch.nn.Linear(width, width), torch.nn.Linear(width, labels)
    weights = {f"model.{name}": tensor for name, tensor in body.state_dict().items()}
    for place, layer in ((0, first), (2, second)):
        weights |= {f"score.{place}.{name}": each for name, each in layer.state_dict().items()}
    folder.mkdir(parents=True)
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    words.save_pretrained(folder)
    ran = folder / "ran"
    for file in ("configuration_qwen2_rm.py", "modeling_qwen2_rm.py"):
        (folder / file).write_text(f"open({str(ran)!r}, 'w')\n")
    told = config.to_dict() | {
        "architectures": ["Qwen2ForProcessRewardModel"],
        "auto_map": {
            "AutoConfig": "configuration_qwen2_rm.Qwen2RMConfig",
            "AutoModel": "modeling_qwen2_rm.Qwen2ForProcessRewardModel",
        },
    }
    told = {name: value for name, value in told.items() if name not in ("id2label", "label2id")}
    (folder / "config.json").write_text(json.dumps(told))
