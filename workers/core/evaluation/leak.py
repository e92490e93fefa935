"""Finds tasks of an evaluation that a checkpoint may have seen in training.

Two texts are the same if they differ only in case, spacing, punctuation or the form of characters,
or in what a benchmark puts around its questions (`bare_question`). They are near duplicates if at
least NEAR of their runs of SHINGLE words are shared (Jaccard's index), or if nearly all runs of the
shorter one, CONTAINED, are in the longer one. In scripts without spaces a character counts as a
word. Shorter texts are only compared for sameness. None of this finds a task in other words: a
clean check is no proof, a hit is a warning.

A composed task is compared by its problems, with their original numbers: two composed tasks share
sentences without meaning, and the same problem has a different number in each.

The evaluation's tasks are indexed, and the training queries are read one by one, so memory does not
grow with the training data. RUNS and CHARS bound memory and time.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workers.core.benchmarks.sameness import _WORD, _hash, query_hash, words
from workers.core.benchmarks.wording import bare_question

SHINGLE = 5
NEAR = 0.7
CONTAINED = 0.9
FEWEST = 8
"""Runs that a text needs to be found in a longer one. Fewer are only a phrase."""
COMMON = 200
"""A run of words in more texts than this is a phrase of the dataset and matches nothing."""
RUNS = 1_000_000
"""Most runs indexed, about 150 MB. Further tasks are only compared for sameness."""
CHARS = 16_000_000
"""Most characters of training queries read: ten thousand of 200 words, in a second or two."""
SEEN = 100_000
"""Training queries remembered, so the problems of composed tasks, which repeat, are read once."""
AGAIN = 16
"""A repeated query counts for this much less."""

_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai to Tibetan, Burmese, Khmer, kana, and Han."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Ids of evaluation tasks; a task is in at most one group. `parts`: composed tasks with some
    problems in the training data. `whole` False: only a part of the training queries or tasks was
    compared."""

    same: tuple[str, ...]
    near: tuple[str, ...]
    parts: tuple[str, ...] = ()
    whole: bool = True

    @property
    def tasks(self) -> tuple[str, ...]:
        return (*self.same, *self.near, *self.parts)


def find_leaks(
    tasks: Mapping[str, str],
    training: Iterable[str],
    hashes: Iterable[str] = (),
    *,
    parts: Mapping[str, Sequence[str]] | None = None,
) -> Leak:
    """`tasks`: id → query. `training`: queries of the training split; for a composed task its
    problems. `hashes`: `query_hash` of queries whose text is not here. `parts`: composed tasks, id
    → problems."""
    return LeakIndex(tasks, parts=parts).find(training, hashes)


@dataclass(eq=False, slots=True)
class _Text:
    """A text. `asked`: tasks that ask it. `part_of`: tasks that contain it. `runs`: its indexed
    runs."""

    asked: set[str] = field(default_factory=set)
    part_of: set[str] = field(default_factory=set)
    runs: int = 0


class LeakIndex:
    """An evaluation's tasks, indexed by the hashes of their texts and of their runs of words."""

    def __init__(
        self,
        tasks: Mapping[str, str],
        *,
        parts: Mapping[str, Sequence[str]] | None = None,
        runs: int = RUNS,
    ) -> None:
        self._order = list(tasks)
        self._by_hash: dict[str, _Text] = {}
        self._holders: dict[int, list[_Text]] = {}
        self._whole = True
        self._left = runs
        for task, query in tasks.items():
            problems = parts.get(task, ()) if parts else ()
            self._text(query, runs=not problems).asked.add(task)
            for problem in problems:
                self._text(problem).part_of.add(task)

    def _text(self, query: str, *, runs: bool = True) -> _Text:
        bare = bare_question(query)
        text = self._by_hash.setdefault(query_hash(bare), _Text())
        if bare != query:
            self._by_hash.setdefault(query_hash(query), text)
        if runs and not text.runs and self._whole:
            self._index(text, bare)
        return text

    def _index(self, text: _Text, bare: str) -> None:
        found = _shingles(words(bare))
        self._left -= len(found)
        if self._left < 0:
            self._whole = False
            return
        text.runs = len(found)
        for run in found:
            self._holders.setdefault(run, []).append(text)

    def find(
        self, training: Iterable[str], hashes: Iterable[str] = (), *, chars: int = CHARS
    ) -> Leak:
        """Like `find_leaks`. Only the first `chars` characters of `training` are read."""
        same = {self._by_hash[digest] for digest in hashes if digest in self._by_hash}
        near: set[_Text] = set()
        seen: set[int] = set()
        for query in training:
            known = hash(query)
            chars -= 1 + len(query) // AGAIN if known in seen else len(query)
            if chars < 0:
                break
            if known in seen:
                continue
            if len(seen) < SEEN:
                seen.add(known)
            bare = bare_question(query)
            text = words(bare)
            digests = {_hash(text)} if bare == query else {_hash(text), query_hash(query)}
            same |= {self._by_hash[digest] for digest in digests if digest in self._by_hash}
            near |= self._resembling(_shingles(text))
        return self._leak(same, near, whole=self._whole and chars >= 0)

    def _leak(self, same: set[_Text], near: set[_Text], *, whole: bool) -> Leak:
        asked = {task for text in same for task in text.asked}
        nearly = {task for text in near for task in text.asked} - asked
        parts = {task for text in same | near for task in text.part_of} - asked - nearly
        return Leak(
            same=tuple(task for task in self._order if task in asked),
            near=tuple(task for task in self._order if task in nearly),
            parts=tuple(task for task in self._order if task in parts),
            whole=whole,
        )

    def _resembling(self, runs: set[int]) -> set[_Text]:
        shared: Counter[_Text] = Counter()
        for run in runs & self._holders.keys():
            holders = self._holders[run]
            if len(holders) <= COMMON:
                shared.update(holders)
        return {text for text, count in shared.items() if _near(count, len(runs), text.runs)}


def _near(shared: int, one: int, other: int) -> bool:
    if shared >= NEAR * (one + other - shared):
        return True
    shorter = min(one, other)
    return shorter >= FEWEST and shared >= CONTAINED * shorter


def _shingles(text: list[str]) -> set[int]:
    whole = " ".join(text)
    if not whole.isascii() and _WITHOUT_SPACES.search(whole):
        text = _WORD.findall(_WITHOUT_SPACES.sub(r" \g<0> ", whole))
    return set(map(hash, zip(*(text[start:] for start in range(SHINGLE)), strict=False)))
