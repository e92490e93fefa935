"""Whether another evaluation may begin: no more than one may have, and none twice by mistake."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from apps.accounts.models import User
from apps.common.admission import (
    check_limit,
    idempotency_key_check,
    request_digest,
    same_request_check,
)
from apps.evaluations.models import ACTIVE, Evaluation
from apps.evaluations.requests import EvaluationRequest


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
        if found is not None:
            same_request_check(found.request_digest, self.digest)
        return found


def check_active(user: User) -> None:
    """Raises ApplicationError (429)."""
    active = Evaluation.objects.filter(created_by=user, status__in=ACTIVE).count()
    check_limit(
        active,
        settings.EVALUATION_MAX_ACTIVE_PER_USER,
        "evaluations",
        state="that have not ended",
        retry_seconds=60,
    )
