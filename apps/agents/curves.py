"""What several agents learned, to be drawn in one chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, QuerySet

from apps.agents.history import CURVE_POINTS, reward_curves
from apps.agents.models import AgentProfile, AgentReward
from workers.core.intervals import wilson

AGENTS = 10
MOST_AGENTS = 20


def mean_interval(mean: float, n: int) -> tuple[float, float] | None:
    """Wilson interval of the mean of n rewards from 0 to 1. It is exact for rewards 0 and 1, and
    wider than necessary for rewards in between, whose variance is smaller. None for other rewards,
    and for no reward."""
    if not 0 <= mean <= 1:
        return None
    found = wilson(mean * n, n)
    return None if found is None else (found.low, found.high)


@dataclass(frozen=True, slots=True)
class Point:
    """R(a), C(a) and n(a) at a moment. `step` is a step of the training, if the curve is of a
    training."""

    at: datetime
    step: int | None
    number: int
    count: int
    mean_reward: float
    mean_cost: float
    restored_from: str = ""

    @property
    def interval(self) -> tuple[float, float] | None:
        return mean_interval(self.mean_reward, self.count)


@dataclass(frozen=True, slots=True)
class Curve:
    """`rewarded`: number of rewards, of all time or of the training."""

    agent: AgentProfile
    rewarded: int
    points: tuple[Point, ...]


def live_curves(
    agents: QuerySet[AgentProfile], *, most: int = AGENTS, points: int = CURVE_POINTS
) -> list[Curve]:
    """Curves of the first `most` agents that have a history, in the order of `agents`."""
    chosen = list(agents.filter(recorded__gt=0)[:most])
    rows = reward_curves([agent.pk for agent in chosen], points=points)
    found = {pk: tuple(map(_live, of)) for pk, of in groupby(rows, attrgetter("agent_id"))}
    return [Curve(agent, agent.count, found.get(agent.pk, ())) for agent in chosen]


def job_curves(
    job_id: UUID, agents: QuerySet[AgentProfile], *, most: int = AGENTS, points: int = CURVE_POINTS
) -> list[Curve]:
    """Curves of a training's own rewards from its start, step by step, whatever the agents had
    earned before. They show those of `agents` that the training rewarded most often."""
    rewarded = AgentReward.objects.filter(job_id=job_id, agent__in=agents.order_by().values("pk"))
    often = (
        rewarded.order_by().values("agent_id").annotate(n=Count("id")).order_by("-n", "agent_id")
    )
    counts = {row["agent_id"]: row["n"] for row in often[:most]}
    found = _means(job_id, list(counts), points)
    known = agents.in_bulk(list(counts))
    return [Curve(known[pk], n, tuple(found.get(pk, ()))) for pk, n in counts.items()]


def _live(row: AgentReward) -> Point:
    return Point(
        at=row.at,
        step=None,
        number=row.number,
        count=row.count,
        mean_reward=row.mean_reward,
        mean_cost=row.mean_cost,
        restored_from=row.restored_from,
    )


def _means(job_id: UUID, agent_ids: Sequence[int], points: int) -> dict[int, list[Point]]:
    found: dict[int, list[Point]] = {}
    wanted: dict[str, Any] = {"job": job_id, "agents": list(agent_ids), "points": points}
    with connection.cursor() as cursor:
        cursor.execute(_JOB_MEANS, wanted)
        for agent_id, at, step, count, reward, cost in cursor.fetchall():
            point = Point(
                at=at, step=step, number=count, count=count, mean_reward=reward, mean_cost=cost
            )
            found.setdefault(agent_id, []).append(point)
    return found


# A step's last reward has its mean. Of many steps some are read, evenly, and the newest.
_JOB_MEANS = """
WITH earned AS (
    SELECT agent_id, at, step, position, row_number() OVER rewards AS count,
        avg(reward) OVER rewards AS mean_reward, avg(cost) OVER rewards AS mean_cost
    FROM agents_agentreward WHERE job_id = %(job)s AND agent_id = ANY(%(agents)s)
    WINDOW rewards AS (PARTITION BY agent_id ORDER BY step, position)
), stepped AS (
    SELECT DISTINCT ON (agent_id, step) * FROM earned ORDER BY agent_id, step, position DESC
), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY agent_id ORDER BY step DESC) - 1 AS back,
        count(*) OVER (PARTITION BY agent_id) AS steps FROM stepped
)
SELECT agent_id, at, step, count, mean_reward, mean_cost FROM numbered
WHERE back %% greatest(1, ceil(steps / %(points)s::float8)::bigint) = 0 ORDER BY agent_id, step
"""
