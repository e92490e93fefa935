"""Switches webhooks on and off. The caller holds the row's lock and saves `SWITCHED`."""

from django.db.models.functions import Now

from apps.webhooks import reasons
from apps.webhooks.models import Delivery, Webhook

SWITCHED = ("is_active", "active_since", "off_reason", "failures")


def switch_on(webhook: Webhook) -> None:
    """It gets what ends from now on."""
    webhook.is_active, webhook.off_reason, webhook.failures = True, "", 0
    webhook.active_since = Now()
    _drop_pending(webhook)


def switch_off(webhook: Webhook, reason: str = "") -> None:
    """`reason`: a `Webhook.Off` if the studio switches it off."""
    webhook.is_active, webhook.off_reason = False, reason
    _drop_pending(webhook)


def _drop_pending(webhook: Webhook) -> None:
    """Drops waiting deliveries, so that they are not sent weeks later. Switching on drops some,
    too: a round of finding may have begun before the webhook was switched off."""
    webhook.deliveries.filter(status=Delivery.Status.PENDING).update(
        status=Delivery.Status.FAILED,
        failure=reasons.SWITCHED_OFF.model_dump(),
        next_try_at=None,
        finished_at=Now(),
    )
