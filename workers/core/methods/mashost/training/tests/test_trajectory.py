"""Which systems of a group are the same."""

from dataclasses import replace

import pytest

from workers.core.methods.mashost.training.tests.support import system_of
from workers.core.methods.mashost.training.trajectory import (
    Trajectory,
    counted_with,
    exploring_at,
    layout_of,
    repeats,
    shares_of,
    states_of,
    steps_since_explored,
)


def test_the_same_roles_with_the_same_edges_are_a_repeat_whatever_came_of_them() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    same = system_of(0, 1, correct=(False, False, False), tokens=7)
    other = system_of(1, 0, correct=(True, True, True))
    longer = system_of(0, 1, 2, correct=(True, True, True, True))
    group = [one, same, other, longer, same, other]
    assert repeats([system.built for system in group]) == {1: 0, 4: 0, 5: 2}


def test_what_could_not_be_built_is_no_repeat_and_has_none() -> None:
    built = system_of(0, correct=(True, True)).built
    assert repeats([None, built, None, built]) == {3: 1}


def test_another_edge_makes_another_system() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    first, second, end = one.actions
    unread = Trajectory((first, replace(second, reads=()), end), one.correct, one.tokens)
    assert one.built != unread.built


def test_what_is_drawn_anew_counts_for_the_system_that_it_repeats() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    again = counted_with(counted_with(one, one), replace(one, draws=2))
    assert (one.draws, again.draws) == (1, 4)


def test_each_query_counts_alike_however_often_its_systems_were_drawn() -> None:
    sure = [system_of(role, correct=(True, True)) for role in range(3)]
    sure[0] = replace(sure[0], draws=7)
    unsure = [system_of(role, correct=(False, False)) for role in range(3)]
    assert shares_of([sure, unsure]).tolist() == [
        pytest.approx([7 / 3, 1 / 3, 1 / 3]),
        pytest.approx([1, 1, 1]),
    ]
    assert shares_of([sure, unsure], as_drawn=False).tolist() == [[1, 1, 1]] * 2


@pytest.mark.parametrize("as_drawn", [True, False])
def test_what_the_endpoint_failed_counts_nothing(as_drawn: bool) -> None:
    group = [system_of(role, correct=(True, True)) for role in range(3)]
    failed = [replace(system, draws=0) for system in group]
    shares = shares_of([[failed[0], *group[1:]], failed], as_drawn=as_drawn)
    assert shares.tolist() == [pytest.approx([0, 1.5, 1.5]), [0, 0, 0]]


def test_a_state_is_the_query_and_what_was_done_before() -> None:
    """Whom an agent reads included; what was answered is the same wherever the same was done."""
    one = system_of(0, 1, correct=(True, True, True))
    first, second, end = one.actions
    unread = replace(one, actions=(first, replace(second, reads=()), end))
    other = system_of(0, correct=(False, False))
    group = [one, unread, other, replace(one, draws=2)]
    found = states_of([group, group[2:]]).tolist()
    assert found[:6] == [0, 1, 2, *(0, 1, 3)]
    assert found[6:] == [0, 1, *(0, 1, 2), *(4, 5), *(4, 5, 6)]


class TestExplorers:
    FOLLOWED = system_of(0, 1, correct=(True, True, True))

    def test_they_stand_for_nothing_that_the_policy_drew(self) -> None:
        explorer = exploring_at(1, self.FOLLOWED)
        group = [self.FOLLOWED, explorer, self.FOLLOWED, explorer]
        assert repeats([system.built for system in group]) == {2: 0}
        since = steps_since_explored(group[:2], layout_of(group[:2]))
        assert since.tolist() == [1, 2, 3, -1, 0, 1]

    def test_they_are_left_out_of_what_the_policy_builds(self) -> None:
        group = [replace(self.FOLLOWED, draws=3), self.FOLLOWED, exploring_at(0, self.FOLLOWED)]
        assert shares_of([group], explorers=True).tolist() == [pytest.approx([9 / 5, 3 / 5, 3 / 5])]
        assert shares_of([group]).tolist() == [pytest.approx([9 / 4, 3 / 4, 0])]

    @pytest.mark.parametrize(("place", "draws"), [(0, 1), (2, 1), (3, 0), (9, 0)])
    def test_one_that_was_over_before_its_place_counts_nothing(
        self, place: int, draws: int
    ) -> None:
        explorer = exploring_at(place, self.FOLLOWED)
        assert (explorer.explored, explorer.draws, explorer.built) == (place, draws, None)

    def test_one_that_the_endpoint_failed_counts_nothing(self) -> None:
        assert exploring_at(1, replace(self.FOLLOWED, draws=0)).draws == 0
