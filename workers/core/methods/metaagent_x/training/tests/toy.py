"""A small world of letters for tests: the answer to a question is its letter.

Its model has a token for each letter and for each whole script, so that one token is a design.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.core.methods.metaagent_x.training.demonstrating import played
from workers.core.methods.metaagent_x.training.worlds import Said, Shown
from workers.core.rollouts.base import Messages
from workers.core.scripts.blocks import Call, alike
from workers.core.scripts.meaning import Meaning, meaning_of
from workers.core.scripts.reading import script_in
from workers.core.specs import TaskSpec
from workers.core.weights.nano import END, PAD, START, TEMPLATE, UNKNOWN

LETTERS = "abcd"
_HEAD = "from workflow import agent, deliver, ensemble\n"
SINGLE = _HEAD + 'deliver(agent("Solver", "Answer."))'
VOTE = _HEAD + 'deliver(ensemble([agent(f"Solver {n}", "Answer.") for n in range(3)]))'
BROKEN = _HEAD + "deliver(nobody"
RUNS = (  # it reads a reply, so it is no data
    "from workflow import agent, deliver\n"
    'said = agent("Solver", "Answer.")()\n'
    'if said.text == "a":\n    said = agent("Second", "Answer again.")(said)\n'
    "deliver(said)"
)
CRASHES = (
    'from workflow import agent, deliver\nsaid = agent("Solver", "Answer.")()\n'
    "deliver(said.text[len(said.text) + 5])"
)
SCRIPTS = (SINGLE, VOTE, BROKEN, RUNS, CRASHES)
NAME = "letters"
TASKS = tuple(
    TaskSpec(query=f"{letter}{other}", reference=letter, verifier="exact")
    for letter in LETTERS
    for other in LETTERS
)


@dataclass(frozen=True, slots=True)
class Letters:
    """`shown`: the scripts that are demonstrated."""

    shown: tuple[str, ...] = (SINGLE, VOTE)
    key: str = "letters"

    def require(self, tasks: Sequence[TaskSpec]) -> None:
        """All can be rewarded."""

    def designer_messages(self, task: TaskSpec) -> Messages:
        return _asked(f"design{task.query}")

    def executor_messages(self, task: TaskSpec, call: Call, generator: random.Random) -> Messages:
        return _asked(task.query)

    def script(self, task: TaskSpec, reply: str) -> str:
        return script_in(reply)

    def meaning(self, task: TaskSpec, script: str) -> Meaning:
        return meaning_of(script)

    async def said(self, task: TaskSpec, call: Call, reply: str) -> Said:
        return Said(reply, reply if len(reply) == 1 else None, usable=bool(reply))

    def same(self, task: TaskSpec, answers: Sequence[str]) -> list[list[int]]:
        return alike(answers)

    async def correct(self, task: TaskSpec, answer: str | None) -> bool:
        return answer == task.reference

    def demonstrates(self, task: TaskSpec) -> bool:
        return True

    async def demonstrated(self, task: TaskSpec, generator: random.Random) -> Sequence[Shown]:
        script = generator.choice(self.shown)
        shown, _ = await played(self, task, script, lambda *_: task.reference, generator)
        return shown


def _asked(text: str) -> Messages:
    return ({"role": "user", "content": text},)


def make_letters(folder: Path, *, seed: int = 0) -> None:
    """Writes the untrained model with its tokenizer."""
    import torch
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    words = [PAD, START, END, UNKNOWN, "design", *LETTERS]
    vocabulary = {word: number for number, word in enumerate([*words, *SCRIPTS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("design|[a-d]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens([PAD, START, END, UNKNOWN])
    tokenizer.add_tokens([AddedToken(script, normalized=False) for script in SCRIPTS])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    described = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": START,
        "eos_token": END,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
    }
    (folder / "tokenizer_config.json").write_text(f"{json.dumps(described)}\n")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(vocabulary),
                hidden_size=32,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=2,
                max_position_embeddings=32,
                bos_token_id=vocabulary[START],
                eos_token_id=vocabulary[END],
                pad_token_id=vocabulary[PAD],
                tie_word_embeddings=True,
            )
        )
    model.save_pretrained(folder)
