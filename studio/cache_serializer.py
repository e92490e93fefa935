"""The cache in Redis. Values are signed: the studio unpickles only what it wrote itself."""

import hashlib
import hmac
import pickle
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.cache.backends.redis import RedisCache

SALT = b"studio.cache"
NOT_OURS = object()


class SignedCache(RedisCache):
    """A value with another signature counts as missing: Redis may outlive a key or a version."""

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        found = super().get(key, default, version)
        return default if found is NOT_OURS else found

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, Any]:
        found = super().get_many(keys, version)
        return {key: value for key, value in found.items() if value is not NOT_OURS}


class SignedSerializer:
    """`dumps` and `loads` of Django's Redis cache. `loads` returns NOT_OURS for foreign values."""

    def dumps(self, value: Any) -> bytes | int:
        if type(value) is int:  # Redis counts these itself
            return value
        packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return _signature(packed) + packed

    def loads(self, data: bytes) -> Any:
        try:
            return int(data)
        except ValueError:
            signature, packed = data[:32], data[32:]
        if not hmac.compare_digest(signature, _signature(packed)):
            return NOT_OURS
        return pickle.loads(packed)  # noqa: S301 - its signature is ours


def _signature(packed: bytes) -> bytes:
    key = hashlib.sha256(SALT + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(key, packed, "sha256")
