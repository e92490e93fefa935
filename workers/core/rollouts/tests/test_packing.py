"""Answers to one prompt share its row, and none sees another."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from workers.core.rollouts.packing import Answer, packs

ids = st.lists(st.integers(1, 9), min_size=1, max_size=6).map(tuple)
answers = st.lists(st.tuples(st.sampled_from([(1, 2, 3), (4,), (5, 6)]), ids), min_size=1)


@given(answers, st.integers(1, 2_000), st.integers(1, 20))
def test_every_answer_is_packed_once_and_told_from_its_own_tokens(
    given_answers: list[Answer], most: int, row: int
) -> None:
    seen: list[int] = []
    for packed in packs(given_answers, pad=0, most=most, row=row):
        seen += packed.answers
        for number, place in enumerate(packed.answers):
            prompt, answer = given_answers[place]
            length = int(packed.present[number].sum())
            assert tuple(packed.tokens[number, :length].tolist()) == answer
            for at in range(length):
                row, column = int(packed.row[number, at]), int(packed.column[number, at])
                visible = packed.sees[row, 0, column].nonzero().flatten()
                read = packed.ids[row, visible].tolist()
                assert read == [*prompt, *answer[:at]]
                assert packed.positions[row, visible].tolist() == list(range(len(read)))
    assert sorted(seen) == list(range(len(given_answers)))


def test_short_answers_share_a_row_and_long_ones_do_not() -> None:
    prompt = tuple(range(1, 101))
    short, long = ([(prompt, (at,) * tokens) for at in range(8)] for tokens in (8, 400))
    assert [len(packed.ids) for packed in packs(short, pad=0, most=10**9)] == [1]
    assert [len(packed.ids) for packed in packs(long, pad=0, most=10**9)] == [8]


def test_a_row_of_several_answers_has_a_limit() -> None:
    answers = [((1, 2, 3), (at, at, at)) for at in range(4, 9)]
    lengths = [len(each.ids[0]) for each in packs(answers, pad=0, most=1, row=7)]
    assert lengths == [7, 7, 5]
    assert [len(each.ids[0]) for each in packs(answers, pad=0, most=1, row=1)] == [5] * 5


def test_what_answers_begin_with_is_computed_once() -> None:
    said = [(5, 6, 7, 8), (5, 6, 7, 9), (5, 6, 1), (2, 2)]
    (packed,) = packs([((1, 2, 3), answer) for answer in said], pad=0, most=10**9)
    assert packed.ids.tolist() == [[1, 2, 3, 2, 5, 6, 7]]
    assert packed.positions.tolist() == [[0, 1, 2, 3, 3, 4, 5]]


def test_a_batch_has_a_limit() -> None:
    many = [((1, 2, at), (3, 4)) for at in range(50)]
    sizes = [packed.ids.shape for packed in packs(many, pad=0, most=100)]
    assert all(rows * length**2 <= 100 for rows, length in sizes)
    assert sum(rows for rows, _ in sizes) == 50
    assert torch.tensor(sizes)[:, 0].min() >= 1
