"""Whose answer to a subtask counts: by reward, and by a vote within a tolerance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.mas.outcome import AgentOutcome
from workers.core.methods.reso.choosing import best_rewarded, groups_of
from workers.core.methods.reso.rewards import Reward, unjudged


def said(*answers: str | None) -> list[AgentOutcome]:
    return [
        AgentOutcome(f"a{place}", "Solver", "I say.", answer)
        for place, answer in enumerate(answers)
    ]


def grouped(*answers: str | None, tolerance: float = 0.05) -> list[tuple[int, ...]]:
    return [group.places for group in groups_of(said(*answers), tolerance=tolerance)]


@pytest.mark.parametrize(
    ("values", "best"),
    [
        ((0.2, 0.9, 0.4), 1),
        ((0.9, 0.9), 0),
        ((0.0, 0.0), 0),
        ((None, 0.0, 0.0), 1),
        ((None, 0.3), 1),
        ((None, None), None),
        ((), None),
    ],
)
def test_the_highest_reward_decides_and_of_equals_the_better_ranked(
    values: tuple[float | None, ...], best: int | None
) -> None:
    rewards = [unjudged("?") if value is None else Reward(value) for value in values]
    assert best_rewarded(rewards) == best


def test_numbers_within_the_tolerance_are_one_and_most_agents_win() -> None:
    assert grouped("7", "42", "43 dollars", "$42.0") == [(1, 2, 3), (0,)]
    assert groups_of(said("7", "42", "43"))[0].answer == "42"


def test_of_groups_as_large_the_better_ranked_wins() -> None:
    assert grouped("7", "42") == [(0,), (1,)]


def test_without_a_tolerance_only_what_is_equal_is_one() -> None:
    assert grouped("42", "42.0", "43", tolerance=0.0) == [(0, 1), (2,)]


def test_a_group_does_not_drift_from_member_to_member() -> None:
    assert grouped("100", "104", "108") == [(0, 1), (2,)]


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (("0", "0.0", "1"), [(0, 1), (2,)]),
        (("-42", "42"), [(0,), (1,)]),
        (("50%", "0.5"), [(0, 1)]),
        (("Paris", "paris", "Rome"), [(0, 1), (2,)]),
        (("Paris", "42"), [(0,), (1,)]),
    ],
)
def test_what_is_one_answer(answers: tuple[str, ...], groups: list[tuple[int, ...]]) -> None:
    assert grouped(*answers) == groups


def test_who_failed_refused_or_commits_to_nothing_has_no_vote() -> None:
    refused = AgentOutcome("r", "Solver", "REFUSE: no", "7", refused=True)
    outcomes = [refused, *said(None, "42")]
    assert [group.places for group in groups_of(outcomes)] == [(2,)]
    assert groups_of([refused]) == []


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(-200, 200).map(str)), max_size=12))
def test_everybody_with_an_answer_is_in_one_group(answers: list[str | None]) -> None:
    groups = groups_of(said(*answers))
    places = sorted(place for group in groups for place in group.places)
    assert places == [place for place, answer in enumerate(answers) if answer is not None]
    sizes = [len(group.places) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    assert all(list(group.places) == sorted(group.places) for group in groups)
