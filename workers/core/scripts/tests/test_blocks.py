"""What each block means: who speaks, who reads what, and whose message is left."""

import random
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from workers.core.scripts import blocks
from workers.core.scripts.blocks import (
    Block,
    BlockError,
    Message,
    Playing,
    agent,
    alike,
    conditional,
    debate,
    ensemble,
    graph,
    loop,
    reflection,
    route,
    router,
    sequence,
    size,
    verdict,
)
from workers.core.scripts.tests.support import one, played, saying, several

RIGHT = "Verdict: correct"
WRONG = "Too low.\nVerdict: incorrect"


# One agent


def test_an_agent_speaks_once_and_reads_what_it_is_given() -> None:
    said = played(one("A"), saying({"A": "it is 7"}), (Message("", "a hint"),))
    assert (said.who, said.reads("A")) == ("A", ["a hint"])
    assert (said.result.text, said.result.answer, said.result.number) == ("it is 7", "7", 1)


def test_a_failed_agent_leaves_an_unusable_message() -> None:
    assert not played(one("A"), saying({"A": None})).result.usable


def test_an_unusable_message_is_read_by_nobody() -> None:
    failed = Message("B", "nonsense", usable=False)
    assert played(one("A"), saying({"A": "7"}), (failed,)).reads("A") == []


def test_an_agent_remembers_its_line() -> None:
    made = agent("A", "p")
    other = agent("A", "p", line=40)
    assert made.line == test_an_agent_remembers_its_line.__code__.co_firstlineno + 1
    assert other.line == 40


def test_blocks_cannot_be_changed_and_are_equal_only_to_themselves() -> None:
    first, second = one("A"), one("A")
    assert first != second
    with pytest.raises(FrozenInstanceError):
        first.name = "B"  # type: ignore[misc]  # that is what is tested


# Ensembles


@pytest.mark.parametrize(
    ("answers", "delivered"),
    [
        (["x 1", "x 2", "y 2"], "x 2"),
        (["x 1", "x 2"], "x 1"),  # a tie: the answer given first
        (["x 2", "x 1", "y 1", "y 2"], "x 2"),
        ([None, "x 2", "x 1", "y 1"], "x 1"),
        ([None, None, "x 3"], "x 3"),
        (["", "", "x 3"], "x 3"),  # abstentions are left out, though there are more
        (["x 7.0", "x 8", "y 7"], "x 7.0"),  # 7.0 is 7
    ],
)
def test_the_majority(answers: Sequence[str | None], delivered: str) -> None:
    names = [f"A{place}" for place in range(len(answers))]
    team = ensemble(several(" ".join(names)))
    said = played(team, saying(dict(zip(names, answers, strict=True))))
    assert said.result.text == delivered
    assert said.who == " ".join(names)


def test_without_any_answer_the_majority_is_the_first_message() -> None:
    def silent(call: object) -> Message:
        return Message("A", "hm")

    assert played(ensemble(several("A B")), silent).result.text == "hm"


def test_an_ensemble_whose_agents_all_failed_is_unusable() -> None:
    for way in ("majority", "consensus"):
        team = ensemble(several("A B"), by=way)
        assert not played(team, saying({"A": None, "B": None})).result.usable
    judged = ensemble(several("A B"), by="judge", judge=one("J"))
    said = played(judged, saying({"A": None, "B": None, "J": "9"}))
    assert (said.who, said.result.usable) == ("A B", False)


def test_members_of_an_ensemble_wait_at_the_same_time() -> None:
    playing = Playing(ensemble([*several("A B"), sequence(*several("C D"))]))
    assert [call.agent.name for call in playing.waiting().values()] == ["A", "B", "C"]


def test_weights_count() -> None:
    team = ensemble(several("A B C"), by="weighted", weights=[3, 1, 1])
    assert played(team, saying({"A": "1", "B": "2", "C": "2"})).result.answer == "1"
    even = ensemble(several("A B C"), by="weighted", weights=[2, 1, 1])
    assert played(even, saying({"A": "1", "B": "2", "C": "2"})).result.answer == "1"
    tie = ensemble(several("A B C"), by="weighted", weights=[0.3, 0.1, 0.2])
    assert played(tie, saying({"A": "1", "B": "2", "C": "2"})).result.answer == "1"
    light = ensemble(several("A B"), by="weighted", weights=[0, 0.5])
    assert played(light, saying({"A": "1", "B": "2"})).result.answer == "2"


def test_consensus_ends_once_all_agree() -> None:
    team = ensemble(several("A B"), by="consensus", rounds=3)
    said = played(team, saying({"A": ["1", "2"], "B": ["2"]}))
    assert said.who == "A B A B"
    assert said.reads("A", 1) == ["1", "2"]
    assert said.result.answer == "2"


def test_consensus_at_once_asks_nobody_again() -> None:
    team = ensemble(several("A B C"), by="consensus")
    said = played(team, saying({"A": "so 5", "B": "it is 5.0", "C": None}))
    assert (said.who, said.result.text) == ("A B C", "so 5")


def test_an_abstention_is_no_agreement() -> None:
    team = ensemble(several("A B"), by="consensus", rounds=1)
    assert played(team, saying({"A": "5", "B": ["", "5"]})).who == "A B A B"


def test_without_consensus_the_majority_counts_after_the_rounds() -> None:
    team = ensemble(several("A B C"), by="consensus", rounds=2)
    said = played(team, saying({"A": "1", "B": "2", "C": "2"}))
    assert (said.who, said.result.answer) == ("A B C " * 2 + "A B C", "2")
    none = ensemble(several("A B"), by="consensus", rounds=0)
    assert played(none, saying({"A": "1", "B": "2"})).who == "A B"


def test_what_one_said_stands_if_it_fails_later() -> None:
    team = ensemble(several("A B C"), by="consensus", rounds=1)
    said = played(team, saying({"A": ["1"], "B": ["2", None], "C": ["2", None]}))
    assert said.result.answer == "2"


def test_a_judge_reads_all_and_has_the_last_word() -> None:
    team = ensemble(several("A B C"), by="judge", judge=one("J"))
    said = played(
        team, saying({"A": "1", "B": None, "C": "2", "J": "so 3"}), (Message("", "hint"),)
    )
    assert said.reads("J") == ["hint", "1", "2"]
    assert said.result.text == "so 3"


def test_if_the_judge_fails_the_majority_counts() -> None:
    team = ensemble(several("A B C"), by="judge", judge=one("J"))
    assert played(team, saying({"A": "1", "B": "2", "C": "2", "J": None})).result.answer == "2"


def test_equality_of_answers_is_asked_of_the_hook() -> None:
    def all_equal(answers: Sequence[str]) -> list[list[int]]:
        return [list(range(len(answers)))]

    playing = Playing(ensemble(several("A B C")), same=all_equal)
    for number, text in enumerate(["1", "2", "2"], 1):
        playing.answer(number, Message("", text, text))
    assert playing.result is not None
    assert playing.result.answer == "1"


def test_equal_texts_and_numbers_are_alike() -> None:
    assert alike(["Paris.", "1,000", "paris", "$1000.0", "nan", "inf", "NaN"]) == [
        *([0, 2], [1, 3], [4, 6], [5])
    ]


# Reflection and verdicts


def test_the_worker_revises_until_the_critic_agrees() -> None:
    team = reflection(one("W"), one("C"), rounds=3)
    said = played(team, saying({"W": ["1", "2"], "C": [WRONG, RIGHT]}))
    assert said.who == "W C W C"
    assert said.reads("C") == ["1"]
    assert said.reads("W", 1) == ["1", WRONG]
    assert said.calls[1].wanted.kind == "verdict"
    assert "Verdict: correct" in said.calls[1].asks
    assert (said.calls[0].asks, said.result.answer) == ("", "2")


def test_at_most_rounds_critiques() -> None:
    team = reflection(one("W"), one("C"), rounds=2)
    said = played(team, saying({"W": ["1", "2", "3"], "C": WRONG}))
    assert (said.who, said.result.answer) == ("W C W C W", "3")
    assert played(reflection(one("W"), one("C"), rounds=0), saying({"W": "1"})).who == "W"


@pytest.mark.parametrize(
    ("replies", "who", "answer"),
    [
        ({"W": None}, "W", None),
        ({"W": "1", "C": None}, "W C", "1"),
        ({"W": ["1", None], "C": WRONG}, "W C W", "1"),
    ],
)
def test_failures_in_a_reflection(
    replies: dict[str, Sequence[str | None] | str | None], who: str, answer: str | None
) -> None:
    said = played(reflection(one("W"), one("C")), saying(replies))
    assert (said.who, said.result.answer) == (who, answer)


def test_critics_may_vote() -> None:
    team = reflection(one("W"), ensemble(several("C D E")))
    said = played(team, saying({"W": "1", "C": RIGHT, "D": WRONG, "E": RIGHT}))
    assert said.who == "W C D E"
    assert [call.wanted.kind for call in said.calls] == ["answer", *["verdict"] * 3]


def test_in_a_sequence_only_the_last_is_asked_for_the_verdict() -> None:
    team = reflection(one("W"), sequence(*several("C D")))
    said = played(team, saying({"W": "1", "C": WRONG, "D": RIGHT}))
    assert [call.wanted.kind for call in said.calls] == ["answer", "answer", "verdict"]


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ("Verdict: correct", True),
        ("verdict: CORRECT.", True),
        ("Verdict: **correct**.", True),
        ("**Verdict:** correct", True),
        ("- Final verdict: correct, well done", True),
        ("Verdict: \\boxed{\\text{correct}}", True),
        ("Verdict: incorrect\nI looked again.\nVerdict: correct", True),
        ("Verdict: correct\n\nThat is all.", True),
        ("Verdict: INCORRECT", False),
        ("Verdict: correct or incorrect", False),
        ("Verdict: correct\nVerdict: incorrect", False),
        ("Verdict: not correct", False),
        ("Verdict: isn't correct", False),
        ("Verdict: this doesn\u2019t look correct", False),
        ("Verdict: it can't be correct", False),
        ("Verdict: it cannot be correct", False),
        ("Verdict: unable to say that it is correct", False),
        ("Verdict: partially correct", False),
        ("Verdict: correctness", False),
        ("Verdict:", False),
        ("Verdict: correct, no mistakes", True),
        ("Verdict: correct because it isn't wrong", True),
        ("Verdict:\ncorrect", True),
        ("**Verdict:**\n\n**Correct.**", True),
        ("Verdict — correct", True),
        ("Verdict - correct", True),
        ("Verdict: correct—well done", True),
        ("Verdict: correct\nI was verdict-minded.", True),
        ("Verdict: in correct", False),
        ("Verdict: far from correct", False),
        ("Verdict: only half correct", False),
        ("Verdict: anything but correct", False),
        ("Verdict: less than correct", False),
        ("Verdict: would be correct if it were 7", False),
        ("Verdict: correct/incorrect", False),
        ("Verdict:\nincorrect", False),
        ("Verdict:\n\nI am not sure. It is correct.", False),
        ("Verdict - incorrect", False),
        ("Verdict: correct-ish", False),
        ("The verdict is correct", False),
        ("The answer is correct.", False),
        ("correct", False),
        ("", False),
    ],
)
def test_verdicts(text: str, correct: bool) -> None:
    assert verdict(text) is correct


# Debate


def test_debaters_read_each_other_and_a_judge_decides() -> None:
    team = debate(several("A B"), judge=one("J"), rounds=1)
    said = played(team, saying({"A": ["1", "2"], "B": ["3", "4"], "J": "2"}))
    assert said.who == "A B A B J"
    assert said.reads("A", 1) == said.reads("B", 1) == ["1", "3"]
    assert said.reads("J") == ["2", "4"]


def test_a_debate_without_a_judge_ends_in_a_vote() -> None:
    said = played(debate(several("A B C")), saying({"A": "1", "B": "2", "C": ["1", "2"]}))
    assert (said.who, said.result.answer) == ("A B C " * 2 + "A B C", "2")


def test_a_debate_goes_on_without_those_who_failed() -> None:
    team = debate(several("A B"), rounds=1)
    said = played(team, saying({"A": None, "B": ["1", "2"]}))
    assert (said.reads("A", 1), said.result.answer) == (["1"], "2")
    assert played(team, saying({"A": None, "B": None})).who == "A B"


# Routes


def test_the_route_that_is_named_answers_and_reads_the_question_alone() -> None:
    team = router(one("R"), {"math": one("M"), "code": one("C")})
    said = played(team, saying({"R": "Hm.\nRoute: Code", "C": "1"}))
    assert (said.who, said.reads("C")) == ("R C", [])
    assert said.calls[0].wanted.choices == ("math", "code")
    assert "math, code" in said.calls[0].asks


@pytest.mark.parametrize(
    ("text", "who"),
    [("no idea", "R O"), (None, "R O"), ("Route: art", "R O"), ("it is math", "R M")],
)
def test_without_a_route_the_other_one_answers(text: str | None, who: str) -> None:
    team = router(one("R"), {"math": one("M"), "code": one("C")}, otherwise=one("O"))
    assert played(team, saying({"R": text, "M": "1", "O": "2"})).who == who


def test_without_another_one_the_first_route_answers() -> None:
    team = router(one("R"), {"math": one("M"), "code": one("C")})
    assert played(team, saying({"R": None, "M": "1"})).who == "R M"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Route: math", "math"),
        ("**Route:** `math`.", "math"),
        ("Route: code\nRoute: math", "math"),
        ("Route: advanced math", "advanced math"),
        ("Route: the math one", "math"),
        ("Route: math or code", None),
        ("This is about code.", "code"),
        ("Not math but code", None),
        ("aftermath, decode", None),
        ("", None),
    ],
)
def test_labels(text: str, label: str | None) -> None:
    assert route(text, ("math", "code", "advanced math")) == label


def test_routers_may_vote() -> None:
    team = router(ensemble(several("P Q R")), {"math": one("M"), "code": one("C")})
    said = played(
        team, saying({"P": "Route: code", "Q": "Route: math", "R": "Route: code", "C": "1"})
    )
    assert said.who == "P Q R C"


# Containers


def test_in_a_sequence_each_reads_the_message_before_it() -> None:
    said = played(
        sequence(*several("A B C")), saying({"A": "1", "B": "2", "C": "3"}), (Message("", "hint"),)
    )
    assert (said.reads("A"), said.reads("B"), said.reads("C")) == (["hint"], ["1"], ["2"])
    assert said.result.answer == "3"


def test_a_sequence_passes_over_what_failed() -> None:
    said = played(sequence(*several("A B C")), saying({"A": "1", "B": None, "C": "3"}))
    assert said.reads("C") == ["1"]
    assert played(sequence(*several("A B")), saying({"A": "1", "B": None})).result.answer == "1"
    assert not played(sequence(*several("A B")), saying({"A": None, "B": None})).result.usable


def test_a_condition_on_what_was_said() -> None:
    team = sequence(one("A"), conditional(lambda said: "sure" in said.text, one("B"), one("C")))
    assert played(team, saying({"A": "sure 1", "B": "2"})).who == "A B"
    other = played(team, saying({"A": "maybe 1", "C": "2"}))
    assert (other.who, other.reads("C")) == ("A C", ["maybe 1"])


def test_a_condition_without_another_way_leaves_the_message_before() -> None:
    team = sequence(one("A"), conditional(lambda said: False, one("B")))
    assert played(team, saying({"A": "1"})).result.answer == "1"
    assert not played(conditional(lambda said: False, one("B")), saying({})).result.usable


def test_a_condition_on_the_question() -> None:
    team = conditional(lambda said: said.text == "How many?", one("B"))
    assert played(team, saying({"B": "1"})).who == "B"


@pytest.mark.parametrize(("text", "who"), [(RIGHT, "T A"), (WRONG, "T B"), (None, "T B")])
def test_a_condition_on_a_verdict(text: str | None, who: str) -> None:
    team = conditional(one("T"), one("A"), one("B"))
    said = played(team, saying({"T": text, "A": "1", "B": "2"}), (Message("", "draft"),))
    assert said.who == who
    assert said.reads("T") == ["draft"]
    assert said.reads(who[-1]) == ["draft", *([text] if text else [])]


def test_a_loop_ends_once_its_test_holds() -> None:
    team = loop(one("A"), until=lambda said: said.answer == "3", most=5)
    said = played(team, saying({"A": ["1", "2", "3", "4"]}))
    assert (said.who, said.result.answer, said.reads("A", 2)) == ("A A A", "3", ["2"])


def test_a_loop_asks_its_body_at_most_so_often() -> None:
    asked: list[str] = []

    def never(said: Message) -> bool:
        asked.append(said.text)
        return False

    assert (
        played(loop(one("A"), until=never, most=3), saying({"A": ["1", "2", "3"]})).who == "A A A"
    )
    assert asked == ["1", "2"]


def test_a_loop_until_a_verdict() -> None:
    said = played(loop(one("A"), until=one("T")), saying({"A": ["1", "2"], "T": [WRONG, RIGHT]}))
    assert (said.who, said.reads("A", 1), said.result.answer) == ("A T A T", ["1", WRONG], "2")


def test_a_loop_whose_body_fails_keeps_what_it_had() -> None:
    team = loop(one("A"), until=lambda said: False)
    assert played(team, saying({"A": ["1", None]})).result.answer == "1"
    assert played(team, saying({"A": None})).who == "A"


def test_a_graph_reads_along_its_edges() -> None:
    nodes = dict(zip("abcd", several("A B C D"), strict=True))
    team = graph(nodes, [("a", "c"), ("b", "c"), ("c", "d")])
    said = played(team, saying({"A": "1", "B": "2", "C": "3", "D": "4"}), (Message("", "hint"),))
    assert (said.reads("A"), said.reads("C"), said.reads("D")) == (["hint"], ["1", "2"], ["3"])
    assert said.result.answer == "4"


def test_each_node_starts_as_soon_as_it_can() -> None:
    nodes = dict(zip("abcd", several("A B C D"), strict=True))
    playing = Playing(graph(nodes, [("a", "b"), ("c", "d")], output="b"))
    assert [call.agent.name for call in playing.waiting().values()] == ["A", "C"]
    playing.answer(1, Message("A", "1"))
    assert {n: call.agent.name for n, call in playing.waiting().items()} == {2: "C", 3: "B"}
    playing.answer(3, Message("B", "2"))
    assert playing.result is None  # all of a graph is played
    playing.answer(2, Message("C", "3"))
    playing.answer(4, Message("D", "4"))
    assert playing.result is not None
    assert playing.result.text == "2"


def test_a_node_whose_sources_failed_reads_what_the_graph_reads() -> None:
    team = graph({"a": one("A"), "b": one("B")}, [("a", "b")])
    said = played(team, saying({"A": None, "B": "2"}), (Message("", "hint"),))
    assert (said.reads("B"), said.result.answer) == (["hint"], "2")


def test_blocks_may_be_in_each_other() -> None:
    pair = reflection(one("W"), one("C"), rounds=1)
    team = sequence(ensemble([pair, one("A")]), conditional(one("T"), one("F")))
    said = played(team, saying({"W": ["1", "2"], "C": WRONG, "A": "2", "T": RIGHT, "F": "3"}))
    assert said.who == "W A C W T F"
    assert said.result.answer == "3"


def test_a_call_names_the_lines_around_it_from_outside_in() -> None:
    inner = ensemble([agent("A", "p", line=5)], line=4)
    playing = Playing(sequence(inner, line=3), lines=(2,))
    assert playing.waiting()[1].lines == (2, 3, 4)


# The order


def replies_in(order: random.Random, team: Block) -> list[tuple[int, str]]:
    """Numbers and names, in the order in which the calls came up."""
    playing, seen = Playing(team), dict[int, str]()
    while playing.result is None:
        waiting = playing.waiting()
        seen |= {number: call.agent.name for number, call in waiting.items()}
        number = order.choice(sorted(waiting))
        playing.answer(number, Message(waiting[number].agent.name, "Verdict: incorrect", "1"))
    return sorted(seen.items())


def test_the_same_order_of_replies_gives_the_same_numbers() -> None:
    def team() -> Block:
        votes = ensemble([reflection(one("W"), one("C")), debate(several("A B"), rounds=1)])
        return graph({"v": votes, "x": one("X"), "y": one("Y")}, [("x", "y"), ("v", "y")])

    for seed in range(20):
        first, second = (replies_in(random.Random(seed), team()) for _ in range(2))
        assert first == second
        assert [number for number, _ in first] == list(range(1, len(first) + 1))


def test_an_unknown_or_answered_number_is_refused() -> None:
    playing = Playing(ensemble(several("A B")))
    playing.answer(1, Message("A", "1"))
    for number in (1, 3, 0, -1):
        with pytest.raises(KeyError):
            playing.answer(number, Message("A", "1"))


# Bad arguments


A = agent("A", "p")
M = Message("A", "1")
wrongly: Any = blocks
"""Without types, as a script calls them."""


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: agent("", "p"), "The name of an agent is empty."),
        (lambda: agent("\u200b", "p"), "has the invisible character U+200B. Leave it out."),
        (lambda: agent("So\u202elver", "p"), "has the invisible character U+202E"),
        (lambda: agent("A\nB", "p"), "has the invisible character U+000A"),
        (lambda: agent("A\ud800", "p"), "has the invisible character U+D800"),
        (lambda: agent("\u3164", "p"), "has the invisible character U+3164"),
        (lambda: wrongly.agent("A", 3), "The prompt of 'A' is a text, not int."),
        (lambda: agent("A", "p" * 8_001), "8,001 characters. At most 8,000"),
        (lambda: agent("A", "p", tools="python"), 'is a list, such as ["python"]'),
        (lambda: wrongly.agent("A", "p", tools=[3]), "A tool of 'A' is a text"),
        (lambda: agent("A", "p", temperature=-1), "temperature of 'A' is from 0 to 2."),
        (lambda: agent("A", "p", temperature=float("nan")), "temperature of 'A' is from 0 to 2."),
        (lambda: agent("A", "p", turns=0), "turns of 'A' is from 1 to 32."),
        (lambda: agent("A", "p", turns=True), "turns of 'A' is a whole number, not bool."),
        (lambda: ensemble([]), "An ensemble needs at least one block."),
        (lambda: wrongly.ensemble(A), "The members of an ensemble are one list"),
        (lambda: ensemble([A] * 65), "has 65 blocks. At most 64"),
        (lambda: ensemble([ensemble([A] * 40)] * 2), "has 80 agents. At most 64"),
        (lambda: wrongly.ensemble([M]), "it has been asked already"),
        (lambda: ensemble([A], by="vote"), "by is one of majority, weighted, consensus, judge"),
        (lambda: ensemble([A], by="judge"), 'has a judge if by="judge"'),
        (lambda: ensemble([A], judge=A), 'has a judge if by="judge"'),
        (lambda: ensemble([A], by="weighted"), 'has weights if by="weighted"'),
        (lambda: ensemble([A], weights=[1]), 'has weights if by="weighted"'),
        (lambda: ensemble([A], by="weighted", weights=[1, 2]), "2 weights for 1 members"),
        (lambda: ensemble([A], by="weighted", weights=[0]), "All weights are 0"),
        (lambda: ensemble([A], by="weighted", weights=[-1]), "A weight is from 0"),
        (lambda: ensemble([A], rounds=-1), "rounds is from 0 to 10."),
        (lambda: wrongly.reflection(A, "critic"), "The critic is a block, not str."),
        (lambda: reflection(A, A, rounds=11), "rounds is from 0 to 10."),
        (lambda: debate([]), "A debate needs at least one block."),
        (lambda: router(A, {}), "routes has no block"),
        (lambda: wrongly.router(A, [A]), "routes is a dict"),
        (lambda: router(A, {"a": A, "A": A}), "'a', 'A' can't be told apart"),
        (sequence, "A sequence needs at least one block."),
        (lambda: wrongly.sequence([A]), "sequence(a, b) or sequence(*list)"),
        (lambda: wrongly.conditional("yes", A), "a block or a function"),
        (lambda: loop(A, until=A, most=0), "most is from 1 to 20."),
        (lambda: wrongly.loop(A, until=True), "a block or a function"),
        (lambda: graph({}), "has no block"),
        (lambda: graph({"a": A, "b": A}), "Several blocks are last: a, b. Name one as output."),
        (lambda: graph({"a": A}, [("a", "z")]), "names 'z', which is no node"),
        (lambda: wrongly.graph({"a": A}, [("a",)]), "An edge is a pair"),
        (lambda: graph({"a": A}, [("a", "a")] * 4_097), "4,097 edges. At most 4,096"),
        (lambda: graph({"a": A}, [("a", "a")]), "make a circle: a."),
        (lambda: graph({"a": A, "b": A}, [("a", "b"), ("b", "a")]), "make a circle: a, b."),
        (lambda: graph({"a": A}, output="z"), "output 'z' is no node"),
        (lambda: A("asked"), "only while a script is played"),
    ],
)
def test_a_block_that_cannot_be_says_why(make: Callable[[], object], said: str) -> None:
    with pytest.raises(BlockError) as caught:
        make()
    assert said in str(caught.value)


def test_blocks_are_not_too_deep() -> None:
    block: Block = A
    for _ in range(11):
        block = sequence(block)
    assert size(block) == (1, 12)
    with pytest.raises(BlockError, match="13 deep"):
        sequence(block)


def test_data_has_no_function_in_it() -> None:
    assert loop(A, until=A).is_data
    assert not ensemble([A, loop(A, until=lambda said: True)]).is_data
    assert not conditional(lambda said: True, A).is_data
