"""Reads about webhooks."""

from uuid import UUID

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.webhooks.models import Delivery, Webhook

DELIVERIES_SHOWN = 50


def any_active() -> bool:
    """Whether any webhook is active."""
    return Webhook.objects.filter(is_active=True).exists()


def webhooks_of(user: User) -> QuerySet[Webhook]:
    return user.webhooks.select_related("owner")


def webhooks_of_everyone() -> QuerySet[Webhook]:
    """All webhooks, for admins."""
    return Webhook.objects.select_related("owner").order_by("owner__username", "name")


def webhook_get(*, user: User, webhook_id: UUID, as_admin: bool = False) -> Webhook:
    """One of the user's own webhooks; for an admin any webhook. Raises Webhook.DoesNotExist."""
    seen = webhooks_of_everyone() if as_admin else webhooks_of(user)
    return seen.get(id=webhook_id)


def delivery_get(*, webhook: Webhook, delivery_id: UUID) -> Delivery:
    """Raises Delivery.DoesNotExist."""
    return webhook.deliveries.select_related("webhook").get(id=delivery_id)


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """The newest `DELIVERIES_SHOWN`, newest first."""
    return webhook.deliveries.all()[:DELIVERIES_SHOWN]
