"""Tests that a person sends: what came back is told, and kept."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from apps.accounts.tests.cast import AsUser
from apps.webhooks import delivering, reasons, services
from apps.webhooks.models import Webhook
from apps.webhooks.tests.receiver import Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(as_user: AsUser, hook: Webhook) -> Callable[[], Any]:
    client = as_user("curator")
    return lambda: client.post(f"/api/webhooks/{hook.id}/test")


def test_one_that_is_taken(
    as_user: AsUser, hook: Webhook, receiver: Receiver, ask: Callable[[], Any]
) -> None:
    Webhook.objects.update(is_active=False, failures=3)  # one tries before one switches it on
    told = ask().json()
    assert 0 <= told.pop("milliseconds") < 10_000
    [delivery] = receiver.deliveries()
    assert told == {"ok": True, "delivery": delivery, "http_status": 200, "failure": None}
    body = orjson.loads(receiver.received[0].body)
    assert (body["event"], body["job"], body["delivery"]) == ("test", None, told["delivery"])
    client = as_user("curator")
    [kept] = client.get(f"/api/webhooks/{hook.id}/deliveries").json()
    assert kept == {
        **{"id": delivery, "event": "test", "status": "delivered", "tries": 1},
        **{"http_status": 200, **dict.fromkeys(("job", "next_try_at", "failure"))},
        **{name: kept[name] for name in ("ended_at", "created_at", "finished_at")},
    }
    shown = client.get(f"/api/webhooks/{hook.id}").json()
    assert (shown["is_active"], shown["last"]["http_status"]) == (False, 200)
    assert shown["last"]["failure"] is None


def test_one_that_is_refused_changes_nothing(
    hook: Webhook, receiver: Receiver, ask: Callable[[], Any]
) -> None:
    receiver.status = 410
    told = ask().json()
    assert (told["ok"], told["http_status"]) == (False, 410)
    assert told["failure"] == {
        "code": "http_status",
        "message": f"{hook.origin} answered 410.",
        "remedy": reasons.OFF[Webhook.Off.GONE].remedy,
    }
    hook.refresh_from_db()
    assert (hook.is_active, hook.failures, hook.last_http_status) == (True, 0, 410)
    assert delivering.deliveries_send() == 0  # a test is sent once


def test_one_that_nobody_answers(
    receiver: Receiver, ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reasons, "SECONDS", 0.2)
    receiver.seconds = 30
    told = ask().json()
    assert (told["ok"], told["http_status"]) == (False, None)
    assert told["failure"]["code"] == "timeout"
    assert 200 <= told["milliseconds"] < 10_000


def test_so_many_a_minute(
    receiver: Receiver, ask: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "TESTS", 2)
    assert [ask().status_code for _ in range(2)] == [200, 200]
    refused = ask()
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert refused.json()["error"]["code"] == "too_many_requests"
    assert len(receiver.received) == 2


def test_none_that_nobody_counts(
    receiver: Receiver, ask: Callable[[], Any], redis_leaves: Callable[[], None]
) -> None:
    redis_leaves()
    refused = ask()
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "tries_not_counted")
    assert not receiver.received


def test_old_ones_make_room(hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "TESTS_KEPT", 2)
    sent = [delivering.send_test(webhook=hook)[0].id for _ in range(4)]
    assert set(hook.deliveries.values_list("id", flat=True)) == set(sent[-2:])
