"""Sets the live statistics of a pool's agents to those of a checkpoint."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext as _

from apps.agents.models import AgentProfile
from apps.agents.services import profiles_ensure
from apps.common.errors import conflict
from workers.core.agents.database import UNKNOWN, AgentKey, Statistics


@dataclass(frozen=True, slots=True)
class Restored:
    """`changed`: agents whose statistics changed. `cleared`: those of them that now count as new
    agents. `gone`: agents of the checkpoint whose role or endpoint does not exist here."""

    agents: int
    changed: int
    cleared: int
    new: int
    gone: int


@transaction.atomic
def profiles_restore(
    *, pool_key: str, known: Mapping[AgentKey, Statistics], source: str, by: str
) -> Restored:
    """Sets every agent of the pool to the statistics in `known`, or to those of a new agent if it
    is not in `known`. Each changed agent keeps its history, with a row that names `source`.

    Agents are locked in one order, as trainings do. Raises ApplicationError (409) if no agent of
    `known` belongs to this pool.
    """
    new = profiles_ensure(pool_key=pool_key, agents={(key.endpoint, key.role) for key in known})
    rows = AgentProfile.objects.filter(role__pool__key=pool_key)
    stored = rows.order_by("id").select_for_update(of=("self",))
    wanted = {
        pk: known.get(AgentKey(role, endpoint))
        for pk, role, endpoint in stored.values_list("id", "role__key", "endpoint__key")
    }
    found = sum(statistics is not None for statistics in wanted.values())
    if not found:
        raise conflict(
            "no_agent_in_common",
            _("No agent of “%(source)s” belongs to the pool “%(pool)s”.")
            % {"source": source, "pool": pool_key},
            _("Choose the pool that the checkpoint was made with, or another checkpoint."),
        )
    counts = _write({pk: each or UNKNOWN for pk, each in wanted.items()}, source, by)
    return Restored(
        agents=len(wanted),
        changed=len(counts),
        cleared=sum(count == 0 for count in counts),
        new=new,
        gone=len(known) - found,
    )


def _write(wanted: Mapping[int, Statistics], source: str, by: str) -> list[int]:
    """n(a) of each agent that changed."""
    values: dict[str, Any] = {
        "ids": list(wanted),
        "rewards": [each.reward for each in wanted.values()],
        "costs": [each.cost for each in wanted.values()],
        "counts": [each.count for each in wanted.values()],
        "source": source,
        "by": by,
    }
    with connection.cursor() as cursor:
        cursor.execute(_RESTORE, values)
        return [count for (count,) in cursor.fetchall()]


_RESTORE = """
WITH wanted AS (
    SELECT * FROM unnest(%(ids)s::bigint[], %(rewards)s::float8[], %(costs)s::float8[],
        %(counts)s::bigint[]) AS given(id, reward, cost, count)
), updated AS (
    UPDATE agents_agentprofile agent SET reward = wanted.reward, cost = wanted.cost,
        count = wanted.count, recorded = agent.recorded + 1, updated_at = now()
    FROM wanted WHERE wanted.id = agent.id AND (agent.reward, agent.cost, agent.count)
        IS DISTINCT FROM (wanted.reward, wanted.cost, wanted.count)
    RETURNING agent.id, agent.reward, agent.cost, agent.count, agent.recorded
)
INSERT INTO agents_agentreward
    (agent_id, restored_from, restored_by, number, mean_reward, mean_cost, count, at)
SELECT id, %(source)s, %(by)s, recorded, reward, cost, count, clock_timestamp() FROM updated
RETURNING count
"""
