"""Finds the k best of a million agents for a subtask without scoring most of them.

The score is gate · perform + exploration, and only the gate depends on the subtask. So each agent
has an upper bound over all subtasks: its score with the gate fully open or, if its performance is
negative, with the gate at its lowest. One pass computes all bounds. Then agents are scored from the
highest bound down, a few first and more each time, until no remaining bound reaches the k-th best
score found. If agents share embeddings (a role on many endpoints) and the first few do not settle
it, each embedding is compared once and all agents are scored.

The scores are exact. Only the order of equal scores may differ. Agents that were never chosen all
have the same score. If more than `TIES` of them have their own embeddings, the most similar of
`TIES` are taken, a different sample each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.core.agents.scoring import (
    Doubles,
    Floats,
    Scoring,
    exploration_scale,
    performance,
    rarity,
    similarity,
    top_agents,
)

Places = NDArray[np.int64]

FIRST = 256
"""About how many agents are scored first, or 16 times the wanted number if that is more."""
GROWTH = 4
SAMPLED = 64
"""Every `SAMPLE`-th bound is enough to estimate how many agents lie above a level."""
TIES = 2_048
"""How many agents with the same bound are compared if that bound is already the floor."""
GATHER_FACTOR = 2
"""A row picked by itself costs up to twice as much as in a pass over all."""
BLOCK = 512
"""Rows picked at once: they stay in the processor's cache until they are compared."""


@dataclass(frozen=True, slots=True)
class Found:
    """The k best, best first. `scored`: how many agents were compared with the subtask."""

    places: Places
    scores: Doubles
    inner_products: Floats
    scored: int

    def floor(self, k: int) -> float:
        """The score that an agent needs to be among the k best."""
        return float(self.scores[-1]) if len(self.scores) == k else -np.inf

    def best_with(self, other: Found, k: int) -> Found:
        places = np.concatenate([self.places, other.places])
        scores = np.concatenate([self.scores, other.scores])
        products = np.concatenate([self.inner_products, other.inner_products])
        best = top_agents(scores, products, k)
        return Found(places[best], scores[best], products[best], self.scored + other.scored)


NOBODY = Found(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=np.float32), scored=0)


class AgentIndex:
    """The dynamic profiles of N agents, beside their embeddings.

    `embeddings` (M, D), L2-normalised. `embedding_of` (N,) says which one is an agent's; None means
    each has its own. `record` adds one reward. The statistics are those of `apps.agents`.
    """

    def __init__(
        self,
        embeddings: Floats,
        *,
        reward: Floats,
        cost: Floats,
        count: NDArray[np.int64],
        scoring: Scoring,
        embedding_of: Places | None = None,
    ) -> None:
        self._embeddings = np.ascontiguousarray(embeddings, dtype=np.float32)
        self._embedding_of = embedding_of
        self._scoring = scoring
        self.reward = reward.astype(np.float32)
        self.cost = cost.astype(np.float32)
        self.count = count.astype(np.int64)
        self.selections = int(self.count.sum())
        self._bound = np.empty(len(self))
        self._quality = np.empty(len(self) if embedding_of is not None else 0, dtype=np.float32)
        self._performance = performance(self.reward, self.cost, scoring)
        self._best_quality = self._best(self._performance)
        self._rarity = rarity(self.count)

    def __len__(self) -> int:
        return len(self.count)

    def record(self, place: int, *, reward: float, cost: float) -> None:
        """R ← (n·R + r)/(n + 1), C alike, n ← n + 1."""
        n = int(self.count[place])
        self.reward[place] = (n * self.reward[place] + reward) / (n + 1)
        self.cost[place] = (n * self.cost[place] + cost) / (n + 1)
        self.count[place] = n + 1
        self.selections += 1
        one = slice(place, place + 1)
        self._performance[one] = performance(self.reward[one], self.cost[one], self._scoring)
        self._best_quality[one] = self._best(self._performance[one])
        self._rarity[one] = rarity(self.count[one])

    def search(self, query: Floats, k: int) -> Found:
        """The k best for a subtask's embedding (D,), or all if there are fewer."""
        k = min(k, len(self))
        scale = exploration_scale(self.selections, self._scoring)
        np.multiply(self._rarity, scale, out=self._bound)
        self._bound += self._best_quality
        found, reach = NOBODY, np.inf
        for lower in self._levels(k):
            level = max(lower, found.floor(k))
            for places in self._between(level, reach, query):
                found = found.best_with(self._score(query, places, scale, k), k)
                if found.floor(k) >= level:  # of equals some were compared, all where they are few
                    return found
            if self._embedding_of is not None:
                return self._search_all(query, scale, k, self._embedding_of)
            reach = level
        return found

    def _search_all(self, query: Floats, scale: float, k: int, embedding_of: Places) -> Found:
        """Search by scoring all agents. With few embeddings this takes as long as two or three
        levels."""
        products = self._embeddings @ query
        gates = similarity(products, self._scoring)
        np.take(gates, embedding_of, out=self._quality, mode="clip")
        self._quality *= self._performance
        np.multiply(self._rarity, scale, out=self._bound)
        self._bound += self._quality
        for lower in self._levels(k):
            places = np.flatnonzero(self._bound >= lower)
            if len(places) >= k:
                break
        near = np.asarray(products[embedding_of[places]], dtype=np.float32)
        best = top_agents(self._bound[places], near, k)
        return Found(places[best], self._bound[places[best]], near[best], len(self))

    def _levels(self, k: int) -> Iterator[float]:
        """Bounds, highest first, each with about `GROWTH` times as many agents above it as the one
        before. The last has all."""
        sample = np.sort(self._bound[::SAMPLED])[::-1]
        wanted = max(FIRST, 16 * k)
        while wanted // SAMPLED < len(sample):
            yield float(sample[wanted // SAMPLED])
            wanted *= GROWTH
        yield -np.inf

    def _between(self, level: float, reach: float, query: Floats) -> Iterator[Places]:
        """The agents with a bound from `level` to below `reach`. If very many have exactly `level`,
        those that are likely to be found come first."""
        above = (self._bound > level) & (self._bound < reach)
        equal = self._bound == level
        count = int(np.count_nonzero(equal))
        if count <= TIES:
            yield np.flatnonzero(above | equal)
            return
        likely = self._likely(equal, -(-count // TIES), query)
        yield np.concatenate([np.flatnonzero(above), likely])
        equal[likely] = False
        yield np.flatnonzero(equal)

    def _likely(self, equal: NDArray[np.bool_], stride: int, query: Floats) -> Places:
        """About one in `stride` of equal agents: the most similar if few embeddings make that
        cheap, otherwise a different sample each time."""
        if self._embedding_of is None:
            first = self.selections % stride
            return np.flatnonzero(equal[first::stride]) * stride + first
        products = (self._embeddings @ query)[self._embedding_of]
        sample = np.sort(products[::SAMPLED][equal[::SAMPLED]])
        similar = sample[-(len(sample) // stride + 1)] if len(sample) else -np.inf
        return np.flatnonzero(equal & (products >= similar))

    def _score(self, query: Floats, places: Places, scale: float, k: int) -> Found:
        products = self._inner_products(query, places)
        quality = similarity(products, self._scoring) * self._performance[places]
        scores = quality + scale * self._rarity[places]
        best = top_agents(scores, products, k)
        return Found(places[best], scores[best], products[best], len(places))

    def _inner_products(self, query: Floats, places: Places) -> Floats:
        rows = places if self._embedding_of is None else self._embedding_of[places]
        if len(rows) * GATHER_FACTOR >= len(self._embeddings):
            return np.asarray((self._embeddings @ query)[rows], dtype=np.float32)
        products = np.empty(len(rows), dtype=np.float32)
        block = np.empty((min(BLOCK, len(rows)), len(query)), dtype=np.float32)
        for start in range(0, len(rows), BLOCK):
            some = rows[start : start + BLOCK]
            # mode: else numpy checks every place, which takes a copy.
            picked = np.take(self._embeddings, some, axis=0, out=block[: len(some)], mode="clip")
            np.dot(picked, query, out=products[start : start + len(some)])
        return products

    def _best(self, quality: Floats) -> Floats:
        """The highest value of gate · perform over all values of the gate."""
        widest = similarity(np.array([1.0], dtype=np.float32), self._scoring)[0]
        narrowest = similarity(np.array([-1.0], dtype=np.float32), self._scoring)[0]
        best: Floats = np.maximum(quality * widest, quality * narrowest)
        return best
