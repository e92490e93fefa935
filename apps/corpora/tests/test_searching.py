"""Which documents a query finds first, by words, titles, vectors and slips of the pen."""

from collections.abc import Iterator

import pytest

from apps.corpora.searching import fused, search
from apps.corpora.sources.base import Found, Source
from apps.corpora.sources.factbook import Factbook
from apps.corpora.sources.wikipedia import Wikipedia
from apps.corpora.tests.conftest import Load
from apps.corpora.vectors import QUERIES, QueryEmbedder, passages_embed
from bench.common.corpus_questions import FACTS, PARAPHRASES, SLIPS, TITLES

WANTED = {title for _, titles in (*TITLES, *PARAPHRASES, *FACTS, *SLIPS) for title in titles}


def titles(query: str, page: int = 1) -> list[str]:
    return [result.document.title for result in search(query, page=page).results]


def documents(source: Source) -> Iterator[Found]:
    return (each for each in source.read() if isinstance(each, Found))


@pytest.fixture
def library(load: Load) -> None:
    """What our queries ask for, and every 100th other document."""
    for source in (Wikipedia(), Factbook()):
        load(
            *(
                each
                for number, each in enumerate(documents(source))
                if each.title in WANTED or (number % 100 == 0 and source.key == "wikipedia")
            ),
            key=source.key,
        )


def test_the_right_article_is_first_by_words_alone(library: None, no_vectors: None) -> None:
    for query, right in (*TITLES, *FACTS):
        assert titles(query)[0] in right, query
    for query, right in SLIPS:
        assert right & set(titles(query)[:3]), query


def test_vectors_find_what_is_said_in_other_words(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {title for _, titles in PARAPHRASES for title in titles}
    load(*(each for each in documents(Wikipedia()) if each.title in wanted))
    passages_embed(lambda done, total: None)
    monkeypatch.setattr(QUERIES, "ready_vector", QUERIES.vector)
    for query, right in PARAPHRASES:
        assert right & set(titles(query)[:3]), query
    assert search(PARAPHRASES[0][0]).problems == ()


def test_words_alone_rank_until_the_model_is_loaded(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(Found("tern", "Tern", "A seabird."))
    asked: list[str] = []
    waiting = QueryEmbedder()
    monkeypatch.setattr(waiting, "_load", lambda: asked.append("loaded"))
    monkeypatch.setattr(QUERIES, "ready_vector", waiting.ready_vector)
    assert [titles("tern"), titles("tern")] == [["Tern"], ["Tern"]]
    assert asked == ["loaded"]


def test_fusion_adds_the_inverse_of_ranks() -> None:
    found = fused([1, 2], [2, 3], [])
    assert found == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 62})
