"""Queries in a small language of their own. Which team answers one best, its words say.

A query has words and a task: operations, and the letter that they begin with. Of its three words
two are of its kind, and one is of no kind or of another one. So no word decides alone. The splits
share no pair of words of a kind, though every word is in all of them.
"""

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Literal

from workers.core.specs import TaskSpec

Kind = Literal["single", "vote", "check", "decompose"]
Split = Literal["train", "validation", "test"]
KINDS: tuple[Kind, ...] = ("single", "vote", "check", "decompose")
LETTERS = "abcdef"
TABLES: Mapping[str, str] = {
    "turn": "cadfbe",
    "swap": "edacfb",
    "lift": "fcebad",
    "fold": "dfbeca",
}
"""What each operation makes of a to f. Each leads through all letters, so one time too many is
wrong."""
STEPS: Mapping[Kind, tuple[int, ...]] = {
    "single": (1,),
    "vote": (1,),
    "check": (1,),
    "decompose": (2, 3),
}
"""How many operations a query has."""
WORDS: Mapping[Kind, tuple[str, ...]] = {
    "single": ("plain", "direct", "easy", "clear", "simple", "brief"),
    "vote": ("blurred", "noisy", "faint", "unsure", "doubtful", "foggy"),
    "check": ("sealed", "locked", "hidden", "proof", "verify", "coded"),
    "decompose": ("chain", "stages", "series", "nested", "staged", "steps"),
}
PLAIN_WORDS = ("now", "please", "today", "again", "here", "kindly")
CANDIDATES = 3
"""How many letters a query to check may have as its answer."""


@dataclass(frozen=True, slots=True)
class Query:
    """`words` in their order. `operations` are carried out from left to right, on `letter`.
    `others`: the wrong candidates of a query to check."""

    kind: Kind
    words: tuple[str, ...]
    operations: tuple[str, ...]
    letter: str
    others: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What the designer reads."""
        return " ".join((*self.words, "|", *self.operations, self.letter))

    @property
    def answer(self) -> str:
        return self.after(len(self.operations))

    @property
    def candidates(self) -> tuple[str, ...]:
        return (self.answer, *self.others)

    def after(self, steps: int) -> str:
        """The letter after this number of operations."""
        letter = self.letter
        for operation in self.operations[:steps]:
            letter = applied(operation, letter)
        return letter

    def task(self) -> TaskSpec:
        return TaskSpec(query=self.text, reference=self.answer, metadata=asdict(self))

    @classmethod
    def of(cls, task: TaskSpec) -> "Query":
        told = task.metadata
        names = ("words", "operations", "others")
        return cls(**told | {name: tuple(told[name]) for name in names})


def applied(operation: str, letter: str) -> str:
    return TABLES[operation][LETTERS.index(letter)]


def pairs(kind: Kind, split: Split) -> list[tuple[str, str]]:
    """The pairs of a kind's words that the split's queries have: of 15, 9 to learn from, 3 to tune
    on and 3 to test on. The last ones have each word once, and so have those before them."""
    words = WORDS[kind]
    test = [(words[0], words[3]), (words[1], words[4]), (words[2], words[5])]
    validation = [(words[0], words[4]), (words[1], words[5]), (words[2], words[3])]
    if split == "test":
        return test
    if split == "validation":
        return validation
    return [pair for pair in combinations(words, 2) if pair not in (*test, *validation)]


def draw_queries(count: int, *, seed: int, split: Split) -> list[Query]:
    """All kinds equally often, in turn. No two have the same text."""
    generator = random.Random(f"{split} {seed}")
    found: dict[str, Query] = {}
    while len(found) < count:
        query = _query(KINDS[len(found) % len(KINDS)], split, generator)
        found.setdefault(query.text, query)
    return list(found.values())


def _query(kind: Kind, split: Split, generator: random.Random) -> Query:
    foreign = [word for other in KINDS if other != kind for word in WORDS[other]]
    word = generator.choice(PLAIN_WORDS if generator.random() < 1 / 2 else foreign)
    words = [*generator.choice(pairs(kind, split)), word]
    generator.shuffle(words)
    steps = generator.choice(STEPS[kind])
    while True:
        operations = tuple(generator.choices(list(TABLES), k=steps))
        query = Query(kind, tuple(words), operations, generator.choice(LETTERS))
        # Who stops half-way is wrong for certain.
        if all(query.after(step) != query.answer for step in range(steps)):
            break
    if kind != "check":
        return query
    wrong = [letter for letter in LETTERS if letter != query.answer]
    return replace(query, others=tuple(sorted(generator.sample(wrong, CANDIDATES - 1))))
