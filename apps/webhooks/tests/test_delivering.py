"""A delivery's way: tried again, given up, never lost, never sent by two at once."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from apps.accounts.models import User
from apps.common.tests.at_once import at_once
from apps.common.tests.connections import connection_is_free
from apps.evaluations.models import Evaluation
from apps.webhooks import delivering, reasons, sending
from apps.webhooks.delivering import deliveries_claim, deliveries_send, delivery_settle
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.sending import Reply, notice_of
from apps.webhooks.services import webhook_update
from apps.webhooks.tests.receiver import Receiver

pytestmark = pytest.mark.django_db

BACKOFF_SECONDS = [10, 60, 300, 1_800, 7_200]
TAKEN = Reply(200, None)


@pytest.fixture
def due(hook: Webhook) -> Callable[..., Delivery]:
    """A delivery of an ending, to be sent now."""

    def make(**values: object) -> Delivery:
        job = {"kind": "training", "id": str(uuid4()), "path": "/training/x"}
        of = {"kind": "training", "event": "training.succeeded", "job_id": job["id"], "job": job}
        times = {"ended_at": timezone.now(), "next_try_at": Now()}
        return Delivery.objects.create(**{"webhook": hook, **of, **times, **values})

    return make


def renew(*rows: Delivery | Webhook) -> None:
    for row in rows:
        row.refresh_from_db()


def now_due() -> None:
    Delivery.objects.filter(status="pending").update(next_try_at=Now())


def waits(delivery: Delivery) -> float:
    """Seconds until the next try."""
    delivery.refresh_from_db()
    assert delivery.next_try_at is not None
    return (delivery.next_try_at - timezone.now()).total_seconds()


def test_tried_again_after_longer_and_longer_then_given_up(
    hook: Webhook, due: Callable[..., Delivery], receiver: Receiver
) -> None:
    receiver.status = 500
    delivery = due()
    for tries, seconds in enumerate(BACKOFF_SECONDS, start=1):
        assert deliveries_send() == 1
        assert waits(delivery) == pytest.approx(seconds, abs=3)
        assert (delivery.status, delivery.tries) == ("pending", tries)
        assert (delivery.http_status, (delivery.failure or {})["code"]) == (500, "http_status")
        assert deliveries_send() == 0  # not before its time
        now_due()
    assert deliveries_send() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.tries, delivery.next_try_at) == ("failed", 6, None)
    assert len(receiver.received) == 6
    hook.refresh_from_db()
    assert (hook.is_active, hook.failures, hook.last_http_status) == (True, 1, 500)
    assert (hook.last_failure or {})["code"] == "http_status"


def test_one_that_is_taken_later(
    hook: Webhook, due: Callable[..., Delivery], receiver: Receiver
) -> None:
    Webhook.objects.update(failures=19)
    receiver.status = 503
    delivery = due()
    deliveries_send()
    now_due()
    receiver.status = 204
    deliveries_send()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.http_status, delivery.failure) == ("delivered", 204, None)
    hook.refresh_from_db()
    assert (hook.failures, hook.last_failure) == (0, None)
    assert deliveries_send() == 0


class TestSwitchedOff:
    def test_after_twenty_in_a_row(
        self, hook: Webhook, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        receiver.status = 500
        for _ in range(reasons.FAILURES - 1):
            due(tries=5)
        deliveries_send()
        hook.refresh_from_db()
        assert (hook.is_active, hook.failures) == (True, 19)
        waiting = due(next_try_at=timezone.now() + timedelta(hours=1))
        due(tries=5)
        deliveries_send()
        hook.refresh_from_db()
        assert (hook.is_active, hook.off_reason) == (False, "failing")
        waiting.refresh_from_db()
        assert (waiting.status, (waiting.failure or {})["code"]) == ("failed", "switched_off")

    def test_at_once_where_the_receiver_is_gone(
        self, hook: Webhook, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        receiver.status = 410
        delivery = due()
        deliveries_send()
        renew(delivery, hook)
        assert (delivery.status, delivery.tries, delivery.http_status) == ("failed", 1, 410)
        assert (hook.is_active, hook.off_reason) == (False, "gone")

    def test_nothing_is_sent_to_one_that_is_off(
        self, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        due()
        Webhook.objects.update(is_active=False)
        assert deliveries_send() == 0
        assert not receiver.received

    def test_what_was_just_being_sent_is_not_tried_again(
        self, hook: Webhook, due: Callable[..., Delivery]
    ) -> None:
        due()
        [claimed] = deliveries_claim()
        Webhook.objects.update(is_active=False)
        delivery_settle(claimed, Reply(500, reasons.NOT_SENT))
        renew(claimed, hook)
        assert (claimed.status, claimed.http_status, hook.failures) == ("failed", 500, 0)

    @pytest.mark.parametrize(
        ("reply", "status"), [(Reply(500, reasons.NOT_SENT), "failed"), (TAKEN, "delivered")]
    )
    def test_what_was_dropped_while_it_was_sent_stays_so_unless_it_has_arrived(
        self, hook: Webhook, due: Callable[..., Delivery], reply: Reply, status: str
    ) -> None:
        due()
        [claimed] = deliveries_claim()
        for switched in (False, True):
            webhook_update(webhook=hook, values={"is_active": switched}, as_curator=True)
        delivery_settle(claimed, reply)
        claimed.refresh_from_db()
        assert claimed.status == status


def test_nothing_for_who_is_no_operator_any_more_which_is_not_the_receivers_failure(
    hook: Webhook, due: Callable[..., Delivery], receiver: Receiver, cast: dict[str, User]
) -> None:
    Webhook.objects.update(failures=19)
    cast["curator"].groups.set(cast["viewer"].groups.all())
    delivery = due()
    deliveries_send()
    delivery.refresh_from_db()
    assert (delivery.status, (delivery.failure or {})["code"]) == ("failed", "owner_not_allowed")
    assert (delivery.tries, receiver.received) == (0, [])
    hook.refresh_from_db()
    assert (hook.is_active, hook.failures, hook.last_at) == (True, 19, None)


def test_of_a_busy_studio_a_try_is_not_counted(hook: Webhook, due: Callable[..., Delivery]) -> None:
    Webhook.objects.update(failures=19)
    delivery = due(tries=5)
    [claimed] = deliveries_claim()
    delivery_settle(claimed, Reply(None, reasons.BUSY, asked=False))
    assert waits(delivery) == pytest.approx(10, abs=3)
    assert (delivery.status, delivery.tries) == ("pending", 5)
    assert (delivery.failure or {})["code"] == "studio_busy"
    hook.refresh_from_db()
    assert (hook.is_active, hook.last_at) == (True, None)


class TestShares:
    """Nobody's many deliveries keep another's waiting."""

    def test_a_batch_has_so_many_of_each_owner(
        self, hook: Webhook, due: Callable[..., Delivery], cast: dict[str, User]
    ) -> None:
        for _ in range(delivering.SHARE + 5):
            due()
        own = {"name": "Own", "url": "https://own.example/"}
        others = Webhook.objects.create(owner=cast["operator"], **own)
        due(webhook=others)
        claimed = [each.webhook for each in deliveries_claim()]
        assert Counter(claimed) == {hook: delivering.SHARE, others: 1}
        assert [each.webhook for each in deliveries_claim()] == [hook] * 5

    def test_who_may_send_is_asked_once_a_batch(
        self, due: Callable[..., Delivery], django_assert_num_queries: Any
    ) -> None:
        for _ in range(5):
            due()
        with django_assert_num_queries(3 + 2):  # found, their groups, taken; a savepoint around
            claimed = deliveries_claim()
        with django_assert_num_queries(0):
            assert all(notice_of(each).allow_private for each in claimed)


class TestVanishedSender:
    def test_another_sends_what_one_took_along(
        self, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        delivery = due()
        assert len(deliveries_claim()) == 1  # and then nothing: it was killed
        assert deliveries_send() == 0
        assert waits(delivery) == pytest.approx(120, abs=3)
        now_due()
        assert deliveries_send() == 1
        delivery.refresh_from_db()
        assert (delivery.status, delivery.tries) == ("delivered", 2)
        assert len(receiver.received) == 1

    def test_a_last_try_that_vanished_is_made_again(
        self, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        delivery = due(tries=5)
        deliveries_claim()
        now_due()
        deliveries_send()
        delivery.refresh_from_db()
        assert (delivery.status, delivery.tries) == ("delivered", 7)

    def test_one_that_comes_back_late_writes_nothing(
        self, hook: Webhook, due: Callable[..., Delivery], receiver: Receiver
    ) -> None:
        delivery = due(tries=5)
        [late] = deliveries_claim()
        now_due()
        deliveries_send()
        delivery_settle(late, Reply(500, reasons.NOT_SENT))
        renew(delivery, hook)
        assert (delivery.status, delivery.http_status) == ("delivered", 200)
        assert (hook.failures, hook.last_http_status) == (0, 200)

    def test_one_whose_webhook_was_deleted_meanwhile(
        self, hook: Webhook, due: Callable[..., Delivery]
    ) -> None:
        due()
        [claimed] = deliveries_claim()
        hook.delete()
        delivery_settle(claimed, Reply(200, None))
        assert not Delivery.objects.exists()


def test_batch_by_batch_until_nothing_is_due(
    due: Callable[..., Delivery], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "BATCH", 2)
    made = {str(due().id) for _ in range(5)}
    assert deliveries_send() == 5
    assert set(receiver.deliveries()) == made
    due()
    monkeypatch.setattr(delivering, "ROUND_SECONDS", 0.0)
    assert deliveries_send() == 0  # the next round's


@pytest.mark.django_db(transaction=True)
def test_of_sixteen_senders_one_sends_each(
    due: Callable[..., Delivery], receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In small batches, so that all of them get some."""
    monkeypatch.setattr(delivering, "BATCH", 2)
    receiver.seconds = 0.05
    made = [str(due().id) for _ in range(40)]
    sent = at_once(lambda number: deliveries_send(), 16)
    assert sum(sent) == 40
    assert Counter(receiver.deliveries()) == Counter(made)
    assert set(Delivery.objects.values_list("status", "tries")) == {("delivered", 1)}


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_something_is_sent(
    due: Callable[..., Delivery], monkeypatch: pytest.MonkeyPatch
) -> None:
    free: list[bool] = []

    async def answer(notices: Sequence[object]) -> list[Reply]:
        free.append(connection_is_free())
        return [Reply(200, None)] * len(notices)

    monkeypatch.setattr(sending, "_send", answer)
    due()
    assert (deliveries_send(), free) == (1, [True])


def test_evaluations_are_told_like_trainings(
    due: Callable[..., Delivery], receiver: Receiver
) -> None:
    due(kind="evaluation", event="evaluation.failed", job_id=Evaluation().id)
    deliveries_send()
    assert receiver.received[0].headers["X-MAS-Studio-Event"] == "evaluation.failed"
