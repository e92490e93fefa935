"""Whether every part of the studio works. People, load balancers and the launcher ask this."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass

from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

from workers.core.tools.sandbox import sandbox_status


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    ok: bool
    detail: str


SIGN, SIGN_SECONDS = "health:scheduler", 30
"""A cache key that the scheduler (`studio.schedule`) sets while it lives."""
DISK_FULL = "health:disk-full"
"""A cache key that is set for a while after the database refused to store something because its
disk was full."""
DISK_FULL_SECONDS = 60
LOW_DISK_BYTES = 1_000_000_000


def disk_was_full() -> None:
    with suppress(RedisError, OSError):
        cache.set(DISK_FULL, True, DISK_FULL_SECONDS)


def _database() -> Part:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return Part("database", False, str(error).strip().splitlines()[0])
    return Part("database", True, "answers")


def _redis() -> Part:
    try:
        Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1).ping()
    except RedisError as error:
        return Part("redis", False, str(error))
    return Part("redis", True, "answers")


def _workers() -> Part:
    """Asks the workers themselves, at most every 5 s: a broadcast costs 0.3 s."""
    try:
        count = cache.get("health:workers")
        if count is None:
            count = len(current_app.control.ping(timeout=0.3) or ())
            cache.set("health:workers", count, 5)
    except (RedisError, OperationalError, OSError) as error:
        return Part("workers", False, str(error))
    return Part("workers", count > 0, f"{count} running" if count else "no worker answers")


def _scheduler() -> Part:
    try:
        there = bool(cache.get(SIGN))
    except (RedisError, OSError) as error:
        return Part("scheduler", False, str(error))
    return Part("scheduler", there, "runs" if there else "does not answer")


def _disk() -> Part:
    """The disk of the data folder: checkpoints, and the database that bin/studio starts. The disk
    of another database counts as full after that database refused to store something."""
    with suppress(RedisError, OSError):
        if cache.get(DISK_FULL):
            return Part("disk", False, "the database's disk was full a moment ago")
    try:
        free = shutil.disk_usage(settings.DATA_DIR).free
    except OSError as error:
        return Part("disk", False, str(error))
    return Part("disk", free >= LOW_DISK_BYTES, f"{free / 1e9:,.1f} GB free")


def _sandbox() -> Part:
    ok, detail = sandbox_status()
    return Part("sandbox", ok, detail)


PARTS: tuple[Callable[[], Part], ...] = (
    _database,
    _redis,
    _workers,
    _scheduler,
    _disk,
    _sandbox,
)
ESSENTIAL = frozenset({"database"})
"""Without the other parts the studio still shows what is stored, so it stays in service."""


def health(*, with_detail: bool) -> dict[str, object]:
    """The state of every part. Causes may name hosts, so only a logged-in user sees them."""
    parts = [part() for part in PARTS]
    missing = {part.name for part in parts if not part.ok}
    if not with_detail:
        parts = [Part(part.name, part.ok, "") for part in parts]
    return {
        "status": "down" if missing & ESSENTIAL else "degraded" if missing else "ok",
        "version": settings.VERSION,
        "parts": [asdict(part) for part in parts],
    }
