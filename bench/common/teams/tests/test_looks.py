"""What agents see, by hand."""

import random
from collections import Counter

from bench.common.teams.looks import (
    CORRECT,
    INCORRECT,
    NO_SEAL,
    NOISE,
    SEALS,
    Standing,
    best,
    look,
    standing,
    text_of,
)
from bench.common.teams.queries import LETTERS, TABLES, Query
from bench.common.teams.world import said_by
from workers.core.scripts.blocks import ANSWER, VERDICT, Agent, Call, Message

SOLVER = Agent("Solver", "Answer.", line=1)
CHECK = Query("check", ("sealed", "now", "proof"), ("turn",), "a", others=("b", "c"))
CHAIN = Query("decompose", ("chain", "now", "steps"), ("turn", "lift"), "a")


def said(letter: str, steps: int, *refused: str) -> Message:
    return Message("Solver", text_of(letter, steps, refused), letter)


def asked(*reads: Message, verdict: bool = False) -> Call:
    return Call(SOLVER, reads, VERDICT if verdict else ANSWER)


REFUSED = Message("Critic", INCORRECT, "incorrect")


def test_a_verdict_against_a_letter_undoes_it() -> None:
    assert standing(()) == Standing()
    assert standing((said("b", 1),)) == Standing("b", 1)
    assert standing((said("b", 1), REFUSED)) == Standing(None, 0, ("b",))
    assert standing((said("c", 2, "b"), REFUSED)) == Standing(None, 0, ("b", "c"))
    before = said("d", 1)
    assert standing((before, said("b", 2), REFUSED)) == Standing("d", 1, ("b",))
    nothing = Message("Solver", "turn", None)
    assert standing((before, nothing)) == Standing("d", 1)


def test_an_agent_goes_on_with_what_it_reads_and_after_the_end_too_far() -> None:
    generator = random.Random(0)
    middle = TABLES["turn"][0]
    assert look(CHAIN, asked(), generator) == ("do", "turn", "a")
    assert look(CHAIN, asked(said(middle, 1)), generator) == ("do", "lift", middle)
    assert best(("do", "lift", middle)) == CHAIN.answer
    far = look(CHAIN, asked(said(CHAIN.answer, 2)), generator)
    assert far == ("do", "lift", CHAIN.answer)
    assert best(far) != CHAIN.answer


def test_what_was_refused_is_not_picked_again() -> None:
    first = look(CHECK, asked(), random.Random(0))
    assert first[0] == "pick"
    assert sorted(first[1:]) == sorted(CHECK.candidates)
    again = look(CHECK, asked(said("b", 1), REFUSED), random.Random(0))
    assert again[4:] == ("not", "b")
    assert best(("pick", "b", "c", "a", "not", "b")) == "c"
    assert said_by(asked(said("b", 1), REFUSED), "c").text == "c after 1, not b"


def test_a_critic_sees_seals_of_queries_to_check_alone() -> None:
    right, wrong = CHECK.answer, CHECK.others[0]
    seal = SEALS[LETTERS.index(right)]
    told = look(CHECK, asked(said(right, 1), verdict=True), random.Random(0))
    assert (told, best(told)) == (("judge", seal, seal), CORRECT)
    assert best(look(CHECK, asked(said(wrong, 1), verdict=True), random.Random(0))) == INCORRECT
    other = look(CHAIN, asked(said(wrong, 1), verdict=True), random.Random(0))
    assert (other, best(other)) == (("judge", NO_SEAL, wrong), CORRECT)


def test_looks_at_a_query_to_vote_are_blurred_independently() -> None:
    query = Query("vote", ("faint", "now", "noisy"), ("turn",), "a")
    generator = random.Random(0)
    shown = Counter(look(query, asked(), generator)[2] for _ in range(4_000))
    assert abs(shown["a"] / 4_000 - (1 - NOISE)) < 0.03
    assert set(shown) == set(LETTERS)
