"""The k best agents for a subtask among a million, exactly, without looking at most of them.

The score is gate · perform + exploration, and only the gate depends on the subtask. So each agent
has a bound that no subtask exceeds: what it would score behind the gate's widest opening, or where
its performance is negative, behind its narrowest. One pass computes all bounds. The agents with the
highest are scored exactly; the k-th best of them is a floor, and only whose bound reaches the floor
can still matter. Agents that share an embedding (a role on many endpoints) are compared once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.core.methods.reso.scoring import (
    Floats,
    Scoring,
    exploration_scale,
    performance,
    rarity,
    similarity,
    top_agents,
)

BLOCK = 1_024
"""Agents whose highest bound is looked at first; a block at a time is what numpy does best."""
FIRST = 8
"""Blocks' worth of agents that are scored to find a floor."""
GATHER_FACTOR = 4
"""Rows picked one by one cost about four times what they cost in a pass over all."""


@dataclass(frozen=True, slots=True)
class Found:
    """The k best, best first. `scored`: how many agents were compared with the subtask."""

    places: NDArray[np.int64]
    scores: Floats
    inner_products: Floats
    scored: int


class AgentIndex:
    """The dynamic profiles of N agents, beside their embeddings.

    `embeddings` (M, D), L2-normalised; `embedding_of` (N,) says which is an agent's, None that each
    has its own. `record` follows one reward; the statistics are those of `apps.agents`.
    """

    def __init__(
        self,
        embeddings: Floats,
        *,
        reward: Floats,
        cost: Floats,
        count: NDArray[np.int64],
        scoring: Scoring,
        embedding_of: NDArray[np.int64] | None = None,
    ) -> None:
        self._embeddings = np.ascontiguousarray(embeddings, dtype=np.float32)
        self._embedding_of = embedding_of
        self._scoring = scoring
        self.reward = reward.astype(np.float32)
        self.cost = cost.astype(np.float32)
        self.count = count.astype(np.int64)
        self.selections = int(self.count.sum())
        padded = -(-len(self) // BLOCK) * BLOCK
        # Below every bound, so that what only fills the last block is never looked at.
        self._bound = np.full(padded, -np.inf, dtype=np.float32)
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
        """The k best for a subtask's embedding (D,), or all where there are fewer."""
        k = min(k, len(self))
        scale = np.float32(exploration_scale(self.selections, self._scoring))
        bound = self._bound[: len(self)]
        np.multiply(self._rarity, scale, out=bound)
        bound += self._best_quality
        first = self._promising(k)
        found = self._score(query, first, scale, k)
        floor = found.scores[-1]
        if len(first) == len(self):
            return found
        # Equal to the floor, too: the more similar of equals wins.
        rest = np.flatnonzero(bound >= floor)
        if len(rest) <= len(first) and np.isin(rest, first, assume_unique=True).all():
            return found
        whole = self._score(query, rest, scale, k)
        return Found(whole.places, whole.scores, whole.inner_products, len(first) + len(rest))

    def _promising(self, k: int) -> NDArray[np.int64]:
        """At least k agents, those of the highest bounds among them."""
        blocks = self._bound.reshape(-1, BLOCK).max(axis=1)
        wanted = max(FIRST * BLOCK, k)
        if len(self) <= wanted:
            return np.arange(len(self))
        # Each of so many blocks has one agent at least whose bound reaches this.
        nth = min(len(blocks), max(k, FIRST * 4))
        reach = np.partition(blocks, len(blocks) - nth)[len(blocks) - nth]
        chosen = np.flatnonzero(self._bound >= reach)
        return chosen if len(chosen) <= wanted else self._highest(chosen, wanted)

    def _highest(self, places: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
        bounds = self._bound[places]
        return np.asarray(places[np.argpartition(-bounds, wanted - 1)[:wanted]], dtype=np.int64)

    def _score(self, query: Floats, places: NDArray[np.int64], scale: np.float32, k: int) -> Found:
        products = self._inner_products(query, places)
        quality = similarity(products, self._scoring) * self._performance[places]
        scores = quality + scale * self._rarity[places]
        best = top_agents(scores, products, k)
        return Found(places[best], scores[best], products[best], len(places))

    def _inner_products(self, query: Floats, places: NDArray[np.int64]) -> Floats:
        rows = places if self._embedding_of is None else self._embedding_of[places]
        if len(rows) * GATHER_FACTOR >= len(self._embeddings):
            return np.asarray((self._embeddings @ query)[rows], dtype=np.float32)
        return np.asarray(self._embeddings[rows] @ query, dtype=np.float32)

    def _best(self, quality: Floats) -> Floats:
        """gate · perform at its highest, over all that the gate can be."""
        widest = similarity(np.array([1.0], dtype=np.float32), self._scoring)[0]
        narrowest = similarity(np.array([-1.0], dtype=np.float32), self._scoring)[0]
        best: Floats = np.maximum(quality * widest, quality * narrowest)
        return best
