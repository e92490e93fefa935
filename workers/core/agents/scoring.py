"""Scores agents for a subtask: the equations of ReSo (EMNLP 2025, §3.3), over all agents at once.

Legend: N agents, D embedding. `selections` is the paper's N, the number of selections of all agents
so far. It is spelled out because N counts agents in this module.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
"""Type of scores. Exploration of an agent that was never chosen is 31.6 · c · √N. After a million
selections a float32 beside it would lose the third digit of a performance."""
Exploration = Literal["paper", "log"]
Gate = Literal["heaviside", "sigmoid"]

EPSILON = 1e-3
"""ε ≪ 1: how strongly an agent that was never chosen is explored before one chosen once."""
SIGMOID_SLOPE = 10.0
"""Steepness of the published code's smooth gate."""
LOG_OFFSET = 1.01
"""Added inside the published code's logarithm, so it is above 0 before the first selection."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """`threshold` V_th, `exploration_weight` c, `cost_weight` β."""

    threshold: float = 0.4
    exploration_weight: float = 0.3
    cost_weight: float = 1.0
    exploration: Exploration = "paper"
    gate: Gate = "heaviside"


EXPLORING = Scoring(threshold=0.2, exploration="log")
"""How trainings search by default (the preset `studio`). ReSo publishes a threshold of 0.4, for
other embeddings. The logarithm is that of its code."""
MOST_CANDIDATES = 20
MOST_ENDPOINTS = 50


def similarity(inner_products: Floats, scoring: Scoring) -> Floats:
    """sim(a, v) from ⟨q_v, e_a⟩: (N,) → (N,). H[0] is 1."""
    above = inner_products - np.float32(scoring.threshold)
    if scoring.gate == "heaviside":
        return (above >= 0).astype(np.float32)
    return np.asarray(1.0 / (1.0 + np.exp(-SIGMOID_SLOPE * above)), dtype=np.float32)


def performance(reward: Floats, cost: Floats, scoring: Scoring) -> Floats:
    """perform(a) = R(a) − β·C(a): (N,)."""
    return np.asarray(reward - np.float32(scoring.cost_weight) * cost, dtype=np.float32)


def exploration_scale(selections: int, scoring: Scoring) -> float:
    """The part of the exploration term that all agents share: c·√N, or c·√ln(N + 1.01)."""
    grown = float(selections) if scoring.exploration == "paper" else np.log(selections + LOG_OFFSET)
    return float(scoring.exploration_weight * np.sqrt(grown))


def rarity(count: NDArray[np.int64]) -> Doubles:
    """1/√(n(a) + ε), each agent's own part of the exploration term: (N,)."""
    return np.asarray(1.0 / np.sqrt(count + EPSILON), dtype=np.float64)


def upper_confidence_bound(
    inner_products: Floats,
    reward: Floats,
    cost: Floats,
    count: NDArray[np.int64],
    *,
    selections: int,
    scoring: Scoring,
) -> Doubles:
    """UCB(a, v) = sim(a, v) · perform(a) + c · √(N / (n(a) + ε)): (N,)."""
    quality = similarity(inner_products, scoring) * performance(reward, cost, scoring)
    return quality + exploration_scale(selections, scoring) * rarity(count)


def top_agents(scores: Doubles, inner_products: Floats, k: int) -> NDArray[np.int64]:
    """The positions of the k best, best first. Of equal scores the more similar agent, then the
    first.

    Before the first selection all scores are equal; then the most similar agents are tried.
    """
    places = np.arange(len(scores))
    if 0 < k < len(scores):  # sorted are those alone that can be among the k
        floor = np.partition(scores, len(scores) - k)[len(scores) - k]
        above, equal = np.flatnonzero(scores > floor), np.flatnonzero(scores == floor)
        wanted = k - len(above)
        similar = np.partition(inner_products[equal], len(equal) - wanted)[len(equal) - wanted]
        places = np.concatenate([above, equal[inner_products[equal] >= similar]])
    order = np.lexsort((places, -inner_products[places], -scores[places]))
    return np.asarray(places[order[:k]], dtype=np.int64)
