"""Queries by hand, and that the splits share no pattern."""

from itertools import combinations

import pytest

from bench.common.teams.queries import (
    KINDS,
    LETTERS,
    TABLES,
    WORDS,
    Kind,
    Query,
    Split,
    draw_queries,
    pairs,
)

SPLITS: tuple[Split, ...] = ("train", "validation", "test")


def test_a_query_by_hand() -> None:
    query = Query("decompose", ("chain", "now", "steps"), ("turn", "lift"), "a")
    middle = TABLES["turn"][0]
    assert query.text == "chain now steps | turn lift a"
    assert query.answer == TABLES["lift"][LETTERS.index(middle)]
    assert Query.of(query.task()) == query


@pytest.mark.parametrize("table", TABLES.values())
def test_an_operation_leads_through_all_letters(table: str) -> None:
    seen, letter = "", "a"
    while letter not in seen:
        seen += letter
        letter = table[LETTERS.index(letter)]
    assert sorted(seen) == sorted(LETTERS)


@pytest.mark.parametrize("kind", KINDS)
def test_splits_share_no_pair_of_words_but_all_words(kind: Kind) -> None:
    for one, other in combinations(SPLITS, 2):
        assert not set(pairs(kind, one)) & set(pairs(kind, other))
    for split in SPLITS:
        assert {word for pair in pairs(kind, split) for word in pair} == set(WORDS[kind])


@pytest.mark.parametrize("split", SPLITS)
def test_two_words_are_of_the_kind_and_the_third_is_not(split: Split) -> None:
    queries = draw_queries(200, seed=3, split=split)
    assert len({query.text for query in queries}) == 200
    for query in queries:
        own = [word for word in WORDS[query.kind] if word in query.words]
        assert tuple(own) in pairs(query.kind, split)
        others = [sum(word in WORDS[kind] for word in query.words) for kind in KINDS]
        assert sorted(others)[-1] == 2
        steps = range(len(query.operations))
        assert all(query.after(step) != query.answer for step in steps)
