"""What each reward changed of an agent. Each reward writes a row in its transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from uuid import UUID

from django.db import connection

from apps.agents.models import AgentProfile, AgentReward
from apps.agents.services import profiles_ensure
from workers.core.events import AgentsRewarded

CURVE_POINTS = 300
MOST_POINTS = 1_000


@dataclass(frozen=True, slots=True)
class Earned:
    """Where a reward was earned: in a run, or at a place in a training's step."""

    run_id: UUID | None = None
    job_id: UUID | None = None
    step: int | None = None
    position: int | None = None


def profile_record_reward(
    *, profile_id: int, reward: float, cost: float, earned: Earned | None = None
) -> bool:
    """R ← (n·R + r)/(n+1), the same for C, n ← n+1 (ReSo), and the row of the history that records
    it.

    This is one statement: no worker loses an update of another, and each update has its row. A
    worker that waits for another's update continues from its result, so the rows are numbered
    without a gap.

    Raises ValueError for values that are not numbers: for Postgres NaN is at least 0, and a mean
    would keep it.
    """
    if not (isfinite(reward) and isfinite(cost)):
        raise ValueError(f"a reward of {reward} and a cost of {cost} cannot be learned from")
    where = asdict(earned or Earned())
    with connection.cursor() as cursor:
        cursor.execute(RECORD_REWARD, {"id": profile_id, "reward": reward, "cost": cost, **where})
        return bool(cursor.rowcount)


def profiles_record_rewards(*, pool_key: str, job_id: UUID, event: AgentsRewarded) -> int:
    """Stores what a step of a training earned, once, however often it is reported. Returns how many
    rewards are new. Makes agents that did not exist; a role that no longer exists keeps nothing.

    Call it in a transaction that holds the job's row. The agents are locked in one order, so two
    trainings never wait for each other.
    """
    if AgentReward.objects.filter(job_id=job_id, step=event.step).exists():
        return 0
    agents = {(each.endpoint, each.role_key) for each in event.rewards}
    profiles_ensure(pool_key=pool_key, agents=agents)
    found = AgentProfile.objects.filter(
        role__pool__key=pool_key, endpoint__key__in={endpoint for endpoint, _ in agents}
    )
    rows = found.order_by("id").select_for_update(of=("self",))
    ids = {(e, r): pk for pk, e, r in rows.values_list("id", "endpoint__key", "role__key")}
    new = 0
    for position, each in enumerate(event.rewards):
        profile_id = ids.get((each.endpoint, each.role_key))
        if profile_id is not None:
            where = Earned(job_id=job_id, step=event.step, position=position)
            new += profile_record_reward(
                profile_id=profile_id, reward=each.reward, cost=each.cost, earned=where
            )
    return new


def reward_curve(agent_id: int, *, points: int = CURVE_POINTS) -> list[AgentReward]:
    """At most `points` of the agent's rows, oldest first, evenly spread, always with the newest."""
    return reward_curves([agent_id], points=points)


def reward_curves(agent_ids: Sequence[int], *, points: int = CURVE_POINTS) -> list[AgentReward]:
    """The same for many agents, one after the other, in one statement.

    Each point is looked up by its number, so a million rewards take as long as a thousand.
    """
    return list(AgentReward.objects.raw(_CURVES, {"agents": list(agent_ids), "points": points}))


RECORD_REWARD = """
WITH updated AS (
    UPDATE agents_agentprofile SET
        reward = (count * reward + %(reward)s) / (count + 1),
        cost = (count * cost + %(cost)s) / (count + 1),
        count = count + 1, recorded = recorded + 1, updated_at = now()
    WHERE id = %(id)s RETURNING id, reward, cost, count, recorded
)
INSERT INTO agents_agentreward
    (agent_id, run_id, job_id, step, position, restored_from, restored_by, number,
     reward, cost, mean_reward, mean_cost, count, at)
SELECT id, %(run_id)s, %(job_id)s, %(step)s, %(position)s, '', '', recorded,
    %(reward)s, %(cost)s, reward, cost, count, clock_timestamp() FROM updated
"""

_CURVES = """
WITH kept AS (
    SELECT agent_id, first, last FROM unnest(%(agents)s::bigint[]) AS agent(agent_id)
    CROSS JOIN LATERAL (
        SELECT min(number) AS first, max(number) AS last FROM agents_agentreward r
        WHERE r.agent_id = agent.agent_id
    ) AS ends
), wanted AS (
    SELECT agent_id, generate_series(last, first, -greatest(1, ceil((last - first + 1)
        / %(points)s::float8)::bigint)) AS number FROM kept
)
SELECT r.* FROM wanted JOIN agents_agentreward r USING (agent_id, number)
ORDER BY r.agent_id, r.number
"""
