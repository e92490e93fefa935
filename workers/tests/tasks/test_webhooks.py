"""One round: what has ended is found and sent, and where nobody listens it costs one look-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.tests.receiver import Receiver, receiving
from workers.tasks.webhooks import deliveries_sweep, webhooks_tell

pytestmark = pytest.mark.django_db

BEAT = settings.CELERY_BEAT_SCHEDULE


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def ended(make_user: Callable[..., User], receiver: Receiver) -> Evaluation:
    """Of a curator with a webhook."""
    owner = make_user("owner", "curator")
    Webhook.objects.create(
        owner=owner,
        name="Builds",
        url=receiver.url,
        allow_private_address=True,
        active_since=timezone.now() - timedelta(minutes=1),
    )
    return Evaluation.objects.create(
        name="Nightly", status="succeeded", created_by=owner, finished_at=timezone.now()
    )


def test_a_round_tells_of_what_has_ended_once(ended: Evaluation, receiver: Receiver) -> None:
    assert webhooks_tell() == 1
    assert webhooks_tell() == 0
    [request] = receiver.received
    assert orjson.loads(request.body)["job"]["id"] == str(ended.id)
    assert Delivery.objects.get().status == "delivered"


def test_without_webhooks_it_is_one_look_up(
    ended: Evaluation, django_assert_num_queries: Any
) -> None:
    Webhook.objects.update(is_active=False)
    with django_assert_num_queries(1):
        assert webhooks_tell() == 0


def test_with_nothing_to_tell_it_is_a_few(
    ended: Evaluation, django_assert_max_num_queries: Any
) -> None:
    Evaluation.objects.all().delete()
    with django_assert_max_num_queries(8):
        assert webhooks_tell() == 0


def test_what_is_old_is_forgotten(ended: Evaluation) -> None:
    webhooks_tell()
    assert deliveries_sweep() == 0
    Delivery.objects.update(ended_at=timezone.now() - timedelta(days=32))
    assert deliveries_sweep() == 1
    assert not Delivery.objects.exists()


def test_beat_calls_both() -> None:
    tasks = {entry["task"] for entry in BEAT.values()}
    assert {webhooks_tell.name, deliveries_sweep.name} <= tasks
    assert settings.CELERY_TASK_ROUTES["workers.tasks.webhooks.*"] == {"queue": "inference"}
    assert "workers.tasks.webhooks" in settings.CELERY_IMPORTS
