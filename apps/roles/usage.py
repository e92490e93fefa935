"""How the roles of a pool did in the runs that took it. The app of runs provides the figures."""

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
"""How many days back figures go by default."""
KEPT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of agents in runs that succeeded or failed, of people and of evaluations.

    `runs`: runs with such an agent in their graph. `agents`: how many took a turn there; `refused`
    of them said that they cannot help, and `failed` gave no answer. `judged` of the runs have a
    verdict, `correct` of them a right answer. `tokens` (prompt + completion) and `cost` (USD) are
    means over the agents for which they are known, `seconds` over all; None: over none.
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
        """Wilson interval at 95%. If runs ask the same task again, it looks surer than it is."""
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
    """Figures of one role."""

    key: str = ""


@dataclass(frozen=True, slots=True)
class PoolUsage:
    """`runs`: all runs that ended and took the pool, whatever roles they used. `days`: how many
    days back they started; None: all."""

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
    """Figures that are up to a minute old."""
    found = partial(pool_usage.content, pool, days=days)
    return kept_a_minute(f"pool-figures:{pool.pk}:{days}", PoolUsage, found)


def kept_a_minute(key: str, kind: type[Found], find: Callable[[], Found]) -> Found:
    """What `find` found, up to a minute ago. Over many runs it takes a while, and people who page
    through a list ask again and again. Without Redis nothing is kept."""
    with suppress(RedisError):
        kept = cache.get(key)
        if isinstance(kept, kind):
            return kept
    found = find()
    with suppress(RedisError):
        cache.set(key, found, KEPT_SECONDS)
    return found
