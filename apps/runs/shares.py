"""Links that let anybody read one stored run, without an account, until they are revoked.

A link's secret is made from the share's id and the studio's key whenever it is shown: nothing that
opens a run is stored. What it opens is read-only: the question and its reference answer, every
prompt and message, and the names of model, endpoint, pool and checkpoint. It names nobody who works
here, leads to nothing else, and of what failed it says no more than the kind, since the whole
sentence may hold an address or what a provider answered.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.common.permissions import acts_as
from apps.runs.models import TERMINAL, Run, Share
from apps.runs.selectors import Row, StoredEvent, run_row

SALT = "apps.runs.share"
MAC_BYTES = 16
MAX_DAYS = 365
MAX_PER_RUN = 20


@transaction.atomic
def share_create(*, user: User, run_id: UUID, days: int | None, as_admin: bool) -> Share:
    """A link that works for `days` from now, None: until it is revoked.

    Raises Run.DoesNotExist, or ApplicationError: 403 for another user's run or where links are off,
    409 for a run that has not ended or has too many links already.
    """
    if not settings.SHARE_LINKS:
        raise ApplicationError(
            code="sharing_off",
            message="This studio makes no links for people without an account.",
            remedy="Its administrator turns them on with SHARE_LINKS=1.",
            status_code=status.HTTP_403_FORBIDDEN,
        )
    if days is not None and not 0 < days <= MAX_DAYS:
        message = f"1 to {MAX_DAYS} days, or nothing for a link that does not expire."
        raise ApplicationError.of_fields([FieldError("days", "out_of_range", message)])
    run = Run.objects.select_for_update(of=("self",)).get(id=run_id)
    _check_owner(user, run, as_admin)
    if run.status not in TERMINAL:
        raise ApplicationError(
            code="run_active",
            message=f"The run is {run.status}: only a stored run can be shared.",
            remedy="Share it when it has ended.",
            status_code=status.HTTP_409_CONFLICT,
        )
    if _lasting(Share.objects.filter(run=run)).count() >= MAX_PER_RUN:
        raise ApplicationError(
            code="too_many_links",
            message=f"The run has {MAX_PER_RUN} links already.",
            remedy="Revoke one of them, or pass one of them on.",
            status_code=status.HTTP_409_CONFLICT,
        )
    expires_at = None if days is None else timezone.now() + timedelta(days=days)
    return Share.objects.create(run=run, created_by=user, expires_at=expires_at)


def shares_of(*, user: User, run_id: UUID, as_admin: bool) -> QuerySet[Share]:
    """The run's links that have not expired, oldest first. Raises as `share_create` does for
    another's run."""
    _check_owner(user, Run.objects.get(id=run_id), as_admin)
    return _lasting(Share.objects.filter(run_id=run_id)).select_related("created_by")


def share_revoke(*, user: User, run_id: UUID, share_id: UUID, as_admin: bool) -> None:
    """From now on the link opens nothing. Revoking one twice is no error."""
    _check_owner(user, Run.objects.get(id=run_id), as_admin)
    Share.objects.filter(run_id=run_id, id=share_id).delete()


def share_token(share_id: UUID) -> str:
    """What stands in the address: the id and its code, 32 bytes in 43 characters."""
    return urlsafe_b64encode(share_id.bytes + _code(share_id)).rstrip(b"=").decode()


def shared_run_id(token: str) -> UUID:
    """The run that this link opens. Raises Share.DoesNotExist where it opens none (any more): also
    where who made it could not make it now."""
    share_id = _id_of(token)
    if share_id is None or not settings.SHARE_LINKS:
        raise Share.DoesNotExist
    share = _lasting(Share.objects.filter(id=share_id)).select_related("created_by", "run").get()
    maker = share.created_by
    owns = share.run.created_by_id == maker.pk or acts_as(maker, "admin")
    if not (maker.is_active and acts_as(maker, "operator") and owns):
        raise Share.DoesNotExist
    return share.run_id


def shared_row(run_id: UUID) -> Row:
    """What is named here of the run, and nothing that is added to it later."""
    row = {name: value if name in PUBLIC else None for name, value in run_row(run_id).items()}
    return {**row, "notes": [], "failure": row["failure"] and _kind_alone(row["failure"])}


def role_names(run_id: UUID) -> dict[str, str]:
    """Of the pool's roles as they were, by key: what a policy chose among."""
    spec = Run.objects.values_list("pool_version__spec", flat=True).get(id=run_id)
    roles: Sequence[dict[str, Any]] = (spec or {}).get("roles", ())
    return {role["key"]: role["name"] for role in roles}


def for_strangers(event: StoredEvent) -> StoredEvent:
    """The event, which may name who has cancelled the run, and tell why something failed."""
    if event.kind not in TELLING:
        return event
    payload = orjson.loads(event.payload)
    if "by" in payload:
        payload["by"] = ""
    if payload.get("failure"):
        payload["failure"] = _kind_alone(payload["failure"])
    return StoredEvent(event.position, event.kind, orjson.dumps(payload))


TELLING = frozenset({"run_cancelled", "run_failed", "agent_failed", "attempt_lost"})

PUBLIC = frozenset(
    {
        "id",
        "status",
        "attempt",
        "max_attempts",
        "method",
        "method_config",
        "endpoint_key",
        "pool_version__key",
        "pool_version__version",
        "checkpoint",
        "seed",
        "query",
        "reference",
        "answer",
        "message",
        "correct",
        "reward",
        "failure",
        "graph",
        "agent_count",
        "prompt_tokens",
        "completion_tokens",
        "cost",
        "seconds",
        "created_at",
        "started_at",
        "finished_at",
        "cancel_requested_at",
        "budget",
    }
)

HARMLESS = frozenset({"budget_exceeded", "no_input"})
"""Codes of failures whose sentences hold numbers and names of agents, and nothing else."""


def _kind_alone(failure: dict[str, Any]) -> dict[str, Any]:
    code = str(failure["code"])
    if code in HARMLESS:
        return failure
    kind = code.replace("_", " ")
    return {"code": code, "message": f"It failed: {kind}.", "remedy": ""}


def _lasting(shares: QuerySet[Share]) -> QuerySet[Share]:
    return shares.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))


def _check_owner(user: User, run: Run, as_admin: bool) -> None:
    if run.created_by_id != user.pk and not as_admin:
        raise ApplicationError(
            code="not_yours",
            message="This run belongs to someone else.",
            remedy="Its owner or an admin can share it.",
            status_code=status.HTTP_403_FORBIDDEN,
        )


def _code(share_id: UUID) -> bytes:
    return salted_hmac(SALT, share_id.bytes, algorithm="sha256").digest()[:MAC_BYTES]


def _id_of(token: str) -> UUID | None:
    try:
        read = urlsafe_b64decode(token.encode("ascii") + b"=")
    except (UnicodeEncodeError, binascii.Error):
        return None
    if len(read) != 16 + MAC_BYTES:
        return None
    share_id = UUID(bytes=read[:16])
    genuine = constant_time_compare(read[16:], _code(share_id)) and token == share_token(share_id)
    return share_id if genuine else None
