"""How the roles of a pool did in the runs that took the pool, from the stored agents."""

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from apps.roles.models import RolePool
from apps.roles.usage import PoolUsage, RoleUsage
from apps.runs.figures.sums import FIGURES, SUMS_OF_A_RUN


def pool_usage(pool: RolePool, *, days: int | None = None) -> PoolUsage:
    """Most used roles first, with roles that the draft no longer has. One statement."""
    since = None if days is None else timezone.now() - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute(_USAGE, {"pool": pool.pk, "since": since})
        rows = cursor.fetchall()
    total = rows[0][0] if rows else 0
    return PoolUsage(days, total, tuple(RoleUsage(*row[1:]) for row in rows if row[-1] is not None))


# The pool's runs stay in the answer where none of them had an agent.
_USAGE = f"""
WITH taken AS MATERIALIZED (
    SELECT r.id, r.correct FROM runs_run r
    JOIN roles_poolversion v ON v.id = r.pool_version_id
    WHERE v.pool_id = %(pool)s AND r.status IN ('succeeded', 'failed')
    AND (%(since)s::timestamptz IS NULL OR r.created_at >= %(since)s)
), played AS (
    SELECT t.id, t.correct, a.role_key, {SUMS_OF_A_RUN}
    FROM taken t JOIN runs_runagent a ON a.run_id = t.id
    GROUP BY t.id, t.correct, a.role_key
), roles AS (
    SELECT {FIGURES},
        role_key
    FROM played GROUP BY role_key
)
SELECT (SELECT count(*) FROM taken), roles.* FROM (SELECT 1) one LEFT JOIN roles ON true
ORDER BY roles.runs DESC, roles.role_key
"""  # noqa: S608  put together from constants
