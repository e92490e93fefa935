"""Measures how fast ReSo's database finds the best agents for a subtask, as it grows.

    bin/studio bench dadb [--searches 400] [--agents 100 10000 1000000] [--roles 5000]
                          [--hnsw 100000]

Each agent has its own embedding, a random unit vector. With `--roles N` agents share the embeddings
of N roles, each role on equally many endpoints. Statistics are as after a training: a few agents
were chosen often, most hardly ever. The vectors' meaning does not change the cost of a search,
except through the share of agents above the threshold, which is a tenth here. The cases: `unknown`:
no agent was chosen yet, so all are equal. `runs`: without exploration, as runs search. `smooth`:
the published code's gate. After each search the agent that it found gets a reward, as in a
training. Beside the index the table has one pass over all agents with the same equations, whose
order is exact, and the published code's way, which reads the agents row by row from SQLite and
scores each in Python. `recall` is the share of the exact top k that the index finds, the lowest
over all sizes and cases. Its scores are computed again in double precision; agents with equal
scores are equally good.

`--hnsw N` measures pgvector's approximate index at size N: it finds the `NEAREST` most similar
agents, and the best of them by the equations are taken. Its recall is the mean.
"""

import argparse
import math
import sqlite3
import time
from collections.abc import Callable
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.common.nearest import indexed
from bench.common.report import percentile, report
from workers.core.agents.index import AgentIndex
from workers.core.agents.scoring import (
    EPSILON,
    Doubles,
    Floats,
    Scoring,
    exploration_scale,
    similarity,
    top_agents,
    upper_confidence_bound,
)

DIMENSION = 384
K = 3
COMPARED = 30
"""Number of searches compared with the exact order, at each size and case."""
ROW_BY_ROW = (100, 10_000)
"""Sizes at which the published way finishes in reasonable time."""
ROW_SEARCHES = 5
ABOVE = 0.1
EVERY = slice(None)
UNKNOWN = "unknown"
"""The case in which no agent has statistics."""
ROUNDING = 1e-6
"""Tolerance for a score in single precision."""
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("", {}),
    ("log", {"exploration": "log"}),
    (UNKNOWN, {}),
    ("runs", {"exploration_weight": 0.0}),
    ("smooth", {"exploration": "log", "gate": "sigmoid"}),
)
"""Name, and where the scoring differs from the paper."""
NEAREST = 400


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure searches in ReSo's agent database as it grows."
    )
    parser.add_argument("--searches", type=int, default=400)
    parser.add_argument(
        "--roles",
        type=int,
        help="number of roles that share embeddings (default: each agent has its own)",
    )
    parser.add_argument("--agents", type=int, nargs="+", default=[100, 10_000, 1_000_000])
    parser.add_argument("--hnsw", type=int, nargs="+", default=[])
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    figures: dict[str, float] = {}
    recall = 1.0
    for size in options.agents:
        world = World(size, roles=options.roles)
        for name, changed in CASES:
            scoring = Scoring(threshold=world.threshold, **changed)
            index = world.index(scoring, known=name != UNKNOWN)
            found, shares = searched(index, world, scoring, options.searches)
            recall = min(recall, *shares)
            passed = [milliseconds(world.exact, scoring) for _ in range(COMPARED)]
            p95 = percentile(found, 0.95)
            figures["_".join(filter(None, (f"p95_ms_{size}", name)))] = p95
            rows.append(
                (
                    f"{size:,}",
                    name or "paper",
                    f"{median(found):.2f} / {p95:.2f} / {max(found):.2f}",
                    f"{median(passed):.2f}",
                    f"{min(shares):.3f}",
                )
            )
        if size in ROW_BY_ROW:
            figures[f"row_by_row_ms_{size}"] = world.row_by_row()
            told = f"{figures[f'row_by_row_ms_{size}']:.1f}"
            rows.append((f"{size:,}", "row by row", told, "", ""))
    for size in options.hnsw:
        rows += approximate(World(size), options.searches)
    report(
        "dadb",
        ("agents", "case", "search ms: p50 / p95 / max", "one pass ms, p50", "recall"),
        rows,
        recall=recall,
        **figures,
    )


class World:
    """`size` agents with their statistics, and subtasks."""

    def __init__(self, size: int, *, roles: int | None = None) -> None:
        rng = np.random.default_rng(0)
        self.size = size
        self.embedding_of = None if roles is None else np.arange(size) * roles // size
        self.own = unit(rng, roles or size)
        self.embeddings = self.own if roles is None else self.own[self.embedding_of]
        self.reward = rng.random(size, dtype=np.float32)
        self.cost = (0.1 * rng.random(size)).astype(np.float32)
        self.count = rng.zipf(2.0, size).clip(max=1_000).astype(np.int64) - 1
        self.queries = unit(rng, 256)
        products = self.own[:20_000] @ self.queries[:16].T
        self.threshold = float(np.quantile(products, 1 - ABOVE))

    def index(self, scoring: Scoring, *, known: bool) -> AgentIndex:
        return AgentIndex(
            self.own,
            embedding_of=self.embedding_of,
            reward=self.reward * known,
            cost=self.cost * known,
            count=self.count * known,
            scoring=scoring,
        )

    def exact(self, scoring: Scoring) -> None:
        """One pass over all agents, for the first subtask."""
        products = self.embeddings @ self.queries[0]
        scores = upper_confidence_bound(
            products,
            self.reward,
            self.cost,
            self.count,
            selections=int(self.count.sum()),
            scoring=scoring,
        )
        top_agents(scores, products, K)

    def row_by_row(self) -> float:
        """The median milliseconds of a search as the published code does it."""
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE agents (id INTEGER, vector BLOB, r REAL, c REAL, n INTEGER)")
        database.executemany(
            "INSERT INTO agents VALUES (?, ?, ?, ?, ?)",
            (
                (place, self.embeddings[place].tobytes(), float(r), float(c), int(n))
                for place, (r, c, n) in enumerate(
                    zip(self.reward, self.cost, self.count, strict=True)
                )
            ),
        )
        times = []
        for query in self.queries[:ROW_SEARCHES]:
            began = time.perf_counter()
            total = database.execute("SELECT SUM(n) FROM agents").fetchone()[0]
            scored = []
            for place, vector, reward, cost, count in database.execute("SELECT * FROM agents"):
                product = float(np.dot(np.frombuffer(vector, dtype=np.float32), query))
                quality = (reward - cost) if product >= self.threshold else 0.0
                scored.append((quality + 0.3 * math.sqrt(total / (count + EPSILON)), place))
            scored.sort(reverse=True)
            times.append((time.perf_counter() - began) * 1_000)
        return median(times)


def searched(
    index: AgentIndex, world: World, scoring: Scoring, searches: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of each search with its reward, and the recall of the compared searches."""
    rng = np.random.default_rng(1)
    times, shares = [], []
    for number in range(searches):
        query = world.queries[number % len(world.queries)]
        # Before it: what is compared is not what is timed.
        scores = exact_scores(index, world, query, scoring) if number < COMPARED else None
        began = time.perf_counter()
        found = index.search(query, K)
        index.record(int(found.places[0]), reward=float(rng.random()), cost=0.05)
        times.append((time.perf_counter() - began) * 1_000)
        if scores is not None:
            least = np.partition(scores, -K)[-K]
            shares.append(float((scores[found.places] >= least - ROUNDING).mean()))
    return times, shares


def approximate(world: World, searches: int) -> list[tuple[str, ...]]:
    """A row for each case in which agents have statistics."""
    rows: list[tuple[str, ...]] = []
    with indexed(world.embeddings, search=NEAREST) as nearest:
        for name, changed in CASES:
            if name == UNKNOWN:
                continue
            scoring = Scoring(threshold=world.threshold, **changed)
            index = world.index(scoring, known=True)
            times, shares = [], []
            for number in range(searches):
                query = world.queries[number % len(world.queries)]
                began = time.perf_counter()
                near = nearest.find(query, NEAREST)
                scores = exact_scores(index, world, query, scoring, near)
                found = near[np.argsort(-scores, kind="stable")[:K]]
                times.append((time.perf_counter() - began) * 1_000)
                if number < COMPARED:
                    every = exact_scores(index, world, query, scoring)
                    least = np.partition(every, -K)[-K]
                    shares.append(float((every[found] >= least - ROUNDING).mean()))
            told = f"{median(times):.2f} / {percentile(times, 0.95):.2f} / {max(times):.2f}"
            form = f"{name or 'paper'}, HNSW of {nearest.seconds:.0f} s"
            rows.append((f"{world.size:,}", form, told, "", f"{mean(shares):.3f}"))
    return rows


def exact_scores(
    index: AgentIndex,
    world: World,
    query: Floats,
    scoring: Scoring,
    places: NDArray[np.int64] | slice = EVERY,
) -> Doubles:
    """Scores of all agents, or of those at the positions: (N,)."""
    products = world.embeddings[places] @ query
    gate = similarity(products.astype(np.float64), scoring)
    cost = index.cost[places].astype(np.float64)
    quality = gate * (index.reward[places] - scoring.cost_weight * cost)
    scale = exploration_scale(index.selections, scoring)
    return np.asarray(quality + scale / np.sqrt(index.count[places] + EPSILON), dtype=np.float64)


def unit(rng: np.random.Generator, rows: int) -> Floats:
    vectors = rng.standard_normal((rows, DIMENSION), dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def milliseconds(work: Callable[[Scoring], None], scoring: Scoring) -> float:
    began = time.perf_counter()
    work(scoring)
    return (time.perf_counter() - began) * 1_000


if __name__ == "__main__":
    main()
