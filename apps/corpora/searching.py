"""Hybrid search: rankings of documents, fused by their ranks.

- words: Σ idf(term) · ts_rank of the best passage. PostgreSQL's rank of a whole query knows no
  rare words; a sum over its terms, weighted as in BM25, does.
- vectors: cosine of the query and the best passage (all-MiniLM-L6-v2).
- titles: how far the title and the query have the same terms (Dice's coefficient), so that
  “Paris” finds Paris before all that happened there. Titles that are the query are ranked again.

Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a document's score is
Σ 1 / (K + rank). It needs no common scale: ts_rank and cosines have none, and no training. A
document without a vector, or one that shares no word with the query, is still ranked by the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Lower

from apps.corpora.models import Corpus, Document, Passage
from apps.corpora.vectors import QUERIES
from apps.corpora.words import Term, query_terms

K = 60
PAGE_SIZE = 10
MOST_DOCUMENTS = 100
"""Of each ranking."""
NEAREST = 40
"""Passages of the ranking by vectors: as many as pgvector's index looks at by default."""
ENOUGH = 600
"""Passages that are ranked by their words. The rarest terms of a query say which."""
LEAST_ALIKE = 0.6
"""Dice's coefficient of a title and a query. Below it, a title says less than the text."""
QUERY_CHARS = 1_000
CONTENT_CHARS = 600
NOT_LOADED = ("corpus", "no corpus is loaded yet")
LABELS = [0.6, 0.6, 0.8, 1.0]
"""What a word counts in the text (D), nowhere (C), in the heading (B) and in the title (A)."""

BY_WORDS = """
WITH term AS (SELECT * FROM unnest(%(terms)s::tsquery[], %(weights)s::float[]) AS t(term, weight)),
found AS (
    SELECT passage.id, passage.document_id, passage.search
    FROM corpora_passage passage
    WHERE passage.search @@ %(candidates)s::tsquery AND CHOSEN
    LIMIT %(ranked)s
),
ranked AS (
    SELECT found.id, found.document_id,
           (SELECT sum(weight * ts_rank(%(labels)s::real[], found.search, term)) FROM term) score
    FROM found
),
best AS (
    SELECT DISTINCT ON (document_id) document_id, id, score
    FROM ranked ORDER BY document_id, score DESC, id
),
first AS (SELECT * FROM best ORDER BY score DESC, document_id LIMIT %(most)s)
SELECT document_id, first.id, tsvector_to_array(to_tsvector('english', page.title))
FROM first JOIN corpora_document page ON page.id = first.document_id
ORDER BY score DESC, document_id
"""
BY_VECTOR = """
SELECT passage.document_id, passage.id
FROM corpora_passagevector embedded JOIN corpora_passage passage ON passage.id = passage_id
WHERE CHOSEN
ORDER BY embedded.vector <#> %(vector)s::vector LIMIT %(nearest)s
"""
OF_CORPORA = (
    "passage.document_id IN (SELECT id FROM corpora_document WHERE corpus_id = ANY(%(chosen)s))"
)


@dataclass(frozen=True, slots=True)
class Result:
    passage: Passage
    score: float
    position: int

    @property
    def document(self) -> Document:
        return self.passage.document

    @property
    def content(self) -> str:
        text = " ".join(self.passage.text.split())
        heading = self.passage.heading
        if heading and heading != self.document.description:
            text = f"{heading}: {text}"
        if len(text) <= CONTENT_CHARS:
            return text
        return text[:CONTENT_CHARS].rsplit(" ", 1)[0] + " …"


@dataclass(frozen=True, slots=True)
class Answer:
    """`results`: one page of `count` ranked documents. `correction` is the query as it was looked
    for, "" if it was taken as it is. `problems`: what could not take part, and why."""

    query: str
    results: list[Result] = field(default_factory=list)
    count: int = 0
    correction: str = ""
    problems: tuple[tuple[str, str], ...] = ()


def search(query: str, *, page: int = 1, corpora: Sequence[str] = ()) -> Answer:
    """One page of the documents that fit the query best. `corpora`: keys. Where none of them is
    stored, as where there are none, all corpora are searched."""
    loaded = Corpus.objects.filter(removed_at=None).values_list("key", "pk", "passages")
    stored = {key: (pk, passages) for key, pk, passages in loaded}
    if not stored:
        return Answer(query, problems=(NOT_LOADED,))
    chosen = [stored[key][0] for key in corpora if key in stored] or None
    total = sum(passages for _, passages in stored.values())
    text = _cleaned(query)
    terms, corrections = query_terms(text)
    looked_for = " ".join(corrections.get(word.lower(), word) for word in text.split())
    embedding = QUERIES.soon(looked_for)
    by_words = _by_words(terms, total, chosen)
    titles, exactly = _by_title(by_words, terms), _titled(looked_for, chosen)
    vector = embedding.result()
    by_vector = _by_vector(vector, chosen) if vector else {}
    scores = fused(by_words, by_vector, titles, exactly)
    ranked = sorted(scores, key=lambda document: (-scores[document], document))
    quoted = by_vector | {document: found.passage for document, found in by_words.items()}
    first = (page - 1) * PAGE_SIZE
    return Answer(
        query=query,
        results=_results(ranked[first : first + PAGE_SIZE], scores, quoted, first),
        count=len(ranked),
        correction=looked_for if corrections else "",
        problems=() if vector else (("vectors", "the model is not loaded yet"),),
    )


def fused(*rankings: Iterable[int]) -> dict[int, float]:
    """Σ 1 / (K + rank) of everything that is ranked, best first; the first rank is 1."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, 1):
            scores[document] = scores.get(document, 0.0) + 1 / (K + rank)
    return scores


@dataclass(frozen=True, slots=True)
class _ByWords:
    """The best passage of a document, and the lexemes of its title."""

    passage: int
    title: frozenset[str]


def _cleaned(query: str) -> str:
    """As PostgreSQL takes it."""
    text = query[:QUERY_CHARS].encode("utf-8", "replace").decode().replace("\0", " ")
    return " ".join(text.split())


def _by_words(terms: Sequence[Term], total: int, chosen: list[int] | None) -> dict[int, _ByWords]:
    """By document, best first."""
    if not terms:
        return {}
    values = {
        "terms": [_quoted(term.lexeme) for term in terms],
        "weights": [term.weight(total) for term in terms],
        "candidates": " | ".join(map(_quoted, _telling(terms))),
        "ranked": 2 * ENOUGH,
        "labels": LABELS,
        "most": MOST_DOCUMENTS,
        "chosen": chosen,
    }
    found = _rows(BY_WORDS, chosen, values)
    return {document: _ByWords(passage, frozenset(title)) for document, passage, title in found}


def _telling(terms: Sequence[Term]) -> list[str]:
    """The rarest terms, which together have about `ENOUGH` passages."""
    found: list[str] = []
    passages = 0
    for term in sorted(terms, key=lambda term: term.passages):
        if found and passages + term.passages > ENOUGH:
            break
        passages += term.passages
        found.append(term.lexeme)
    return found


def _quoted(lexeme: str) -> str:
    """A tsquery of this lexeme alone, whatever its characters are."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _by_vector(vector: Sequence[float], chosen: list[int] | None) -> dict[int, int]:
    """The nearest passage by document, nearest first."""
    values = {"vector": str(list(vector)), "nearest": NEAREST, "chosen": chosen}
    rows = _rows(BY_VECTOR, chosen, values)
    nearest: dict[int, int] = {}
    for document, passage in rows:
        nearest.setdefault(document, passage)
    return nearest


def _rows(sql: str, chosen: list[int] | None, values: dict[str, Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql.replace("CHOSEN", OF_CORPORA if chosen else "TRUE"), values)
        rows: list[Any] = cursor.fetchall()
        return rows


def _titled(query: str, chosen: list[int] | None) -> list[int]:
    """Documents with exactly this title, which may be of stop words alone (“The Who”)."""
    found = Document.objects.annotate(lower=Lower("title")).filter(lower=query.lower())
    if chosen:
        found = found.filter(corpus__in=chosen)
    return list(found.order_by("id").values_list("id", flat=True)[:PAGE_SIZE])


def _by_title(found: Mapping[int, _ByWords], terms: Sequence[Term]) -> list[int]:
    """Documents whose titles have about the terms of the query, by Dice's coefficient; where it is
    equal, in the order of `found`."""
    asked = {term.lexeme for term in terms}
    dice = {
        document: 2 * len(asked & each.title) / (len(asked) + len(each.title))
        for document, each in found.items()
    }
    alike = (document for document in dice if dice[document] >= LEAST_ALIKE)
    return sorted(alike, key=lambda document: -dice[document])


def _results(
    page: Sequence[int], scores: Mapping[int, float], quoted: Mapping[int, int], first: int
) -> list[Result]:
    """A document that no passage was found of is quoted from its beginning."""
    wanted = Q(pk__in=[quoted[document] for document in page if document in quoted])
    if untold := set(page) - quoted.keys():
        wanted |= Q(document__in=untold, position=0)
    found = Passage.objects.filter(wanted).select_related("document__corpus")
    passages = {passage.document_id: passage for passage in found.defer("search", "document__text")}
    return [
        Result(passages[document], scores[document], place)
        for place, document in enumerate(page, first + 1)
        if document in passages
    ]
