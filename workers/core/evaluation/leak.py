"""Which tasks of an evaluation a checkpoint may have seen in training.

Two texts are the same when they differ in case, spacing, punctuation or the form of characters
alone; they are near duplicates when at least NEAR of their runs of SHINGLE words are shared
(Jaccard's index). Texts of fewer words are compared for sameness only. Neither finds a task that
was put into other words: a clean check is no proof, a hit is a warning.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SHINGLE = 5
NEAR = 0.7
COMMON = 200
"""A run of words in more training tasks than this is a phrase of the data set and finds nobody."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Leak:
    """Ids of evaluation tasks; a task is in at most one of them."""

    same: tuple[str, ...]
    near: tuple[str, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        return (*self.same, *self.near)


def find_leaks(
    tasks: Mapping[str, str], training: Iterable[str], hashes: Iterable[str] = ()
) -> Leak:
    """`tasks`: id → query; `training`: queries of the training split; `hashes`: of queries whose
    text is not here, by `query_hash`."""
    index = _Index(training)
    seen = index.hashes.union(hashes)
    same = [task for task, query in tasks.items() if query_hash(query) in seen]
    known = set(same)
    near = [task for task, query in tasks.items() if task not in known and index.resembles(query)]
    return Leak(tuple(same), tuple(near))


def query_hash(query: str) -> str:
    """32 hex digits; equal for texts that are the same up to case, spacing and punctuation."""
    return hashlib.blake2b(" ".join(words(query)).encode(), digest_size=16).hexdigest()


def words(query: str) -> list[str]:
    """Words and numbers in lower case, compatibility forms of characters resolved.

    A text of signs alone keeps them: otherwise all such texts would be one.
    """
    text = unicodedata.normalize("NFKC", query).casefold()
    return _WORD.findall(text) or text.split()


class _Index:
    """Training queries by the hashes of their runs of words."""

    def __init__(self, training: Iterable[str]) -> None:
        self.hashes: set[str] = set()
        self._holders: dict[int, list[int]] = defaultdict(list)
        self._sizes: list[int] = []
        for query in training:
            self.hashes.add(query_hash(query))
            runs = _shingles(query)
            for run in runs:
                self._holders[run].append(len(self._sizes))
            self._sizes.append(len(runs))

    def resembles(self, query: str) -> bool:
        runs = _shingles(query)
        shared: Counter[int] = Counter()
        for run in runs:
            holders = self._holders.get(run, ())
            if len(holders) <= COMMON:
                shared.update(holders)
        return any(
            count >= NEAR * (len(runs) + self._sizes[holder] - count)
            for holder, count in shared.items()
        )


def _shingles(query: str) -> set[int]:
    text = words(query)
    return {hash(tuple(text[start : start + SHINGLE])) for start in range(len(text) - SHINGLE + 1)}
