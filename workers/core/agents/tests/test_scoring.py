"""The equations of ReSo, computed by hand, and the index against the whole order."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from workers.core.agents import index as index_module
from workers.core.agents.index import TIES, AgentIndex
from workers.core.agents.scoring import (
    EPSILON,
    Doubles,
    Floats,
    Scoring,
    similarity,
    top_agents,
    upper_confidence_bound,
)

SCORINGS = [
    Scoring(exploration=exploration, gate=gate, threshold=threshold)
    for exploration in ("paper", "log")
    for gate in ("heaviside", "sigmoid")
    for threshold in (0.0, 0.4)
]


def floats(*values: float) -> Floats:
    return np.asarray(values, dtype=np.float32)


def test_the_papers_gate_is_a_step_and_the_codes_a_slope() -> None:
    products = floats(0.3, 0.4, 0.5)
    assert similarity(products, Scoring(threshold=0.4)).tolist() == [0, 1, 1]
    slope = similarity(products, Scoring(threshold=0.4, gate="sigmoid"))
    assert slope.tolist() == pytest.approx([1 / (1 + np.e), 0.5, np.e / (1 + np.e)], abs=1e-5)


def test_the_upper_confidence_bound_by_hand() -> None:
    """R = 0.9, C = 0.2, β = 0.5, c = 0.3, N = 100, n = 25 and 4."""
    paper, log = Scoring(cost_weight=0.5), Scoring(cost_weight=0.5, exploration="log")
    known = floats(0.7, 0.1), floats(0.9, 0.9), floats(0.2, 0.2), np.array([25, 4])
    scores = upper_confidence_bound(*known, selections=100, scoring=paper)
    assert scores.tolist() == pytest.approx([0.8 + 0.3 * 2, 0.3 * 5], abs=1e-3)
    logarithm = upper_confidence_bound(*known, selections=100, scoring=log)
    assert logarithm[0] == pytest.approx(
        0.8 + 0.3 * np.sqrt(np.log(101.01) / (25 + EPSILON)), abs=1e-5
    )


def test_of_equals_the_more_similar_is_tried_first() -> None:
    scores = np.array([1.0, 1.0, 2.0, 1.0])
    similar = floats(0.1, 0.3, 0, 0.3)
    assert top_agents(scores, similar, 4).tolist() == [2, 1, 3, 0]
    assert top_agents(scores, similar, 2).tolist() == [2, 1]


def unit(rng: np.random.Generator, *shape: int) -> Floats:
    drawn = rng.standard_normal(shape).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=-1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True)
class Agents:
    reward: Floats
    cost: Floats
    count: NDArray[np.int64]

    def index(
        self,
        embeddings: Floats,
        scoring: Scoring,
        embedding_of: NDArray[np.int64] | None = None,
    ) -> AgentIndex:
        given: dict[str, Any] = {"reward": self.reward, "cost": self.cost, "count": self.count}
        return AgentIndex(embeddings, **given, scoring=scoring, embedding_of=embedding_of)

    def scores(self, products: Floats, scoring: Scoring) -> Doubles:
        selections = int(self.count.sum())
        known = (self.reward, self.cost, self.count)
        return upper_confidence_bound(products, *known, selections=selections, scoring=scoring)


def agents(rng: np.random.Generator, size: int) -> Agents:
    reward = rng.uniform(-0.5, 1, size).astype(np.float32)
    cost = rng.uniform(0, 0.5, size).astype(np.float32)
    return Agents(reward, cost, rng.geometric(0.05, size) - 1)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**20),
    size=st.sampled_from([1, 3, 63, 1_024, 9_000, 20_000]),
    k=st.sampled_from([1, 5, 70]),
    scoring=st.sampled_from(SCORINGS),
    shared=st.booleans(),
    unknown=st.sampled_from([0.0, 0.7, 1.0]),
)
def test_the_index_finds_what_the_whole_order_says(
    *, seed: int, size: int, k: int, scoring: Scoring, shared: bool, unknown: float
) -> None:
    """Also where a share of the agents was never chosen and all of these are equals."""
    rng = np.random.default_rng(seed)
    rows = 7 if shared else size
    embeddings, query = unit(rng, rows, 8), unit(rng, 8)
    embedding_of = rng.integers(0, rows, size) if shared else None
    known = agents(rng, size)
    never = rng.random(size) < unknown
    for statistic in (known.reward, known.cost, known.count):
        statistic[never] = 0
    found = known.index(embeddings, scoring, embedding_of).search(query, k)
    products = embeddings @ query
    products = products if embedding_of is None else products[embedding_of]
    scores = known.scores(products, scoring)
    best = top_agents(scores, products, k)
    assert len(found.places) == min(k, size)
    assert found.scores.tolist() == pytest.approx(scores[best].tolist(), abs=1e-5)
    assert len(set(found.places.tolist())) == len(found.places)
    if shared or size <= TIES:  # the more similar of equals, too
        assert found.inner_products.tolist() == pytest.approx(products[best].tolist(), abs=1e-5)


def test_rewards_are_followed() -> None:
    rng = np.random.default_rng(0)
    embeddings = unit(rng, 50, 8)
    known = agents(rng, 50)
    scoring = Scoring(threshold=-1.0)
    index = known.index(embeddings, scoring)
    for place, value in [(3, 1.0), (3, 0.0), (7, 0.5)]:
        index.record(place, reward=value, cost=0.1)
        n = known.count[place]
        known.reward[place] = (n * known.reward[place] + value) / (n + 1)
        known.cost[place] = (n * known.cost[place] + 0.1) / (n + 1)
        known.count[place] += 1
    anew = known.index(embeddings, scoring)
    query = unit(rng, 8)
    found, expected = index.search(query, 50), anew.search(query, 50)
    assert found.places.tolist() == expected.places.tolist()
    assert found.scores.tolist() == pytest.approx(expected.scores.tolist(), abs=1e-5)


def test_among_many_few_are_looked_at() -> None:
    rng = np.random.default_rng(0)
    size = 200_000
    index = agents(rng, size).index(unit(rng, size, 8), Scoring())
    assert index.search(unit(rng, 8), 5).scored < size / 20


@pytest.mark.parametrize("scoring", [Scoring(gate="sigmoid"), Scoring(threshold=0.9)])
def test_where_the_first_bounds_settle_nothing_all_who_share_embeddings_are_scored(
    scoring: Scoring,
) -> None:
    """Behind a gate that is a little open for everybody, and behind one that is shut."""
    rng = np.random.default_rng(0)
    roles, size = 40, 20_000
    embeddings, embedding_of = unit(rng, roles, 64), rng.integers(0, roles, size)
    known = replace(agents(rng, size), count=np.full(size, 3))
    query = unit(rng, 64)
    found = known.index(embeddings, scoring, embedding_of).search(query, 5)
    assert found.scored == size
    scores = known.scores((embeddings @ query)[embedding_of], scoring)
    assert found.scores.tolist() == pytest.approx(np.sort(scores)[::-1][:5].tolist(), abs=1e-5)
    assert found.scores.tolist() == pytest.approx(scores[found.places].tolist(), abs=1e-5)


def test_of_very_many_that_nobody_ever_chose_some_are_looked_at_and_others_the_next_time() -> None:
    rng, size = np.random.default_rng(0), 20 * TIES
    nothing = np.zeros(size, dtype=np.float32)
    unknown = Agents(nothing, nothing, np.zeros(size, dtype=np.int64))
    index = unknown.index(unit(rng, size, 8), Scoring())
    query = unit(rng, 8)
    places = []
    for _ in range(3):
        found = index.search(query, 1)
        assert found.scored <= 1.1 * TIES
        assert found.inner_products[0] > 0.75  # the most similar of so many
        places.append(int(found.places[0]))
        index.record(places[-1], reward=1.0, cost=0.0)
    assert len(set(places)) == 3


def test_whose_bound_is_high_behind_a_closed_gate_hides_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The best is the very last of the bounds, and all before it point away from the subtask."""
    monkeypatch.setattr(index_module, "TIES", 64)
    size = 3_000
    embeddings = np.tile(floats(-1.0, 0.0), (size, 1))
    embeddings[17] = (1.0, 0.0)
    reward = np.linspace(0.5, 1.0, size, dtype=np.float32)[::-1].copy()
    reward[17] = 0.4
    known = Agents(reward, np.zeros(size, dtype=np.float32), np.ones(size, dtype=np.int64))
    index = known.index(embeddings, Scoring())
    assert index.search(floats(1.0, 0.0), 1).places.tolist() == [17]


def test_a_performance_counts_also_beside_a_very_large_exploration() -> None:
    """A million selections explore a never-chosen agent with 9,487: a float32 knows three digits
    after the point less than what its performance has."""
    known = Agents(floats(0.5, 0.8, 0.8001), floats(0, 0, 0), np.array([1_000_000, 0, 0]))
    index = known.index(np.tile(floats(1.0, 0.0), (3, 1)), Scoring())
    assert index.search(floats(1.0, 0.0), 2).places.tolist() == [2, 1]
