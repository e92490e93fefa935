import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.mas.loops import LONGEST_ROUND, without_loop
from workers.core.tests.support import within

LINE = "The answer is 2, as we have seen.\n"


@pytest.mark.parametrize("rounds", [3, 4, 40])
@pytest.mark.parametrize("cut", [0, 1, 17])
def test_one_round_of_a_loop_stays(rounds: int, cut: int) -> None:
    text = "First, think.\n" + LINE * rounds + LINE[:cut]
    short = without_loop(text)
    assert text.startswith(short)
    assert short.count("The answer is 2") == 1
    assert short.startswith("First, think.\nThe answer is 2")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("42\n" + "Answer: 42\n" * 20, "42\nAnswer: 42"),
        ("It is so.\n" + "I am sure.\n" * 20, "It is so.\nI am sure."),
        ("Yes. " + "It is 12. " * 20, "Yes. It is 12."),
        ("so " * 40, "so"),
        ("2" + "0" * 200, "20"),
    ],
)
def test_a_loop_is_cut_where_a_line_or_sentence_ends(text: str, short: str) -> None:
    assert without_loop(text) == short


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Answer: 42",
        LINE * 2,
        LINE * 8 + "But that was wrong: the answer is 3.",
        "1000000000",
        "no no no",
        "\n".join(f"Step {n}: add {n} and {n + 1}." for n in range(60)),
        ("x" * LONGEST_ROUND + "y") * 5,
    ],
)
def test_what_is_no_loop_at_the_end_stays_whole(text: str) -> None:
    assert without_loop(text) == text


@given(st.text(max_size=60), st.text(min_size=1, max_size=30), st.integers(3, 50))
def test_a_loop_never_grows_and_keeps_what_came_before(head: str, unit: str, rounds: int) -> None:
    short = without_loop(head + unit * rounds)
    assert (head + unit * rounds).startswith(short)
    if len(unit.strip()) * (rounds - 1) >= 40 and unit == unit.strip():
        assert len(short) <= len(head + unit * 2)


@pytest.mark.parametrize("unit", ["a", "ab", "a" * 399 + "b", "\n", "ab" * 150 + "c"])
def test_a_message_of_any_length_costs_next_to_nothing(unit: str) -> None:
    text = unit * (400_000 // len(unit))
    with within(0.5):
        without_loop(text)
