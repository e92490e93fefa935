"""Decides when two tasks are the same, by hashes of their texts without case, spacing and
punctuation."""

import hashlib
import re
import unicodedata

from workers.core.benchmarks.compositional import TASK_GRAPH, base_problems
from workers.core.benchmarks.games.episodes import board_in
from workers.core.benchmarks.wording import bare_question
from workers.core.specs import TaskSpec

_WORD = re.compile(r"\w+")


def query_hash(query: str) -> str:
    """32 hex digits, equal for texts that differ only in case, spacing and punctuation."""
    return _hash(words(query))


def query_hashes(query: str) -> frozenset[str]:
    """Hashes of the query as it is asked, and of its bare question."""
    return frozenset({query_hash(query), query_hash(bare_question(query))})


def task_hashes(task: TaskSpec) -> frozenset[str]:
    """Hashes of a task's query, and of the problems that it is composed of."""
    texts = (task.query, *base_problems(task.query, task.metadata.get(TASK_GRAPH)))
    return frozenset().union(*map(query_hashes, texts))


def words(query: str) -> list[str]:
    """Words and numbers in lower case, compatibility forms of characters resolved.

    A text of only signs keeps them; otherwise all such texts would be the same. Of a game, the
    words are the rows of the board: its signs are the question.
    """
    if asked := board_in(query):
        game, board = asked
        return [f"{game.key}:{row}" for row in board.split("\n")]
    text = query.lower() if query.isascii() else unicodedata.normalize("NFKC", query).casefold()
    return _WORD.findall(text) or text.split()


def _hash(text: list[str]) -> str:
    return hashlib.blake2b(" ".join(text).encode(), digest_size=16).hexdigest()
