"""DADB, the dynamic agent database of a run or a training: its agents, and the best for a subtask.

An agent is a role on an endpoint. Its static profile is the role's, except for a prompt and a
memory that it may have of its own. So agents of one role share an embedding. Its dynamic profile is
what its answers earned, R(a), what they cost, C(a), and how often it was chosen, n(a) (ReSo, EMNLP
2025, §3.3).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from workers.core.agents.index import AgentIndex
from workers.core.agents.scoring import (
    Floats,
    Scoring,
    exploration_scale,
    performance,
    rarity,
    similarity,
)
from workers.core.embed.base import Embedder
from workers.core.errors import MethodError
from workers.core.specs import OwnProfile, PoolSpec, RoleSpec


@dataclass(frozen=True, slots=True)
class AgentKey:
    """`endpoint` is the endpoint's key."""

    role: str
    endpoint: str


MOST_EACH = 1e12
"""Bound of a mean reward or cost."""
MOST_CHOSEN = 2**53
"""Bound of the count: up to it a float still counts one by one."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """R(a), C(a) and n(a)."""

    reward: float = 0.0
    cost: float = 0.0
    count: int = 0

    def is_sound(self) -> bool:
        """Whether the numbers are usable and can be stored: the next reward must not make them
        infinite."""
        values = (self.reward, self.cost)
        return all(abs(each) <= MOST_EACH for each in values) and 0 <= self.count <= MOST_CHOSEN


UNKNOWN = Statistics()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An agent that may get a subtask, and why: score = similarity · performance + exploration.
    `inner_product` is ⟨q_v, e_a⟩; `similarity` is its value after the gate."""

    place: int
    role: RoleSpec
    endpoint: str
    statistics: Statistics
    inner_product: float
    similarity: float
    performance: float
    exploration: float

    @property
    def score(self) -> float:
        return self.similarity * self.performance + self.exploration


@dataclass(frozen=True, slots=True)
class Search:
    """The best candidates, best first. `selections`: of all agents so far. `nearest`: the highest
    inner product among them, or of any agent if none reaches the threshold. If it is below the
    threshold, no agent fits the subtask, and the candidates are only worth a try."""

    candidates: tuple[Candidate, ...]
    selections: int
    nearest: float


def require_agents(
    pool: PoolSpec, endpoints: Sequence[str], known: Mapping[AgentKey, Statistics]
) -> None:
    """Raises MethodError `no_agents` without roles or endpoints, and `broken_statistics`."""
    if not pool.roles or not endpoints:
        missing = "roles" if endpoints else "endpoints"
        raise MethodError(
            code="no_agents",
            message=f"The agent database is empty: it has no {missing}.",
            remedy="Choose a pool with published roles and at least one endpoint.",
        )
    for key, each in known.items():
        if not each.is_sound():
            raise MethodError(
                code="broken_statistics",
                message=f"The statistics of {key.role} on {key.endpoint} are not numbers.",
                remedy="Restore the agents from an earlier checkpoint, or start without one.",
            )


class AgentDatabase:
    """The agents of a pool on some endpoints, role by role. `known` are earlier statistics.
    `profiles` of other agents are ignored."""

    def __init__(
        self,
        pool: PoolSpec,
        endpoints: Sequence[str],
        role_embeddings: Floats,
        *,
        scoring: Scoring,
        known: Mapping[AgentKey, Statistics],
        profiles: Sequence[OwnProfile] = (),
    ) -> None:
        self._pool = pool
        self._endpoints = tuple(endpoints)
        self._scoring = scoring
        self._profiles = {(each.role, each.endpoint): each for each in profiles}
        self._agents = list(product(pool.roles, endpoints))
        self._embeddings = role_embeddings
        statistics = [known.get(key, UNKNOWN) for key in self.keys()]
        self._index = AgentIndex(
            role_embeddings,
            reward=np.array([each.reward for each in statistics], dtype=np.float32),
            cost=np.array([each.cost for each in statistics], dtype=np.float32),
            count=np.array([each.count for each in statistics], dtype=np.int64),
            scoring=scoring,
            embedding_of=np.repeat(np.arange(len(pool.roles)), len(endpoints)),
        )

    @staticmethod
    async def of(
        pool: PoolSpec,
        endpoints: Sequence[str],
        *,
        embedder: Embedder,
        scoring: Scoring,
        known: Mapping[AgentKey, Statistics] | None = None,
        profiles: Sequence[OwnProfile] = (),
    ) -> AgentDatabase:
        """Raises MethodError, see `require_agents`."""
        require_agents(pool, endpoints, known or {})
        rows = await embedder.embed([role.profile() for role in pool.roles])
        return AgentDatabase(
            pool, endpoints, rows, scoring=scoring, known=known or {}, profiles=profiles
        )

    def rescored(self, scoring: Scoring) -> AgentDatabase:
        """The same agents with their current statistics, to search by other rules."""
        return AgentDatabase(
            self._pool,
            self._endpoints,
            self._embeddings,
            scoring=scoring,
            known=self.statistics(),
            profiles=tuple(self._profiles.values()),
        )

    @property
    def threshold(self) -> float:
        return self._scoring.threshold

    def keys(self) -> list[AgentKey]:
        return [AgentKey(role.key, endpoint) for role, endpoint in self._agents]

    def statistics(self) -> dict[AgentKey, Statistics]:
        return {key: self._statistics(place) for place, key in enumerate(self.keys())}

    def search(self, query: Floats, k: int) -> Search:
        """The k agents of the highest UCB for a subtask's embedding (D,)."""
        found = self._index.search(query, k)
        places = found.places
        scale = exploration_scale(self._index.selections, self._scoring)
        gates = similarity(found.inner_products, self._scoring)
        performances = performance(
            self._index.reward[places], self._index.cost[places], self._scoring
        )
        explorations = scale * rarity(self._index.count[places])
        whys = zip(found.inner_products, gates, performances, explorations, strict=True)
        candidates = tuple(
            self._candidate(int(place), *map(float, why))
            for place, why in zip(places, whys, strict=True)
        )
        nearest = float(found.inner_products.max())
        if nearest < self._scoring.threshold:  # else a pass over all finds nothing more
            nearest = float((self._embeddings @ query).max())
        return Search(candidates, self._index.selections, nearest)

    def record(self, place: int, *, reward: float, cost: float) -> None:
        """Record one answer's reward, 0..1, and cost in dollars. Raises ValueError for values that
        would spoil the means."""
        if not 0 <= reward <= 1 or not 0 <= cost < math.inf:
            raise ValueError(f"a reward of {reward} and a cost of {cost} cannot be learned from")
        self._index.record(place, reward=reward, cost=cost)

    def _candidate(self, place: int, *why: float) -> Candidate:
        role, endpoint = self._agents[place]
        own = self._profiles.get((role.key, endpoint))
        played = own.played(role) if own else role
        return Candidate(place, played, endpoint, self._statistics(place), *why)

    def _statistics(self, place: int) -> Statistics:
        index = self._index
        return Statistics(
            float(index.reward[place]), float(index.cost[place]), int(index.count[place])
        )
