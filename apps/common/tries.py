"""How often somebody has tried something lately, counted for all web processes together."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request


def tries_counted(key: str, *, seconds: int) -> int:
    """How many there were under `key`, with this one, in the `seconds` that began with the first.

    Raises RedisError: what may be done uncounted differs.
    """
    cache.add(key, 0, seconds)
    try:
        return cache.incr(key)
    except ValueError:  # it expired in between
        return 1


def client_address(request: Request) -> str:
    """Of the browser; behind the proxy that settings trust, the last one that proxy has added. What
    stands before it came from the browser and may say anything."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    last = forwarded.rsplit(",", 1)[-1].strip()
    return last or request.META.get("REMOTE_ADDR", "")
