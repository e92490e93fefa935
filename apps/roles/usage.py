"""How the roles of a pool did in the runs that took the pool: read from the stored agents."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from redis import RedisError

from apps.roles.models import RolePool
from workers.core.evaluation.intervals import Interval, wilson

Found = TypeVar("Found")

DAYS_MAX = 3_650
USAGE_DAYS = 30
"""How far back one looks who does not ask for more."""
KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Figures:
    """Of agents in runs that succeeded or failed, of people and of evaluations.

    `runs`: in whose graph they were; `agents`: how many took a turn there, of whom `refused` said
    that they are of no use and `failed` came to no answer. `judged` of the runs have a verdict,
    `correct` of them a right answer. `tokens` (prompt + completion) and `cost` (USD) are means over
    the agents of which they are known, `seconds` over all; None: of none.
    """

    runs: int = 0
    agents: int = 0
    refused: int = 0
    failed: int = 0
    judged: int = 0
    correct: int = 0
    tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None

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
class RoleUsage(Figures):
    """Of one role."""

    key: str = ""


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
        return next(found, RoleUsage(key=key))


def pool_usage(pool: RolePool, *, days: int | None = None) -> PoolUsage:
    """The most used roles first, also those that the draft no longer has. One statement."""
    since = None if days is None else timezone.now() - timedelta(days=days)
    with connection.cursor() as cursor:
        cursor.execute(_USAGE, {"pool": pool.pk, "since": since})
        rows = cursor.fetchall()
    total = rows[0][0] if rows else 0
    return PoolUsage(days, total, tuple(RoleUsage(*row[1:]) for row in rows if row[-1] is not None))


def pool_usage_kept(pool: RolePool, *, days: int | None) -> PoolUsage:
    return kept_a_minute(
        f"pool-figures:{pool.pk}:{days}", PoolUsage, lambda: pool_usage(pool, days=days)
    )


def kept_a_minute(key: str, kind: type[Found], find: Callable[[], Found]) -> Found:
    """What `find` found, up to a minute ago: over many runs it takes a while, and whoever pages
    through a list asks again and again. Without Redis none is kept."""
    with suppress(RedisError):
        kept = cache.get(key)
        if isinstance(kept, kind):
            return kept
    found = find()
    with suppress(RedisError):
        cache.set(key, found, KEPT_SECONDS)
    return found


# What some kind of agent, such as those of a role, did is read in two steps: several of the kind
# may be in a run, which has one verdict, so agents `a` are first put together by run.
SUMS_OF_A_RUN = """
        count(*) AS agents,
        count(*) FILTER (WHERE a.outcome = 'refused') AS refused,
        count(*) FILTER (WHERE a.outcome = 'failed') AS failed,
        sum(a.prompt_tokens + a.completion_tokens) AS tokens,
        count(a.prompt_tokens + a.completion_tokens) AS counted,
        sum(a.cost) AS cost,
        count(a.cost) AS priced,
        sum(a.seconds) AS seconds"""
FIGURES = """
        count(*) AS runs,
        sum(agents)::bigint AS agents,
        sum(refused)::bigint AS refused,
        sum(failed)::bigint AS failed,
        count(correct) AS judged,
        count(*) FILTER (WHERE correct) AS correct,
        (sum(tokens) / NULLIF(sum(counted), 0))::float8 AS tokens,
        sum(cost) / NULLIF(sum(priced), 0) AS cost,
        sum(seconds) / NULLIF(sum(agents), 0)::float8 AS seconds"""
"""The fields of `Figures`, in their order."""

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
