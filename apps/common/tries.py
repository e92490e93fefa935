"""How often something has been tried lately, counted over all web processes together."""

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request


def tries_counted(key: str, *, seconds: int) -> int:
    """The number of tries under `key`, with this one, in the `seconds` since the first.

    Raises RedisError: each caller decides what may be done uncounted.
    """
    cache.add(key, 0, seconds)
    try:
        return cache.incr(key)
    except ValueError:  # it expired in between
        return 1


def client_address(request: Request) -> str:
    """The browser's address. Behind the proxy that the settings trust, this is the last address,
    which that proxy added. The addresses before it came from the browser and may say anything."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    last = forwarded.rsplit(",", 1)[-1].strip()
    return last or request.META.get("REMOTE_ADDR", "")
