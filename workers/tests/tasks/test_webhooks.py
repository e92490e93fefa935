"""One round: what has ended is found and sent, and where nobody listens it costs one look-up."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.tests.receiver import Receiver, receiving
from workers.tasks import webhooks
from workers.tasks.webhooks import Teller, begin_to_tell, deliveries_sweep, webhooks_tell

pytestmark = pytest.mark.django_db


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


def test_beat_calls_for_the_sweep_alone() -> None:
    """A round that waits in the queue of what people ask expires there."""
    tasks = {str(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert [task for task in tasks if "webhooks" in task] == [deliveries_sweep.name]
    assert "workers.tasks.webhooks" in settings.CELERY_IMPORTS


class TestTeller:
    """Of a worker whose threads all answer people: none is left for a message."""

    @pytest.fixture
    def teller(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Teller]:
        monkeypatch.setattr(settings, "WEBHOOK_TICK_SECONDS", 0.05)
        teller = Teller()
        monkeypatch.setattr(webhooks, "_teller", teller)
        yield teller
        teller.stop()

    @pytest.mark.django_db(transaction=True)
    def test_tells_by_itself_until_the_worker_stops(
        self,
        ended: Evaluation,
        receiver: Receiver,
        teller: Teller,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        rounds: list[str] = []

        def sometimes(stopping: threading.Event | None = None) -> int:
            rounds.append("begun")
            if len(rounds) == 1:
                raise ZeroDivisionError  # a bug, after which the next round comes all the same
            return webhooks_tell(stopping)

        monkeypatch.setattr(webhooks, "webhooks_tell", sometimes)
        begin_to_tell(sender=worker("inference", "evaluation"))
        deadline = time.monotonic() + 10
        while not Delivery.objects.filter(status="delivered").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        teller.stop()
        assert teller._thread is not None
        assert not teller._thread.is_alive()
        assert len(receiver.received) == 1

    def test_is_not_in_a_worker_for_trainings_alone(self, teller: Teller) -> None:
        begin_to_tell(sender=worker("training"))
        assert teller._thread is None


def worker(*queues: str) -> Any:
    """As Celery tells of it: what it takes messages from."""
    consumed = SimpleNamespace(consume_from=dict.fromkeys(queues))
    return SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=consumed)))
