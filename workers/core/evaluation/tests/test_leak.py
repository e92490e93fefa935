"""Tasks that a checkpoint was trained on, in several disguises."""

from __future__ import annotations

import time

from workers.core.evaluation.leak import find_leaks, query_hash

MARBLES = "Tom has twice as many marbles as Anna. Together they have 36 marbles. How many has Anna?"


def test_case_spacing_and_punctuation_hide_nothing() -> None:
    disguised = (
        "tom has TWICE as many marbles as Anna\n together they have ３６ marbles; how many has anna"
    )
    assert find_leaks({"t": disguised}, [MARBLES]).same == ("t",)


def test_one_more_word_is_near() -> None:
    found = find_leaks({"t": MARBLES.replace("has Anna?", "has Anna now?")}, [MARBLES])
    assert (found.same, found.near, found.tasks) == ((), ("t",), ("t",))


def test_an_unrelated_task_is_clean() -> None:
    other = "A train travels 180 miles in 3 hours. How far does it go in 5 hours at the same speed?"
    assert find_leaks({"t": other}, [MARBLES]).tasks == ()


def test_short_and_wordless_texts_are_compared_whole() -> None:
    found = find_leaks({"a": "1 + 1?", "b": "1 + 2?", "c": "+ − ×", "d": "÷ ÷"}, ["1+1", "+ − ×"])
    assert found.same == ("a", "c")
    assert found.near == ()


def test_nothing_to_compare_with_leaks_nothing() -> None:
    assert find_leaks({"t": MARBLES}, []).tasks == ()
    assert find_leaks({}, [MARBLES]).tasks == ()


def test_a_hash_is_the_same_in_every_process() -> None:
    assert query_hash("Hello,  World!") == query_hash("hello world")
    assert query_hash("hello world") == "e9a804b2e527fd3601d2ffc0bb023cd6"


def test_a_phrase_of_the_whole_data_set_is_no_leak_and_costs_little() -> None:
    phrase = "Please answer the following question with a single number and nothing else"
    training = [f"{phrase}: what is the sum of {n} and {n + 1}?" for n in range(8_000)]
    began = time.perf_counter()
    found = find_leaks({"t": f"{phrase}: who wrote the old song of the sea in 1820?"}, training)
    assert found.tasks == ()
    assert time.perf_counter() - began < 5
