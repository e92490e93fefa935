"""Which tasks of an evaluation a checkpoint may have seen in training.

Two texts are the same when they differ in case, spacing, punctuation or the form of characters
alone, or in nothing but what a benchmark puts around its questions (`bare_question`). They are near
duplicates when at least NEAR of their runs of SHINGLE words are shared (Jaccard's index), or when
nearly all runs of the shorter one, CONTAINED, are in the longer one. In scripts without spaces a
character counts as a word. Texts of fewer words are compared for sameness only. None of this finds
a task that was put into other words: a clean check is no proof, a hit is a warning.

The evaluation's tasks are indexed and the training queries pass by one at a time, so that memory
does not grow with the training data; RUNS and CHARS bound memory and time.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workers.core.benchmarks.wording import bare_question

SHINGLE = 5
NEAR = 0.7
CONTAINED = 0.9
FEWEST = 8
"""Runs that a text must have to be found in a longer one: less is a phrase."""
COMMON = 200
"""A run of words in more tasks than this is a phrase of the dataset and finds nobody."""
RUNS = 1_000_000
"""Indexed at most, some 150 MB; the tasks beyond are compared for sameness only."""
CHARS = 16_000_000
"""Of training queries looked at: ten thousand of two hundred words, a second or two."""

_WORD = re.compile(r"\w+")
_WITHOUT_SPACES = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai to Tibetan, Burmese, Khmer, kana, and Han."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Ids of evaluation tasks; a task is in at most one of them. `whole` False: only a part of the
    training queries, or of the tasks, was compared."""

    same: tuple[str, ...]
    near: tuple[str, ...]
    whole: bool = True

    @property
    def tasks(self) -> tuple[str, ...]:
        return (*self.same, *self.near)


def find_leaks(
    tasks: Mapping[str, str], training: Iterable[str], hashes: Iterable[str] = ()
) -> Leak:
    """`tasks`: id → query; `training`: queries of the training split; `hashes`: of queries whose
    text is not here, by `query_hash`."""
    return LeakIndex(tasks).find(training, hashes)


def query_hash(query: str) -> str:
    """32 hex digits; equal for texts that are the same up to case, spacing and punctuation."""
    return _hash(words(query))


def query_hashes(query: str) -> frozenset[str]:
    """Of the query as it is asked, and of its bare question."""
    return frozenset({query_hash(query), query_hash(bare_question(query))})


def words(query: str) -> list[str]:
    """Words and numbers in lower case, compatibility forms of characters resolved.

    A text of signs alone keeps them: otherwise all such texts would be one.
    """
    text = query.lower() if query.isascii() else unicodedata.normalize("NFKC", query).casefold()
    return _WORD.findall(text) or text.split()


class LeakIndex:
    """An evaluation's tasks, by the hashes of their texts and of their runs of words."""

    def __init__(self, tasks: Mapping[str, str], *, runs: int = RUNS) -> None:
        self._order = list(tasks)
        self._by_hash: dict[str, set[str]] = defaultdict(set)
        self._holders: dict[int, list[str]] = {}
        self._sizes: dict[str, int] = {}
        self._whole = True
        left = runs
        for task, query in tasks.items():
            for digest in query_hashes(query):
                self._by_hash[digest].add(task)
            if not self._whole:
                continue
            found = _shingles(words(bare_question(query)))
            left -= len(found)
            if left < 0:
                self._whole = False
                continue
            self._sizes[task] = len(found)
            for run in found:
                self._holders.setdefault(run, []).append(task)

    def find(
        self, training: Iterable[str], hashes: Iterable[str] = (), *, chars: int = CHARS
    ) -> Leak:
        """As `find_leaks`; of `training` the first `chars` characters are looked at."""
        same = {task for digest in hashes for task in self._by_hash.get(digest, ())}
        near: set[str] = set()
        for query in training:
            chars -= len(query)
            if chars < 0:
                break
            bare = bare_question(query)
            text = words(bare)
            same |= self._by_hash.get(_hash(text), set())
            if bare != query:
                same |= self._by_hash.get(query_hash(query), set())
            near |= self._resembling(_shingles(text))
        return Leak(
            same=tuple(task for task in self._order if task in same),
            near=tuple(task for task in self._order if task in near - same),
            whole=self._whole and chars >= 0,
        )

    def _resembling(self, runs: set[int]) -> set[str]:
        shared: Counter[str] = Counter()
        for run in runs & self._holders.keys():
            holders = self._holders[run]
            if len(holders) <= COMMON:
                shared.update(holders)
        return {
            task for task, count in shared.items() if _near(count, len(runs), self._sizes[task])
        }


def _near(shared: int, one: int, other: int) -> bool:
    if shared >= NEAR * (one + other - shared):
        return True
    shorter = min(one, other)
    return shorter >= FEWEST and shared >= CONTAINED * shorter


def _hash(text: list[str]) -> str:
    return hashlib.blake2b(" ".join(text).encode(), digest_size=16).hexdigest()


def _shingles(text: list[str]) -> set[int]:
    whole = " ".join(text)
    if not whole.isascii() and _WITHOUT_SPACES.search(whole):
        text = _WORD.findall(_WITHOUT_SPACES.sub(r" \g<0> ", whole))
    return set(map(hash, zip(*(text[start:] for start in range(SHINGLE)), strict=False)))
