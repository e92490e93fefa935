"""How the roles of a pool did in the runs that took the pool. Runs fill in the figures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from django.core.cache import cache
from redis import RedisError

from apps.common.slot import Slot
from apps.roles.models import RolePool
from workers.core.intervals import Interval, wilson

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


class FindPoolUsage(Protocol):
    def __call__(self, pool: RolePool, *, days: int | None) -> PoolUsage: ...


pool_usage: Slot[FindPoolUsage] = Slot("figures of pools")


def pool_usage_kept(pool: RolePool, *, days: int | None) -> PoolUsage:
    """Up to a minute old."""
    found = partial(pool_usage.content, pool, days=days)
    return kept_a_minute(f"pool-figures:{pool.pk}:{days}", PoolUsage, found)


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
