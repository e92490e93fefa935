"""The equations of ReSo, computed by hand, and the index against the whole order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from workers.core.methods.reso.index import AgentIndex
from workers.core.methods.reso.scoring import (
    EPSILON,
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
    scoring = Scoring(cost_weight=0.5)
    scores = upper_confidence_bound(
        floats(0.7, 0.1),
        floats(0.9, 0.9),
        floats(0.2, 0.2),
        np.array([25, 4]),
        selections=100,
        scoring=scoring,
    )
    assert scores.tolist() == pytest.approx([0.8 + 0.3 * 2, 0.3 * 5], abs=1e-3)
    logarithm = upper_confidence_bound(
        floats(0.7),
        floats(0.9),
        floats(0.2),
        np.array([25]),
        selections=100,
        scoring=Scoring(cost_weight=0.5, exploration="log"),
    )
    assert logarithm[0] == pytest.approx(
        0.8 + 0.3 * np.sqrt(np.log(101.01) / (25 + EPSILON)), abs=1e-5
    )


def test_of_equals_the_more_similar_is_tried_first() -> None:
    assert top_agents(floats(1, 1, 2, 1), floats(0.1, 0.3, 0, 0.3), 4).tolist() == [2, 1, 3, 0]


def unit(rng: np.random.Generator, *shape: int) -> Floats:
    drawn = rng.standard_normal(shape).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=-1, keepdims=True), dtype=np.float32)


def agents(rng: np.random.Generator, size: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    reward = rng.uniform(-0.5, 1, size).astype(np.float32)
    cost = rng.uniform(0, 0.5, size).astype(np.float32)
    return reward, cost, rng.geometric(0.05, size) - 1


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**20),
    size=st.sampled_from([1, 3, 63, 1_024, 9_000, 20_000]),
    k=st.sampled_from([1, 5, 70]),
    scoring=st.sampled_from(SCORINGS),
    shared=st.booleans(),
)
def test_the_index_finds_what_the_whole_order_says(
    seed: int, size: int, k: int, scoring: Scoring, shared: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows = 7 if shared else size
    embeddings, query = unit(rng, rows, 8), unit(rng, 8)
    embedding_of = rng.integers(0, rows, size) if shared else None
    reward, cost, count = agents(rng, size)
    index = AgentIndex(
        embeddings,
        reward=reward,
        cost=cost,
        count=count,
        scoring=scoring,
        embedding_of=embedding_of,
    )
    found = index.search(query, k)
    products = embeddings @ query
    products = products if embedding_of is None else products[embedding_of]
    scores = upper_confidence_bound(
        products, reward, cost, count, selections=int(count.sum()), scoring=scoring
    )
    best = top_agents(scores, products, k)
    assert len(found.places) == min(k, size)
    assert found.scores.tolist() == pytest.approx(scores[best].tolist(), abs=1e-3)
    assert len(set(found.places.tolist())) == len(found.places)


def test_rewards_are_followed() -> None:
    rng = np.random.default_rng(0)
    embeddings = unit(rng, 50, 8)
    reward, cost, count = agents(rng, 50)
    scoring = Scoring(threshold=-1.0)
    index = AgentIndex(embeddings, reward=reward, cost=cost, count=count, scoring=scoring)
    for place, value in [(3, 1.0), (3, 0.0), (7, 0.5)]:
        index.record(place, reward=value, cost=0.1)
        n = count[place]
        reward[place] = (n * reward[place] + value) / (n + 1)
        cost[place] = (n * cost[place] + 0.1) / (n + 1)
        count[place] += 1
    anew = AgentIndex(embeddings, reward=reward, cost=cost, count=count, scoring=scoring)
    query = unit(rng, 8)
    found, expected = index.search(query, 50), anew.search(query, 50)
    assert found.places.tolist() == expected.places.tolist()
    assert found.scores.tolist() == pytest.approx(expected.scores.tolist(), abs=1e-5)


def test_among_many_few_are_looked_at() -> None:
    rng = np.random.default_rng(0)
    size = 200_000
    reward, cost, count = agents(rng, size)
    index = AgentIndex(unit(rng, size, 8), reward=reward, cost=cost, count=count, scoring=Scoring())
    assert index.search(unit(rng, 8), 5).scored < size / 20
