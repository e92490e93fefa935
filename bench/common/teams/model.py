"""A small language model whose tokens are the words of the queries and whole pieces of scripts.

So its designer writes real scripts of the language in some twenty tokens. Pieces in a wrong order
are scripts that do not parse, or do not run.
"""

from __future__ import annotations

import json
from pathlib import Path

from bench.common.teams.looks import CORRECT, INCORRECT, NO_SEAL
from bench.common.teams.queries import LETTERS, PLAIN_WORDS, TABLES, WORDS
from bench.common.teams.teams import MOST_MEMBERS
from workers.core.weights.nano import END, PAD, START, TEMPLATE, UNKNOWN

HEADER = "from workflow import agent, deliver, ensemble, reflection, sequence\n"
DELIVER, CLOSE, COMMA, NEWLINE = "deliver(", ")", ", ", "\n"
SOLVER, CRITIC = 'agent("Solver", "Answer.")', 'agent("Critic", "Check the answer.")'
ENSEMBLE, MEMBERS, MAJORITY = "ensemble([", "]", ', by="majority"'
EACH = " for n in range("
SEQUENCE, REFLECTION, ROUNDS = "sequence(", "reflection(", ", rounds="
DIGITS = "1234567"
PIECES = (
    *(HEADER, DELIVER, CLOSE, COMMA, NEWLINE, SOLVER, CRITIC),
    *(ENSEMBLE, MEMBERS, MAJORITY, EACH, SEQUENCE, REFLECTION, ROUNDS, *DIGITS),
)
DESIGN = "design"
"""What the designer's prompt begins with."""
READ = ("|", DESIGN, "do", "pick", "not", "judge", NO_SEAL, *TABLES, *PLAIN_WORDS)
WIDTH, LAYERS, HEADS, LENGTH = 96, 3, 6, 128

assert len(DIGITS) == MOST_MEMBERS


def vocabulary() -> list[str]:
    words = (word for kind in WORDS.values() for word in kind)
    said = (CORRECT, INCORRECT)
    return [PAD, START, END, UNKNOWN, *READ, *words, *LETTERS, *said, *PIECES]


def make_model(folder: Path, *, seed: int) -> None:
    """Writes an untrained model with its tokenizer. The same seed gives the same weights."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    words = vocabulary()
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_pattern(words)), "isolated"),
            pre_tokenizers.Split(Regex("^ $"), "removed"),  # between the words of a prompt
        ]
    )
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
        "model_max_length": LENGTH,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(f"{json.dumps(described, indent=2)}\n")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(words),
                hidden_size=WIDTH,
                intermediate_size=4 * WIDTH,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                max_position_embeddings=LENGTH,
                bos_token_id=numbers[START],
                eos_token_id=numbers[END],
                pad_token_id=numbers[PAD],
                tie_word_embeddings=True,
            )
        )
    model.save_pretrained(folder)


def _pattern(words: list[str]) -> str:
    """Any of the words; of several that fit, the longest."""
    marks = r"()[]{}.*+?|^$\\"
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join("".join(f"\\{c}" if c in marks else c for c in word) for word in longest_first)
