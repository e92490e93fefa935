"""Switching webhooks on and off. Whoever calls holds the row's lock and saves `SWITCHED`."""

from __future__ import annotations

from django.db.models.functions import Now

from apps.webhooks import reasons
from apps.webhooks.models import Delivery, Webhook

SWITCHED = ("is_active", "active_since", "off_reason", "failures")


def switch_on(webhook: Webhook) -> None:
    """It is told of what ends from now on."""
    webhook.is_active, webhook.off_reason, webhook.failures = True, "", 0
    webhook.active_since = Now()
    _drop_pending(webhook)


def switch_off(webhook: Webhook, reason: str = "") -> None:
    """`reason`: a `Webhook.Off` where the studio does it."""
    webhook.is_active, webhook.off_reason = False, reason
    _drop_pending(webhook)


def _drop_pending(webhook: Webhook) -> None:
    """What waits is not sent weeks later. When it is switched on there may be some as well: of a
    round of finding that began before it was switched off."""
    webhook.deliveries.filter(status=Delivery.Status.PENDING).update(
        status=Delivery.Status.FAILED,
        failure=reasons.SWITCHED_OFF.model_dump(),
        next_try_at=None,
        finished_at=Now(),
    )
