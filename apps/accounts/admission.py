"""Whether a person may start something: not twice by mistake, and not more at once than the limit.

Runs, evaluations and trainings ask here; their models have `created_by`, `idempotency_key` and
`request_digest`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import orjson
from django.db import connection, transaction
from django.db.models import Model
from django.utils.translation import gettext as _
from pydantic import BaseModel
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError

IDEMPOTENCY_KEY_MAX_CHARS = 200

Row = TypeVar("Row", bound=Model)


def idempotency_key_check(key: str | None) -> None:
    """Raises ApplicationError when the header cannot be used as a key."""
    if key is None or (0 < len(key) <= IDEMPOTENCY_KEY_MAX_CHARS and key.isprintable()):
        return
    raise ApplicationError(
        code="bad_idempotency_key",
        message=_("The Idempotency-Key is empty, too long or not printable."),
        remedy=_("Send 1 to %(at_most)s printable characters, e.g. a UUID.")
        % {"at_most": IDEMPOTENCY_KEY_MAX_CHARS},
    )


@dataclass(frozen=True, slots=True)
class Creation(Generic[Row]):
    """`created` is False when the same request had been made before under the same key."""

    row: Row
    created: bool

    @property
    def status_code(self) -> int:
        return status.HTTP_201_CREATED if self.created else status.HTTP_200_OK


@dataclass(frozen=True, slots=True)
class Asked(Generic[Row]):
    """A request to make a row, with its sender's idempotency key if there is one."""

    rows: type[Row]
    user: User
    key: str | None
    digest: str

    @classmethod
    def of(
        cls, rows: type[Row], *, user: User, body: BaseModel | dict[str, Any], key: str | None
    ) -> Asked[Row]:
        """Raises ApplicationError for a bad key, and for a body that cannot be stored."""
        idempotency_key_check(key)
        return cls(rows, user, key, request_digest(body))

    @property
    def stamp(self) -> dict[str, Any]:
        """The fields of the row that say who made the request and what it asked for."""
        return {
            "created_by": self.user,
            "idempotency_key": self.key,
            "request_digest": self.digest,
        }

    def earlier(self) -> Row | None:
        """The row that the same request made before. Raises 409 when the key belongs to a different
        request."""
        if self.key is None:
            return None
        found: Any = self.rows._default_manager.filter(
            created_by=self.user, idempotency_key=self.key
        ).first()
        if found is not None:
            _same_request_check(found.request_digest, self.digest)
        return cast("Row | None", found)

    def once(self, make: Callable[[], Row], *, limit: Callable[[User], None]) -> Creation[Row]:
        """`limit` raises when the user may have no more rows.

        Two equal requests at the same moment make one row: the second finds it, even at the limit.
        """
        with transaction.atomic():
            one_at_a_time(self.user, self.rows)
            if (earlier := self.earlier()) is not None:
                return Creation(earlier, created=False)
            limit(self.user)
            return Creation(make(), created=True)


def owner_check(
    row: Any, user: User, *, as_admin: bool, message: str, remedy: str | None = None
) -> None:
    """Raises ApplicationError (403) where `row` belongs to another user."""
    if row.created_by_id == user.pk or as_admin:
        return
    raise ApplicationError(
        code="not_yours",
        message=message,
        remedy=remedy or _("Ask its owner or an admin to do this."),
        status_code=status.HTTP_403_FORBIDDEN,
    )


def request_digest(body: BaseModel | dict[str, Any]) -> str:
    """SHA-256 of the request as sent: equal digests mean equal requests.

    Raises ApplicationError for a request that is nested too deeply.
    """
    try:
        plain = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
        return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except (TypeError, ValueError, RecursionError) as error:
        raise ApplicationError(
            code="too_deep",
            message=_("The request is nested too deeply, or holds a value that is not JSON."),
            remedy=_("Send the options as plain JSON values."),
        ) from error


def _same_request_check(stored: str, digest: str) -> None:
    if stored != digest:
        raise ApplicationError(
            code="idempotency_conflict",
            message=_("This Idempotency-Key was used for a different request."),
            remedy=_("Use a new key for a new request."),
            status_code=status.HTTP_409_CONFLICT,
            fields=(FieldError("Idempotency-Key", "idempotency_conflict", _("Already used.")),),
        )


def one_at_a_time(user: User, rows: type[Model]) -> None:
    """Makes one user's creations of such rows wait for each other until the transaction ends, so
    that the count of active rows stays exact."""
    digest = hashlib.sha256(f"{rows._meta.label} of {user.pk}".encode()).digest()
    lock = int.from_bytes(digest[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])


def check_limit(active: int, limit: int, *, code: str, message: str, retry_seconds: int) -> None:
    """Raises ApplicationError (429) with `message` when `active` has reached `limit`."""
    if active < limit:
        return
    raise ApplicationError(
        code=code,
        message=message % {"active": f"{active:,}"},
        remedy=_("Wait until some have ended, or cancel some."),
        status_code=status.HTTP_429_TOO_MANY_REQUESTS,
        headers={"Retry-After": str(retry_seconds)},
    )
