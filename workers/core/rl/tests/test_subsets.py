"""Sets drawn until enough mass: by hand, against a draw item by item, and where nothing is left."""

import math
from collections import Counter
from itertools import permutations

import pytest
import torch
from torch import Tensor

from workers.core.rl.subsets import (
    cut_at_mass,
    drawn_until_mass,
    likeliest_until_mass,
    members,
    order_log_probability,
    tempered_log_probabilities,
)

P = torch.tensor([[0.5, 0.3, 0.2]], dtype=torch.float64)


def order(*items: int) -> Tensor:
    return torch.tensor([[*items, *[-1] * (3 - len(items))]])


def test_the_temperature_divides_the_scores() -> None:
    found = tempered_log_probabilities(torch.tensor([0.2, 0.1]), temperature=0.1).exp()
    assert found.tolist() == pytest.approx([math.e / (math.e + 1), 1 / (math.e + 1)])


def test_the_probability_of_an_order_by_hand() -> None:
    """0.3 · 0.5/0.7 · 0.2/0.2"""
    found = order_log_probability(P.log(), order(1, 0, 2)).exp()
    assert float(found) == pytest.approx(0.3 * 0.5 / 0.7)
    assert float(order_log_probability(P.log(), order(2)).exp()) == pytest.approx(0.2)


def test_all_orders_of_all_items_have_probability_one_together() -> None:
    whole = [order_log_probability(P.log(), order(*each)) for each in permutations(range(3))]
    assert float(torch.stack(whole).exp().sum()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("mass", "kept"), [(0.1, 1), (0.3, 1), (0.31, 2), (0.8, 2), (0.81, 3), (1.0, 3)]
)
def test_it_stops_as_soon_as_the_mass_is_reached(mass: float, kept: int) -> None:
    found = cut_at_mass(torch.tensor([[1, 0, 2]]), P, mass=mass)
    assert found.tolist() == [[1, 0, 2][:kept] + [-1] * (3 - kept)]


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_it_stops_at_the_most_that_are_allowed(most: int) -> None:
    found = cut_at_mass(torch.tensor([[1, 0, 2]]), P, mass=1.0, most=most)
    assert found.tolist() == [([1, 0, 2][:most] + [-1] * 3)[:3]]


def test_draws_have_the_probabilities_that_are_learned_from() -> None:
    """Over many draws each order comes as often as Eq. 28 says."""
    count = 40_000
    uniforms = torch.rand(count, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    drawn = drawn_until_mass(P.log().expand(count, -1), uniforms, mass=0.6)
    shares = Counter(tuple(each) for each in drawn.tolist())
    assert sum(shares.values()) == count
    for found, times in shares.items():
        expected = float(order_log_probability(P.log(), torch.tensor([found])).exp())
        assert times / count == pytest.approx(expected, abs=0.01)
    assert set(shares) == {(0, 1, -1), (0, 2, -1), (1, 0, -1), (1, 2, 0), (2, 0, -1), (2, 1, 0)}


def test_without_a_draw_the_likeliest_come_first() -> None:
    assert likeliest_until_mass(P.log(), mass=0.6).tolist() == [[0, 1, -1]]
    even = torch.full((1, 3), 1 / 3).log()
    assert likeliest_until_mass(even, mass=0.3).tolist() == [[0, -1, -1]]


def test_where_probabilities_are_no_numbers_the_highest_is_taken_alone() -> None:
    broken = torch.tensor([[0.1, math.nan, 0.7]])
    assert cut_at_mass(torch.tensor([[1, 2, 0]]), broken, mass=0.9).tolist() == [[2, -1, -1]]


def test_the_gradient_agrees_with_finite_differences_even_where_all_are_drawn() -> None:
    scores = torch.tensor([[0.3, -0.2, 0.9]], dtype=torch.float64, requires_grad=True)

    def whole(given: Tensor) -> Tensor:
        return order_log_probability(torch.log_softmax(given, -1), order(2, 0, 1))

    assert torch.autograd.gradcheck(whole, (scores,))


def test_who_was_drawn() -> None:
    assert members(order(2, 0)).tolist() == [[True, False, True]]
