"""Which systems of a group are the same."""

from __future__ import annotations

from dataclasses import replace

from workers.core.methods.mashost.training.tests.support import system_of
from workers.core.methods.mashost.training.trajectory import Trajectory, counted_with, repeats


def test_the_same_roles_with_the_same_edges_are_a_repeat_whatever_came_of_them() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    same = system_of(0, 1, correct=(False, False, False), tokens=7)
    other = system_of(1, 0, correct=(True, True, True))
    longer = system_of(0, 1, 2, correct=(True, True, True, True))
    assert repeats([one, same, other, longer, same, other]) == {1: 0, 4: 0, 5: 2}


def test_another_edge_makes_another_system() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    first, second, end = one.actions
    unread = Trajectory((first, replace(second, reads=()), end), one.correct, one.tokens)
    assert repeats([one, unread]) == {}


def test_what_is_drawn_anew_counts_for_the_system_that_it_repeats() -> None:
    one = system_of(0, 1, correct=(True, True, True))
    again = counted_with(counted_with(one, one), replace(one, draws=2))
    assert (one.draws, again.draws) == (1, 4)
    assert repeats([again, one]) == {1: 0}
