"""What agents did in runs: how often, how well, at what cost, and when."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from django.db import connection
from django.utils import timezone

from apps.agents.usage import AgentUsage, Period, Step
from apps.roles.usage import Figures
from apps.runs.figures.sums import FIGURES, SUMS_OF_A_RUN

MOST_DAYS = 92
"""Up to this many days, figures are by day. Longer spans are by week; a week begins on Monday."""


def agent_usage(agent_id: int, *, days: int) -> AgentUsage:
    """Usage of one agent, also over time. One statement."""
    step: Step = "day" if days <= MOST_DAYS else "week"
    since = timezone.now() - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute(_OVER_TIME, {"agents": [agent_id], "since": since, "step": step})
        found = {start: Figures(*figures) for *figures, _, start in cursor.fetchall()}
    starts = _starts(since.date(), timezone.now().date(), step)
    periods = tuple(Period(start, found.get(start, Figures())) for start in starts)
    return AgentUsage(days, step, found.get(None, Figures()), periods)


def agents_figures(agent_ids: Sequence[int], *, days: int) -> dict[int, Figures]:
    """Figures of the agents on a page of a list, without unused agents. One statement."""
    if not agent_ids:
        return {}
    since = timezone.now() - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute(_OF_EACH, {"agents": list(agent_ids), "since": since})
        return {agent: Figures(*figures) for *figures, _, _, _, agent in cursor.fetchall()}


def _starts(first: date, last: date, step: Step) -> Iterator[date]:
    width = timedelta(days=1)
    if step == "week":
        width = timedelta(days=7)
        first -= timedelta(days=first.weekday())
    while first <= last:
        yield first
        first += width


# An agent is an endpoint with a role of a pool; runs name all three by key.
_WANTED = """
WITH wanted AS MATERIALIZED (
    SELECT p.id, role.pool_id, role.key AS role_key, e.key AS endpoint_key
    FROM agents_agentprofile p
    JOIN roles_role role ON role.id = p.role_id
    JOIN llms_endpoint e ON e.id = p.endpoint_id
    WHERE p.id = ANY(%(agents)s)
)"""
_OVER_TIME = f"""{_WANTED}, played AS (
    SELECT w.id, r.correct,
        date_trunc(%(step)s, r.created_at AT TIME ZONE 'UTC')::date AS start, {SUMS_OF_A_RUN}
    FROM runs_run r
    JOIN roles_poolversion v ON v.id = r.pool_version_id
    JOIN runs_runagent a ON a.run_id = r.id
    JOIN wanted w ON (w.pool_id, w.role_key, w.endpoint_key)
        = (v.pool_id, a.role_key, a.endpoint_key)
    WHERE r.status IN ('succeeded', 'failed') AND r.created_at >= %(since)s
    GROUP BY w.id, r.id
)
SELECT {FIGURES}, id, start FROM played GROUP BY GROUPING SETS ((id), (id, start))
"""  # noqa: S608  put together from constants

# Many agents are found in the turns of all runs: to look each up by its keys takes twice as long.
_OF_EACH = f"""{_WANTED}, taken AS MATERIALIZED (
    SELECT r.id, r.correct, v.pool_id FROM runs_run r
    JOIN roles_poolversion v ON v.id = r.pool_version_id
    WHERE r.status IN ('succeeded', 'failed') AND r.created_at >= %(since)s
), played AS (
    SELECT t.id, t.correct, t.pool_id, a.role_key, a.endpoint_key, {SUMS_OF_A_RUN}
    FROM taken t JOIN runs_runagent a ON a.run_id = t.id
    GROUP BY t.id, t.correct, t.pool_id, a.role_key, a.endpoint_key
), used AS MATERIALIZED (
    SELECT {FIGURES}, pool_id, role_key, endpoint_key
    FROM played GROUP BY pool_id, role_key, endpoint_key
)
SELECT used.*, w.id FROM used JOIN wanted w USING (pool_id, role_key, endpoint_key)
"""  # noqa: S608  put together from constants
