"""Finds endings in the jobs; jobs do not report them. Whatever ended a job, and whichever process
died then, the next round finds it. Any number of rounds may run at once, because a webhook has one
delivery of an ending."""

import logging

from django.db import IntegrityError
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q
from django.db.models.functions import Now

from apps.home.endings import JOBS, KEPT, TOLD, Job, Kind
from apps.webhooks.models import Delivery
from apps.webhooks.payload import job_told

log = logging.getLogger(__name__)

LIMIT = 500
"""Limit on deliveries of one kind in one round; the next round finds the others."""


def endings_find() -> int:
    """Makes a delivery of each ending that an active webhook has not received. Returns how many
    were missing."""
    found = [row for kind, model in JOBS for row in _missing(kind, model)]
    if not found:
        return 0
    try:
        Delivery.objects.bulk_create(found, ignore_conflicts=True)
    except IntegrityError:  # a webhook was deleted meanwhile, and the others have the next round
        log.info("a webhook was deleted while endings were found")
        return 0
    return len(found)


def _missing(kind: Kind, model: type[Job]) -> list[Delivery]:
    own = "created_by__webhooks"
    made = Delivery.objects.filter(
        webhook=OuterRef("hook__id"),
        kind=kind,
        job_id=OuterRef("id"),
        ended_at=OuterRef("finished_at"),
    )
    ended = (
        model._default_manager.alias(
            hook=FilteredRelation(own, condition=Q(**{f"{own}__is_active": True}))
        )
        .filter(
            ~Exists(made),
            status__in=TOLD,
            created_by__is_active=True,
            finished_at__gt=F("hook__active_since"),
        )
        .filter(finished_at__gt=Now() - KEPT)
        .order_by("finished_at")
    )
    fields = ("id", "name", "status", "created_at", "finished_at", "failure")
    return [
        Delivery(
            webhook_id=webhook_id,
            kind=kind,
            event=f"{kind}.{job['status']}",
            job_id=job["id"],
            job=job_told(kind, **job),
            ended_at=job["finished_at"],
            next_try_at=Now(),
        )
        for webhook_id, *values in ended.values_list("hook__id", *fields)[:LIMIT]
        for job in [dict(zip(fields, values, strict=True))]
    ]
