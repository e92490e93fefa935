"""Deliveries that a person sends once more: what may be, and that it arrives."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.tests.cast import AsUser
from apps.webhooks import services
from apps.webhooks.delivering import deliveries_send, send_test
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.tests.receiver import Receiver
from apps.webhooks.tests.test_api import ended_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def resend(as_user: AsUser, hook: Webhook) -> Callable[[Delivery], Any]:
    at = f"/api/webhooks/{hook.id}/deliveries"
    client = as_user("curator")
    return lambda delivery: client.post(f"{at}/{delivery.id}/resend")


def waiting(hook: Webhook, **delay: float) -> Delivery:
    later = timezone.now() + timedelta(**delay)
    return ended_of(hook, status="pending", tries=4, next_try_at=later, finished_at=None)


@pytest.mark.parametrize("before", ["failed", "delivered", "pending"])
def test_it_is_sent_as_if_it_was_new(
    hook: Webhook, receiver: Receiver, resend: Callable[[Delivery], Any], before: str
) -> None:
    waits = before == "pending"
    delivery = waiting(hook, minutes=30) if waits else ended_of(hook, status=before)
    told = resend(delivery).json()
    assert (told["status"], told["tries"], told["http_status"]) == ("pending", 0, None)
    receiver.status = 500
    assert deliveries_send() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.tries) == ("pending", 1)
    assert receiver.deliveries() == [str(delivery.id)]


def test_what_is_not_sent_again(hook: Webhook, resend: Callable[[Delivery], Any]) -> None:
    def code(delivery: Delivery) -> tuple[int, str]:
        refused = resend(delivery)
        return refused.status_code, refused.json()["error"]["code"]

    test, _ = send_test(webhook=hook)
    assert code(test) == (409, "a_test")
    assert code(waiting(hook, seconds=100)) == (409, "on_its_way")
    another = Webhook.objects.create(owner=hook.owner, name="Another", url=hook.url)
    assert resend(ended_of(another)).status_code == 404
    Webhook.objects.update(is_active=False)
    failed = ended_of(hook)
    assert code(failed) == (409, "webhook_off")
    failed.refresh_from_db()
    assert (failed.status, failed.tries) == ("failed", 6)


def test_so_many_a_minute(
    hook: Webhook, resend: Callable[[Delivery], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "RESENDS", 1)
    assert [resend(ended_of(hook)).status_code for _ in range(2)] == [200, 429]


def test_admins_send_many_again(as_user: AsUser, hook: Webhook) -> None:
    given_up = ended_of(hook)
    on_its_way = waiting(hook, seconds=100)
    chosen = {"action": "resend", "_selected_action": [str(given_up.id), str(on_its_way.id)]}
    at = "/admin/webhooks/delivery/"
    page = as_user("admin").post(at, chosen, format="multipart", follow=True).content.decode()
    assert f"{given_up} will be sent again" in page
    assert f"{on_its_way} was not sent. It is being sent" in page
    given_up.refresh_from_db()
    assert (given_up.status, given_up.tries) == ("pending", 0)
    assert as_user("curator").post(at, chosen, format="multipart").status_code == 403
