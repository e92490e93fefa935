"""The body of a delivery: the same bytes for every try."""

from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import orjson
from django.conf import settings

from apps.home.endings import Kind
from apps.webhooks.models import Delivery

PATHS: dict[str, str] = {"training": "/training/{}", "evaluation": "/evaluations/{}"}
"""Path of the job's page."""
JOB = ("kind", "id", "name", "status", "created_at", "finished_at", "failure", "path")
MESSAGE_CHARS = 500


def job_told(
    kind: Kind,
    *,
    id: UUID,
    name: str,
    status: str,
    created_at: datetime,
    finished_at: datetime,
    failure: dict[str, Any] | None,
) -> dict[str, Any]:
    """A job as it ended. It may be resumed or deleted before the last try."""
    told = failure and {
        "code": str(failure.get("code", "")),
        "message": str(failure.get("message", ""))[:MESSAGE_CHARS],
    }
    return {
        "kind": kind,
        "id": str(id),
        "name": name,
        "status": status,
        "created_at": _iso(created_at),
        "finished_at": _iso(finished_at),
        "failure": told,
        "path": PATHS[kind].format(id),
    }


def body_of(delivery: Delivery) -> bytes:
    """The body as JSON. `id` belongs to the ending: it is the same in all its deliveries, to all
    webhooks."""
    body: dict[str, Any] = {
        "event": delivery.event,
        "id": str(_event_id(delivery)),
        "delivery": str(delivery.id),
        "at": _iso(delivery.ended_at),
        "job": delivery.job and {name: delivery.job.get(name) for name in JOB},
    }
    if settings.PUBLIC_URL:
        body["url"] = settings.PUBLIC_URL + (delivery.job or {}).get("path", "")
    return orjson.dumps(body)


def _event_id(delivery: Delivery) -> UUID:
    if delivery.job_id is None:
        return delivery.id
    return uuid5(NAMESPACE_URL, f"{delivery.kind}:{delivery.job_id}:{_iso(delivery.ended_at)}")


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
