"""What is on the wire, and what may not be: against a real server."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from textwrap import dedent
from typing import Any, cast

import orjson
import pytest
from django.conf import settings as conf
from django.utils import timezone

from apps.accounts.models import User
from apps.evaluations.models import Evaluation
from apps.webhooks import reasons
from apps.webhooks.delivering import deliveries_send
from apps.webhooks.finding import endings_find
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import webhook_rotate
from apps.webhooks.signing import HEADER, secret_of, signature
from apps.webhooks.tests.receiver import Received, Receiver
from workers.core.net.guard import AddressRefused, check_url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hook")]

Evaluated = Callable[..., Evaluation]
ENDED = datetime(2026, 11, 23, 12, 0, 0, 250_000, tzinfo=UTC)


def sent() -> Delivery:
    """The one delivery, after a round."""
    endings_find()
    assert deliveries_send() == 1
    return Delivery.objects.get()


def check_in_python() -> str:
    """As docs/webhooks.md gives it to receivers."""
    page = (conf.BASE_DIR / "docs" / "webhooks.md").read_text()
    return dedent(page.partition("In Python:\n")[2].partition("\n\nCheck the bytes")[0]).strip()


def test_the_page_shows_the_check_of_the_documents() -> None:
    page = conf.BASE_DIR / "frontend" / "src" / "strings" / "webhooks.ts"
    assert f"`{check_in_python()}`" in page.read_text()


def documented() -> Callable[[str, bytes, str], bool]:
    names: dict[str, Any] = {}
    exec(check_in_python(), names)  # noqa: S102  our own page
    return cast("Callable[[str, bytes, str], bool]", names["came_from_the_studio"])


def signed(request: Received, secret: str) -> bool:
    return documented()(request.headers[HEADER], request.body, secret)


def test_a_signature_by_hand() -> None:
    """As `printf '1700000000.{}' | openssl dgst -sha256 -hmac whsec_key` has it."""
    code = "bfdd020b0e5c78488e2eb7c57161338519524f24714a6ba86c4224c4b6981a9d"
    assert signature(["whsec_key"], b"{}", at=1_700_000_000) == f"t=1700000000,v1={code}"


def test_the_request(
    hook: Webhook, evaluated: Evaluated, receiver: Receiver, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://studio.example"
    Webhook.objects.update(active_since=ENDED - timedelta(days=1))
    job = evaluated(status="failed", finished_at=ENDED)
    Evaluation.objects.update(created_at=ENDED - timedelta(hours=2))
    delivery = sent()
    [request] = receiver.received
    assert request.path == "/hook?key=k1"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["User-Agent"].startswith("MAS-Studio/")
    assert request.headers["X-MAS-Studio-Event"] == "evaluation.failed"
    assert request.headers["X-MAS-Studio-Delivery"] == str(delivery.id)
    secret = secret_of(hook.id, hook.salt)
    assert signed(request, secret)
    assert not signed(replace(request, body=request.body + b" "), secret)
    old = {HEADER: signature([secret], request.body, at=int(time.time()) - 301)}
    assert not signed(replace(request, headers=old), secret)
    body = orjson.loads(request.body)
    assert body == {
        "event": "evaluation.failed",
        "id": body["id"],
        "delivery": str(delivery.id),
        "at": "2026-11-23T12:00:00.250000Z",
        "job": {
            "kind": "evaluation",
            "id": str(job.id),
            "name": "Nightly",
            "status": "failed",
            "created_at": "2026-11-23T10:00:00.250000Z",
            "finished_at": "2026-11-23T12:00:00.250000Z",
            "failure": {"code": "endpoint_away", "message": "It is away."},
            "path": f"/evaluations/{job.id}",
        },
        "url": f"https://studio.example/evaluations/{job.id}",
    }
    assert (delivery.status, delivery.http_status, delivery.tries) == ("delivered", 200, 1)
    hook.refresh_from_db()
    assert (hook.last_http_status, hook.last_failure) == (200, None)


def test_every_try_tells_the_same_and_every_webhook_names_the_ending_alike(
    hook: Webhook, evaluated: Evaluated, receiver: Receiver
) -> None:
    Webhook.objects.create(
        owner=hook.owner,
        name="Second",
        url=receiver.url,
        allow_private_address=True,
        active_since=hook.active_since,
    )
    evaluated()
    receiver.status = 500
    endings_find()
    deliveries_send()
    Evaluation.objects.update(status="running", finished_at=None, name="Renamed")
    Delivery.objects.update(next_try_at=ENDED)
    receiver.status = 200
    assert deliveries_send() == 2
    bodies: dict[str, set[bytes]] = {}
    for request in receiver.received:
        bodies.setdefault(request.headers["X-MAS-Studio-Delivery"], set()).add(request.body)
    assert [len(each) for each in bodies.values()] == [1, 1]
    told = [orjson.loads(body) for each in bodies.values() for body in each]
    assert len({body["id"] for body in told}) == 1
    assert {body["job"]["name"] for body in told} == {"Nightly"}
    assert "url" not in told[0]


def test_after_a_change_of_secret_both_sign_for_a_day(
    hook: Webhook, evaluated: Evaluated, receiver: Receiver
) -> None:
    oldest = secret_of(hook.id, hook.salt)
    _, old = webhook_rotate(webhook=hook)
    hook, new = webhook_rotate(webhook=hook)
    secrets = (new, old, oldest)
    evaluated()
    sent()
    assert [signed(receiver.received[0], each) for each in secrets] == [True, True, False]
    assert hook.old_secret_until
    assert hook.old_secret_until - timezone.now() > timedelta(hours=23, minutes=59)
    Webhook.objects.update(old_salt_until=timezone.now())
    Delivery.objects.update(status="pending", next_try_at=ENDED, finished_at=None)
    assert deliveries_send() == 1
    assert [signed(receiver.received[1], each) for each in secrets] == [True, False, False]


def test_another_studio_signs_otherwise(hook: Webhook, settings: Any) -> None:
    ours = secret_of(hook.id, hook.salt)
    settings.SECRET_KEY = "another"
    assert secret_of(hook.id, hook.salt) != ours


class TestRefused:
    def test_a_private_address(self, evaluated: Evaluated, receiver: Receiver) -> None:
        Webhook.objects.update(allow_private_address=False)
        evaluated()
        delivery = sent()
        failure = delivery.failure or {}
        assert (failure["code"], delivery.status) == ("address_refused", "pending")
        assert "private address" in failure["message"]
        assert "Curators" in failure["remedy"]
        assert not receiver.received

    def test_a_private_address_of_who_was_a_curator(
        self, evaluated: Evaluated, receiver: Receiver, cast: dict[str, User]
    ) -> None:
        """The permission ends with the group."""
        groups = cast["operator"].groups.all()
        cast["curator"].groups.set(groups)
        evaluated()
        assert (sent().failure or {})["code"] == "address_refused"
        assert not receiver.received

    def test_a_redirect_is_not_followed(self, evaluated: Evaluated, receiver: Receiver) -> None:
        receiver.status, receiver.location = 307, receiver.url.replace("/hook", "/elsewhere")
        evaluated()
        delivery = sent()
        assert [request.path for request in receiver.received] == ["/hook?key=k1"]
        failure = delivery.failure or {}
        assert (failure["code"], delivery.http_status) == ("redirected", 307)
        assert "redirects to" in failure["remedy"]

    def test_the_guards_words_are_about_webhooks_here(self) -> None:
        for url in ("http://127.0.0.1/", "http://me:secret@chat.example/", "ftp://chat.example/"):
            with pytest.raises(AddressRefused) as refused:
                check_url(url)
            told = reasons.refused(refused.value)
            assert told.remedy
            assert "endpoint" not in told.remedy
            assert "environment variable" not in told.remedy


class TestBounded:
    @pytest.mark.parametrize("chunk", [b"x", b"x" * 1_000_000])
    def test_a_body_without_end_is_not_read(
        self, evaluated: Evaluated, receiver: Receiver, chunk: bytes
    ) -> None:
        receiver.trickle = chunk
        evaluated()
        began = time.monotonic()
        assert sent().status == "delivered"
        assert time.monotonic() - began < 5

    def test_slow_receivers_do_not_wait_for_each_other(
        self, evaluated: Evaluated, receiver: Receiver
    ) -> None:
        receiver.seconds = 0.5
        for _ in range(10):
            evaluated()
        endings_find()
        began = time.monotonic()
        assert deliveries_send() == 10
        assert time.monotonic() - began < 4


class TestWords:
    def test_nobody_listens(self, evaluated: Evaluated) -> None:
        Webhook.objects.update(url="http://127.0.0.1:9/hook?key=k1")
        evaluated()
        failure = sent().failure or {}
        assert failure["code"] == "connection_failed"
        assert failure["message"].endswith("to http://127.0.0.1:9: nothing listens there.")

    def test_every_status_has_a_way_out(self) -> None:
        for status in (300, 304, 400, 401, 404, 410, 422, 429, 500, 503):
            failure = reasons.of_status("https://chat.example/k1", status)
            assert failure is not None
            assert str(status) in failure.message
            assert failure.remedy
            assert "k1" not in failure.message
        for status in (200, 201, 202, 204, 299):
            assert reasons.of_status("https://chat.example/", status) is None

    def test_a_bug_is_told_and_tried_again(
        self, evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*arguments: object, **options: object) -> str:
            raise ZeroDivisionError

        monkeypatch.setattr("apps.webhooks.sending.signature", broken)
        evaluated()
        delivery = sent()
        assert ((delivery.failure or {})["code"], delivery.status) == ("not_sent", "pending")
