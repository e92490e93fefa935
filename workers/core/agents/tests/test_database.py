"""Who there is, who suits a subtask and why, and what nobody may learn from."""

import math

import numpy as np
import pytest

from workers.core.agents.database import AgentDatabase, AgentKey, Statistics
from workers.core.agents.scoring import Scoring, upper_confidence_bound
from workers.core.errors import MethodError
from workers.core.mas.tests.support import role
from workers.core.methods.tests.support import HashEmbedder
from workers.core.specs import PoolSpec

POOL = PoolSpec(
    key="p",
    name="P",
    roles=tuple(
        role(key=key, name=key.title(), description=about)
        for key, about in (
            ("adder", "Adds and subtracts numbers."),
            ("poet", "Writes verses about rivers."),
            ("lawyer", "Reads contracts."),
        )
    ),
)
ENDPOINTS = ("large", "small")
KNOWN = {
    AgentKey("adder", "small"): Statistics(reward=0.9, cost=0.1, count=8),
    AgentKey("poet", "large"): Statistics(reward=0.2, cost=0.0, count=2),
}
SCORING = Scoring(threshold=0.0)


async def database(known: dict[AgentKey, Statistics] | None = None) -> AgentDatabase:
    return await AgentDatabase.of(
        POOL, ENDPOINTS, embedder=HashEmbedder(), scoring=SCORING, known=known
    )


def rounded(known: Statistics) -> Statistics:
    """Statistics are kept in single precision."""
    return Statistics(round(known.reward, 6), round(known.cost, 6), known.count)


async def query(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    rows = await HashEmbedder().embed([text])
    return np.asarray(rows[0], dtype=np.float32)


async def test_every_role_is_on_every_endpoint_with_what_is_known() -> None:
    found = (await database(KNOWN)).statistics()
    assert list(found) == [AgentKey(r.key, e) for r in POOL.roles for e in ENDPOINTS]
    assert rounded(found[AgentKey("adder", "small")]) == Statistics(0.9, 0.1, 8)
    assert found[AgentKey("lawyer", "large")] == Statistics()


async def test_candidates_tell_why_they_were_found() -> None:
    agents = await database(KNOWN)
    wanted = await query("Add 2 and 3.")
    search = agents.search(wanted, k=6)
    assert len(search.candidates) == 6
    assert search.selections == 10
    scores = [each.score for each in search.candidates]
    assert scores == sorted(scores, reverse=True)
    for each in search.candidates:
        (score,) = upper_confidence_bound(
            np.array([each.inner_product], dtype=np.float32),
            np.array([each.statistics.reward], dtype=np.float32),
            np.array([each.statistics.cost], dtype=np.float32),
            np.array([each.statistics.count]),
            selections=10,
            scoring=SCORING,
        )
        assert each.score == pytest.approx(float(score), rel=1e-5)
    assert search.nearest == pytest.approx(max(each.inner_product for each in search.candidates))


async def test_where_nobody_suits_it_is_told_and_somebody_is_tried() -> None:
    agents = await AgentDatabase.of(
        POOL, ENDPOINTS, embedder=HashEmbedder(), scoring=Scoring(threshold=1.01)
    )
    search = agents.search(await query("Add 2 and 3."), k=2)
    assert search.nearest < agents.threshold
    assert all(each.similarity == 0 for each in search.candidates)
    assert len(search.candidates) == 2


async def test_a_reward_moves_the_mean_of_its_agent_alone() -> None:
    agents = await database(KNOWN)
    place = list(agents.statistics()).index(AgentKey("poet", "large"))
    agents.record(place, reward=0.8, cost=0.3)
    after = agents.statistics()
    assert rounded(after.pop(AgentKey("poet", "large"))) == Statistics(0.4, 0.1, 3)
    before = (await database(KNOWN)).statistics()
    del before[AgentKey("poet", "large")]
    assert after == before
    assert agents.search(await query("x"), k=1).selections == 11


@pytest.mark.parametrize(
    ("reward", "cost"),
    [(math.nan, 0.0), (1.5, 0.0), (-0.1, 0.0), (0.5, math.nan), (0.5, math.inf), (0.5, -1.0)],
)
async def test_what_is_no_reward_or_cost_poisons_nothing(reward: float, cost: float) -> None:
    agents = await database(KNOWN)
    before = agents.statistics()
    with pytest.raises(ValueError, match="cannot be learned from"):
        agents.record(0, reward=reward, cost=cost)
    assert agents.statistics() == before


@pytest.mark.parametrize(
    ("pool", "endpoints", "missing"),
    [
        (POOL, (), "endpoints"),
        (PoolSpec(key="p", name="P", roles=()), ("large",), "roles"),
    ],
)
async def test_an_empty_database_is_told(
    pool: PoolSpec, endpoints: tuple[str, ...], missing: str
) -> None:
    with pytest.raises(MethodError, match=f"it has no {missing}") as empty:
        await AgentDatabase.of(pool, endpoints, embedder=HashEmbedder(), scoring=SCORING)
    assert empty.value.code == "no_agents"
    assert empty.value.remedy


async def test_statistics_that_are_no_numbers_are_refused() -> None:
    broken = {AgentKey("adder", "small"): Statistics(reward=math.nan, count=1)}
    with pytest.raises(MethodError, match="adder on small") as refused:
        await database(broken)
    assert refused.value.code == "broken_statistics"
