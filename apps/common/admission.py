"""Whether somebody may begin something: not twice by mistake, and not more at once than the limit.

Runs, evaluations and trainings ask here; their models have `created_by` and, where requests carry a
key, `idempotency_key` and `request_digest`.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from django.db import connection
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError

IDEMPOTENCY_KEY_MAX_CHARS = 200


def idempotency_key_check(key: str | None) -> None:
    """Raises ApplicationError when the header cannot be used as a key."""
    if key is None or (0 < len(key) <= IDEMPOTENCY_KEY_MAX_CHARS and key.isprintable()):
        return
    raise ApplicationError(
        code="bad_idempotency_key",
        message="The Idempotency-Key is empty, too long or not printable.",
        remedy=f"Send 1 to {IDEMPOTENCY_KEY_MAX_CHARS} printable characters, e.g. a UUID.",
    )


def request_digest(body: dict[str, Any]) -> str:
    """SHA-256 of the request as asked: two requests with equal digests ask for the same."""
    return hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()


def same_request_check(stored: str, digest: str) -> None:
    """Raises ApplicationError (409) when what a key stands for was another request."""
    if stored != digest:
        raise ApplicationError(
            code="idempotency_conflict",
            message="This Idempotency-Key was used for a different request.",
            remedy="Use a new key for a new request.",
            status_code=status.HTTP_409_CONFLICT,
            fields=(FieldError("Idempotency-Key", "idempotency_conflict", "Already used."),),
        )


def one_at_a_time(user: User, what: str) -> None:
    """One user's creations wait for each other to the end of the transaction, so that a count of
    what is active stays exact."""
    digest = hashlib.sha256(f"{what} of {user.pk}".encode()).digest()
    lock = int.from_bytes(digest[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])


def check_limit(active: int, limit: int, what: str, *, state: str, retry_seconds: int) -> None:
    """Raises ApplicationError (429) where nothing may be added to the `active` ones."""
    if active < limit:
        return
    raise ApplicationError(
        code=f"too_many_{what}",
        message=f"You have {active:,} {what} {state}, which is the limit.",
        remedy="Wait until some have ended, or cancel some.",
        status_code=status.HTTP_429_TOO_MANY_REQUESTS,
        headers={"Retry-After": str(retry_seconds)},
    )
