"""Which endings a webhook is told of: each once, and none from before it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.common.tests.at_once import at_once
from apps.evaluations.models import Evaluation
from apps.training.models import TrainingJob
from apps.webhooks import finding
from apps.webhooks.delivering import SWEPT_AFTER, deliveries_sweep
from apps.webhooks.finding import endings_find
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import webhook_create
from apps.webhooks.tests.conftest import FAILURE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hook")]

Evaluated = Callable[..., Evaluation]
Trained = Callable[..., TrainingJob]


def test_of_both_kinds_and_whether_they_succeeded(evaluated: Evaluated, trained: Trained) -> None:
    expected = {
        (evaluated().id, "evaluation.succeeded"),
        (evaluated(status="failed").id, "evaluation.failed"),
        (trained().id, "training.succeeded"),
        (trained(status="failed").id, "training.failed"),
    }
    assert endings_find() == 4
    assert set(Delivery.objects.values_list("job_id", "event")) == expected
    assert endings_find() == 0
    assert Delivery.objects.count() == 4


def test_what_is_kept_of_a_job(hook: Webhook, trained: Trained) -> None:
    job = trained(status="failed")
    endings_find()
    told = Delivery.objects.get()
    assert (told.webhook, told.ended_at, told.status) == (hook, job.finished_at, "pending")
    assert (told.job or {})["failure"] == {"code": "endpoint_away", "message": "It is away."}
    assert set(told.job or {}) == {
        *("kind", "id", "name", "status", "created_at", "finished_at", "failure", "path")
    }


def test_of_nothing_else(evaluated: Evaluated, trained: Trained, cast: dict[str, User]) -> None:
    evaluated(status="cancelled")
    trained(status="cancelled")
    evaluated(minutes=61)  # before the webhook was there
    evaluated(created_by=cast["operator"])
    evaluated(created_by=None)
    evaluated(status="running", finished_at=None)
    trained(status="paused", finished_at=None)
    assert endings_find() == 0


def test_nothing_that_ended_before_it_was_made(evaluated: Evaluated, cast: dict[str, User]) -> None:
    evaluated(minutes=0)
    Webhook.objects.all().delete()
    values = {"name": "New", "url": "https://x.example/"}
    webhook_create(user=cast["curator"], values=values, as_curator=False)
    assert endings_find() == 0
    later = evaluated(minutes=-1)
    assert endings_find() == 1
    assert Delivery.objects.get().job_id == later.id


def test_nothing_while_it_or_its_owner_is_off(evaluated: Evaluated, cast: dict[str, User]) -> None:
    evaluated()
    Webhook.objects.update(is_active=False)
    assert endings_find() == 0
    Webhook.objects.update(is_active=True)
    User.objects.filter(pk=cast["curator"].pk).update(is_active=False)
    assert endings_find() == 0


def test_each_webhook_of_a_person_is_told(
    hook: Webhook, evaluated: Evaluated, cast: dict[str, User]
) -> None:
    since = timezone.now() - timedelta(minutes=10)
    more = {"url": "https://x.example/", "active_since": since}
    late = Webhook.objects.create(owner=cast["curator"], name="Late", **more)
    Webhook.objects.create(owner=cast["operator"], name="Another's", **more)
    Webhook.objects.create(owner=cast["curator"], name="Off", is_active=False, **more)
    old, new = evaluated(minutes=20), evaluated(minutes=5)
    assert endings_find() == 3
    told = set(Delivery.objects.values_list("webhook_id", "job_id"))
    assert told == {(hook.id, old.id), (hook.id, new.id), (late.id, new.id)}


def test_one_that_is_resumed_ends_again(evaluated: Evaluated) -> None:
    job = evaluated(minutes=5, status="failed", failure=FAILURE)
    endings_find()
    Evaluation.objects.update(status="running", finished_at=None, failure=None)
    assert endings_find() == 0
    Evaluation.objects.update(status="succeeded", finished_at=timezone.now())
    assert endings_find() == 1
    told = Delivery.objects.filter(job_id=job.id).order_by("ended_at")
    events = told.values_list("event", flat=True)
    assert list(events) == ["evaluation.failed", "evaluation.succeeded"]


def test_many_come_round_by_round(evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "LIMIT", 2)
    ended = [evaluated(minutes=10 - number).id for number in range(5)]
    assert [endings_find() for _ in range(4)] == [2, 2, 1, 0]
    assert list(Delivery.objects.order_by("ended_at").values_list("job_id", flat=True)) == ended


def test_what_was_swept_is_not_found_again(evaluated: Evaluated) -> None:
    long_ago = timezone.now() - timedelta(days=60)
    Webhook.objects.update(active_since=long_ago)
    evaluated()
    assert endings_find() == 1
    ended = timezone.now() - SWEPT_AFTER
    for old, left in ((ended + timedelta(minutes=1), 1), (ended - timedelta(minutes=1), 0)):
        Evaluation.objects.update(finished_at=old)
        Delivery.objects.update(ended_at=old, status="delivered", next_try_at=None, finished_at=old)
        assert endings_find() == 0
        assert deliveries_sweep() == 1 - left
        assert Delivery.objects.count() == left
    assert endings_find() == 0


def test_what_still_waits_is_not_swept(evaluated: Evaluated) -> None:
    evaluated()
    endings_find()
    Delivery.objects.update(ended_at=timezone.now() - timedelta(days=99))
    assert deliveries_sweep() == 0


@pytest.mark.django_db(transaction=True)
def test_any_number_of_rounds_make_one_delivery_of_each(
    evaluated: Evaluated, trained: Trained
) -> None:
    for _ in range(3):
        evaluated()
        trained()
    at_once(lambda number: endings_find(), 8)
    assert Delivery.objects.count() == 6
