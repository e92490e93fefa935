"""What each reward changed of an agent: written with the reward, read beside it."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from apps.agents.models import AgentProfile, AgentReward

CURVE_POINTS = 300
MOST_POINTS = 1_000


def profile_record_reward(
    *, profile_id: int, reward: float, cost: float, run_id: UUID | None = None
) -> bool:
    """R ← (n·R + r)/(n+1), the same for C, n ← n+1 (ReSo), and the row of the history that says so.

    One statement: of many workers none loses an update, and none is without its row. Whoever waits
    for another's update goes on from what that one left, so n numbers the rows without a gap.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            RECORD_REWARD, {"id": profile_id, "reward": reward, "cost": cost, "run": run_id}
        )
        return bool(cursor.rowcount)


def rewards(agent: AgentProfile) -> QuerySet[AgentReward]:
    return agent.rewards.all()


def reward_curve(agent_id: int, *, points: int = CURVE_POINTS) -> list[AgentReward]:
    """At most `points` of the agent's rewards, the oldest first, evenly spread and with the newest.

    Each point is looked up by its n: of a million rewards it takes as long as of a thousand.
    """
    return list(AgentReward.objects.raw(_CURVE, {"agent": agent_id, "points": points}))


RECORD_REWARD = """
WITH updated AS (
    UPDATE agents_agentprofile SET
        reward = (count * reward + %(reward)s) / (count + 1),
        cost = (count * cost + %(cost)s) / (count + 1),
        count = count + 1, updated_at = now()
    WHERE id = %(id)s RETURNING id, reward, cost, count
)
INSERT INTO agents_agentreward
    (agent_id, run_id, reward, cost, mean_reward, mean_cost, count, at)
SELECT id, %(run)s, %(reward)s, %(cost)s, reward, cost, count, clock_timestamp() FROM updated
"""

_CURVE = """
WITH kept AS (
    SELECT min(count) AS first, max(count) AS last FROM agents_agentreward
    WHERE agent_id = %(agent)s
), wanted AS (
    SELECT generate_series(last, first, -greatest(1, ceil((last - first + 1)
        / %(points)s::float8)::bigint)) AS count FROM kept
)
SELECT r.* FROM wanted JOIN agents_agentreward r
ON r.agent_id = %(agent)s AND r.count = wanted.count ORDER BY r.count
"""
