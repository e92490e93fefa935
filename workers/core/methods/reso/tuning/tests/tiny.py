"""Models of two layers with random weights, in folders as the hub would give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
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
)

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


def tokenizer() -> PreTrainedTokenizerFast:
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
    built.train_from_iterator(TEXTS, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=built, eos_token="<|end|>", pad_token="<|pad|>"
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def save_tiny(folder: Path, kind: str = "language", *, labels: int = 1, nan: bool = False) -> None:
    words = tokenizer()
    config = Qwen2Config(
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
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = KINDS[kind](config)
    if nan:
        for weights in model.state_dict().values():
            weights.fill_(torch.nan)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
