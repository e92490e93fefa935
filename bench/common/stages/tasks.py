"""The words of the world's tasks, in three splits. No sentence and no subject is in two of them.
Eight authors wrote the training's sentences, a ninth the validation's and a tenth the test's. All
but the first knew the kinds alone, and had read no other sentence. Settings are chosen on the
validation.

What a subtask asks for tells its kind: recall, what is generally known; search, what is new or
obscure and needs a source; browse, something to do on a named site; reason, a conclusion from what
is given."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.common.stages.world import KINDS, SUBTASKS

WORDS: dict[str, dict[str, tuple[str, ...]]] = json.loads(
    (Path(__file__).parent / "words.json").read_text()
)
"""The sentences of each kind and split, with the subject at {}."""
SUBJECTS = {
    "training": (
        *("Norway", "Chile", "Kenya", "Japan", "Portugal", "Canada"),
        *("Egypt", "Peru", "Poland", "Vietnam", "Ghana", "Austria"),
        *("Sweden", "Uruguay", "Tunisia", "Nepal", "Croatia", "Jamaica"),
        *("Angola", "Laos", "Ireland", "Ecuador", "Oman", "Malaysia"),
        *("Estonia", "Cuba", "Zambia", "Jordan", "Belgium", "Paraguay"),
        *("Rwanda", "Taiwan", "Slovenia", "Guyana", "Benin", "Armenia"),
        *("Albania", "Honduras", "Malawi", "Qatar", "Finland", "Panama"),
        *("Sudan", "Bhutan"),
    ),
    "validation": (
        *("Iceland", "Brazil", "Morocco", "Thailand", "Greece", "Australia"),
        *("Senegal", "Bolivia", "Hungary", "Mongolia", "Denmark", "Fiji"),
    ),
    "test": (
        *("Italy", "Colombia", "Namibia", "Indonesia", "Latvia", "Turkey"),
        *("Uganda", "Bahrain", "Serbia", "Nicaragua", "Cambodia", "Malta"),
    ),
}
BODIES = (
    *("museum", "university", "railway", "central bank", "harbour", "opera", "zoo", "hospital"),
    *("parliament", "football league", "weather service", "national archive", "theatre", "library"),
    *("airport", "post office", "tax office", "stadium", "embassy", "newspaper", "observatory"),
)
"""Fill the slot `body` of the training's sentences. The other slots are numbers."""
FRAMES = (
    "{}",
    "{}",
    "{}",
    "Next: {}",
    "Please do this: {}",
    "{} Be brief.",
    "Step of the plan: {}",
)
"""What stands around a training sentence, whatever its kind."""


@dataclass(frozen=True, slots=True)
class StagedTask:
    objective: str
    subtasks: tuple[str, ...]
    kinds: tuple[str, ...]


def draw_tasks(count: int, *, seed: int, split: str) -> list[StagedTask]:
    random = np.random.default_rng(seed)
    return [_task(random, split) for _ in range(count)]


def _task(random: np.random.Generator, split: str) -> StagedTask:
    kinds = tuple(KINDS[place] for place in random.integers(len(KINDS), size=SUBTASKS))
    subject = _one(random, SUBJECTS[split])
    subtasks: list[str] = []
    for kind in kinds:
        subtasks.append(_sentence(random, kind, split, subject))
        while subtasks[-1] in subtasks[:-1]:  # a planner's subtask stands once
            subtasks[-1] = _sentence(random, kind, split, subject)
    return StagedTask(f"Three questions about {subject}.", tuple(subtasks), kinds)


def _sentence(random: np.random.Generator, kind: str, split: str, subject: str) -> str:
    words = _one(random, WORDS[kind][split])
    if split != "training":
        return words.format(subject)
    n, m, year = (int(random.integers(*ends)) for ends in ((12, 900), (2, 60), (1900, 2020)))
    said = words.format(subject, body=_one(random, BODIES), n=n, m=m, year=year)
    return _one(random, FRAMES).format(said)


def _one(random: np.random.Generator, among: Sequence[str]) -> str:
    return among[int(random.integers(len(among)))]
