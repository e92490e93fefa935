"""How the roles of a pool did in the runs that took the pool: read from the stored agents."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from redis import RedisError

from apps.roles.models import RolePool
from workers.core.evaluation.intervals import Interval, wilson

DAYS_MAX = 3_650
USAGE_DAYS = 30
"""How far back one looks who does not ask for more."""
KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class RoleUsage:
    """Of one role, over runs that succeeded or failed, of people and of evaluations.

    `runs`: in whose graph it was; `agents`: how many played it there, of whom `refused` said that
    they are of no use. `judged` of the runs have a verdict, `correct` of them a right answer.
    `tokens` (prompt + completion) and `cost` (USD) are means over the agents of which they are
    known; None: of none.
    """

    key: str
    runs: int
    agents: int
    refused: int
    judged: int
    correct: int
    tokens: float | None
    cost: float | None

    @property
    def accuracy(self) -> float | None:
        return self.correct / self.judged if self.judged else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's, 95%. Runs that ask the same task again make it look surer than it is."""
        return wilson(self.correct, self.judged)

    @property
    def said(self) -> str:
        """The accuracy with its interval, such as `0.75 (0.41–0.93) of 8`."""
        if self.accuracy is None or self.interval is None:
            return "—"
        between = f"{self.interval.low:.2f}–{self.interval.high:.2f}"
        return f"{self.accuracy:.2f} ({between}) of {self.judged}"

    @property
    def refusal_share(self) -> float | None:
        return self.refused / self.agents if self.agents else None


@dataclass(frozen=True, slots=True)
class PoolUsage:
    """`runs`: that ended and took the pool, whatever roles they used. `days`: how far back they
    were begun; None: all."""

    days: int | None
    runs: int
    roles: tuple[RoleUsage, ...]

    def of(self, key: str) -> RoleUsage:
        """Zeros for a role that no run used."""
        found = (role for role in self.roles if role.key == key)
        return next(found, RoleUsage(key, 0, 0, 0, 0, 0, None, None))


def pool_usage(pool: RolePool, *, days: int | None = None) -> PoolUsage:
    """The most used roles first, also those that the draft no longer has. One statement."""
    since = None if days is None else timezone.now() - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute(_USAGE, {"pool": pool.pk, "since": since})
        rows = cursor.fetchall()
    total = rows[0][0] if rows else 0
    return PoolUsage(days, total, tuple(RoleUsage(*row[1:]) for row in rows if row[1] is not None))


def pool_usage_kept(pool: RolePool, *, days: int | None) -> PoolUsage:
    """The same, up to a minute old: over many runs it takes a while, and whoever pages through a
    list asks again and again. Without Redis none is kept."""
    key = f"pool-usage:{pool.pk}:{days}"
    with suppress(RedisError):
        kept = cache.get(key)
        if isinstance(kept, PoolUsage):
            return kept
    found = pool_usage(pool, days=days)
    with suppress(RedisError):
        cache.set(key, found, KEPT_SECONDS)
    return found


# A role may be played by several agents of a run, which has one verdict: so agents are first put
# together by run. The pool's runs stay in the answer where none of them had an agent.
_USAGE = """
WITH taken AS MATERIALIZED (
    SELECT r.id, r.correct FROM runs_run r
    JOIN roles_poolversion v ON v.id = r.pool_version_id
    WHERE v.pool_id = %(pool)s AND r.status IN ('succeeded', 'failed')
    AND (%(since)s::timestamptz IS NULL OR r.created_at >= %(since)s)
), played AS (
    SELECT t.id, t.correct, a.role_key,
        count(*) AS agents,
        count(*) FILTER (WHERE a.outcome = 'refused') AS refused,
        sum(a.prompt_tokens + a.completion_tokens) AS tokens,
        count(a.prompt_tokens + a.completion_tokens) AS counted,
        sum(a.cost) AS cost,
        count(a.cost) AS priced
    FROM taken t JOIN runs_runagent a ON a.run_id = t.id
    GROUP BY t.id, t.correct, a.role_key
), roles AS (
    SELECT role_key,
        count(*) AS runs,
        sum(agents)::bigint AS agents,
        sum(refused)::bigint AS refused,
        count(correct) AS judged,
        count(*) FILTER (WHERE correct) AS correct,
        (sum(tokens) / NULLIF(sum(counted), 0))::float8 AS tokens,
        sum(cost) / NULLIF(sum(priced), 0) AS cost
    FROM played GROUP BY role_key
)
SELECT (SELECT count(*) FROM taken), roles.* FROM (SELECT 1) one LEFT JOIN roles ON true
ORDER BY roles.runs DESC, roles.role_key
"""
