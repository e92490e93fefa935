"""Whether another evaluation may begin: no more than one may have, and none twice by mistake."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.evaluations.models import ACTIVE, Evaluation
from apps.evaluations.requests import EvaluationRequest
from apps.runs.requests import idempotency_key_check, request_digest


@dataclass(frozen=True, slots=True)
class Asked:
    """A request under the sender's key, if it has one. Raises ApplicationError for a bad key."""

    user: User
    key: str | None
    digest: str

    @classmethod
    def of(cls, user: User, request: EvaluationRequest, key: str | None) -> Asked:
        idempotency_key_check(key)
        return cls(user, key, request_digest(request.model_dump(mode="json")))

    def earlier(self) -> Evaluation | None:
        """What the same request made before. Raises 409 when the key belongs to another one."""
        if self.key is None:
            return None
        found = Evaluation.objects.filter(created_by=self.user, idempotency_key=self.key).first()
        if found is not None and found.request_digest != self.digest:
            raise ApplicationError(
                code="idempotency_conflict",
                message="This Idempotency-Key was used for a different request.",
                remedy="Use a new key for a new request.",
                status_code=status.HTTP_409_CONFLICT,
                fields=(FieldError("Idempotency-Key", "idempotency_conflict", "Already used."),),
            )
        return found


def one_at_a_time(user: User) -> None:
    """To the end of the transaction, so that the count below is exact."""
    name = f"evaluations of {user.pk}".encode()
    lock = int.from_bytes(hashlib.sha256(name).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock])


def check_limit(user: User) -> None:
    """Raises ApplicationError (429)."""
    active = Evaluation.objects.filter(created_by=user, status__in=ACTIVE).count()
    if active >= settings.EVALUATION_MAX_ACTIVE_PER_USER:
        raise ApplicationError(
            code="too_many_evaluations",
            message=f"You have {active:,} evaluations that have not ended, which is the limit.",
            remedy="Wait until some have ended, or cancel some.",
            status_code=status.HTTP_429_TOO_MANY_REQUESTS,
            headers={"Retry-After": "60"},
        )
