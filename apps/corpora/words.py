"""The words of all corpora, and those of a query: stems, how rare they are, slips of the pen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from string import ascii_lowercase

from django.db import connection

from apps.corpora.models import Word

MOST_WORDS = 32
"""Of a query. The rest of a longer one is not looked for by its words."""
SHORTEST_CORRECTED = 4
MOST_CORRECTED = 4

COUNT_WORDS = """
INSERT INTO corpora_word (word, lexeme, passages)
SELECT word, coalesce((ts_lexize('english_stem', word))[1], word), count(*)
FROM corpora_passage,
     unnest(tsvector_to_array(to_tsvector('simple', title || ' ' || heading || ' ' || text))) word
GROUP BY word
"""
READ_WORDS = """
SELECT said.lexeme, stem.lexeme,
       (SELECT sum(known.passages) FROM corpora_word known WHERE known.lexeme = stem.lexeme)
FROM unnest(to_tsvector('simple', %s)) said,
     LATERAL (SELECT (ts_lexize('english_stem', said.lexeme))[1] AS lexeme) stem
WHERE stem.lexeme IS NOT NULL
ORDER BY said.positions[1]
LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a query that is no stop word. `passages`: how many have its `lexeme`."""

    word: str
    lexeme: str
    passages: int

    def weight(self, total: int) -> float:
        """Inverse passage frequency as in BM25, > 0. `total`: passages of all corpora."""
        return log(1 + (max(total, self.passages) - self.passages + 0.5) / (self.passages + 0.5))


def words_count() -> None:
    """Counts the words of all passages anew."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM corpora_word")
        cursor.execute(COUNT_WORDS)


def query_terms(query: str) -> tuple[list[Term], dict[str, str]]:
    """The terms of the query that some passage has, and corrections of its other words: an unknown
    word becomes the most frequent known one at one edit from it."""
    with connection.cursor() as cursor:
        cursor.execute(READ_WORDS, [query, MOST_WORDS])
        terms = [Term(word, lexeme, count or 0) for word, lexeme, count in cursor.fetchall()]
    unknown = [term.word for term in terms if not term.passages]
    corrected = _corrections(
        [w for w in unknown if len(w) >= SHORTEST_CORRECTED and w.isalpha()][:MOST_CORRECTED]
    )
    known = [term for term in terms if term.passages]
    known += [Term(right.word, right.lexeme, right.passages) for right in corrected.values()]
    unique = {term.lexeme: term for term in known}
    return list(unique.values()), {wrong: right.word for wrong, right in corrected.items()}


def _corrections(unknown: Sequence[str]) -> dict[str, Word]:
    if not unknown:
        return {}
    near = {word: set(_edits(word)) for word in unknown}
    found = Word.objects.filter(word__in=set().union(*near.values())).order_by("passages")
    # The most frequent comes last and stays.
    return {word: each for each in found for word, edits in near.items() if each.word in edits}


def _edits(word: str) -> Iterator[str]:
    """All strings at one deletion, transposition, replacement or insertion from `word`."""
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        yield from (f"{head}{letter}{tail}" for letter in ascii_lowercase)
        if tail:
            yield head + tail[1:]
            yield from (f"{head}{letter}{tail[1:]}" for letter in ascii_lowercase)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
