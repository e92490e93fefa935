"""Webhooks through the API: who may, what is refused, and what the page gets."""

import threading
import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser, TokenClient
from apps.webhooks import delivering, services
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.sending import Reply

pytestmark = pytest.mark.django_db

PUBLIC = {"name": "Chat", "url": "https://chat.example/hooks/k1"}
PRIVATE = {"name": "Here", "url": "http://127.0.0.1:9000/", "allow_private_address": True}
CODES = ("list", "make", "read", "deliveries", "resend", "change", "rotate", "test", "delete")


@pytest.fixture(autouse=True)
def _sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "send", lambda notices: [Reply(204, None, 3)] * len(notices))


@pytest.fixture
def own(cast: dict[str, User]) -> dict[str, Webhook]:
    """One webhook of each user, by name in the cast."""
    return {
        who: Webhook.objects.create(owner=user, name="Own", url="https://own.example/")
        for who, user in cast.items()
    }


def codes(client: APIClient, hook: Webhook) -> dict[str, int]:
    """What each operation answers; the last deletes it."""
    at = f"/api/webhooks/{hook.id}"
    answers = (
        client.get("/api/webhooks"),
        client.post("/api/webhooks", PUBLIC),
        client.get(at),
        client.get(f"{at}/deliveries"),
        client.post(f"{at}/deliveries/{ended_of(hook).id}/resend"),
        client.patch(at, {"is_active": False}),
        client.post(f"{at}/rotate"),
        client.post(f"{at}/test"),
        client.delete(at),
    )
    return dict(zip(CODES, (answer.status_code for answer in answers), strict=True))


def ended_of(hook: Webhook, **values: Any) -> Delivery:
    """A delivery that was given up."""
    now = timezone.now()
    given = {"kind": "training", "event": "training.failed", "job_id": uuid4(), "tries": 6}
    ended = {"status": "failed", "ended_at": now, "finished_at": now, "http_status": 500}
    return Delivery.objects.create(webhook=hook, **{**given, **ended, **values})


MAY = {**dict.fromkeys(CODES, 200), "make": 201, "delete": 204}
READS = {**dict.fromkeys(CODES, 403), "list": 200, "read": 200, "deliveries": 200}
ANOTHERS = {**dict.fromkeys(CODES, 404), "list": 200, "make": 201}


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("viewer", READS),  # who was an operator once
        ("operator", MAY),
        ("curator", MAY),
        ("admin", MAY),
    ],
)
def test_each_group_with_its_own(
    as_user: AsUser, own: dict[str, Webhook], who: str, expected: dict[str, int]
) -> None:
    assert codes(as_user(who), own[who]) == expected
    assert Webhook.objects.filter(id=own[who].id).exists() is (expected["delete"] != 204)


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("viewer", {**READS, "read": 404, "deliveries": 404}),
        ("curator", ANOTHERS),
        ("admin", {**ANOTHERS, "read": 200, "deliveries": 200, "delete": 204}),
    ],
)
def test_each_group_with_anothers(
    as_user: AsUser, own: dict[str, Webhook], who: str, expected: dict[str, int]
) -> None:
    assert codes(as_user(who), own["operator"]) == expected


def test_a_token_to_run_is_as_good_as_a_session(
    with_token: TokenClient, own: dict[str, Webhook]
) -> None:
    assert codes(with_token("operator", "run"), own["operator"]) == MAY


def test_no_token_administers(with_token: TokenClient, own: dict[str, Webhook]) -> None:
    client = with_token("admin", "read", "run", "curate")
    assert codes(client, own["operator"]) == ANOTHERS
    assert client.get("/api/webhooks?everyone=true").status_code == 403


def test_everyones_for_admins_and_one_s_own_for_the_rest(
    as_user: AsUser, own: dict[str, Webhook]
) -> None:
    found = as_user("admin").get("/api/webhooks?everyone=true").json()
    assert [hook["owner"] for hook in found] == sorted(own)
    refused = as_user("curator").get("/api/webhooks?everyone=true")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    for who in ("viewer", "admin"):
        assert [hook["owner"] for hook in as_user(who).get("/api/webhooks").json()] == [who]


def test_an_address_whole_for_its_owner_alone(
    as_user: AsUser, with_token: TokenClient, cast: dict[str, User]
) -> None:
    hook = Webhook.objects.create(owner=cast["operator"], **PUBLIC)
    for client in (as_user("operator"), with_token("operator", "read")):
        assert client.get(f"/api/webhooks/{hook.id}").json()["url"] == PUBLIC["url"]
        assert client.get("/api/webhooks").json()[0]["url"] == PUBLIC["url"]
    admin = as_user("admin")
    assert admin.get(f"/api/webhooks/{hook.id}").json()["url"] == "https://chat.example"
    assert admin.get("/api/webhooks?everyone=1").json()[0]["url"] == "https://chat.example"


def test_what_the_page_gets(as_user: AsUser) -> None:
    client = as_user("operator")
    made = client.post("/api/webhooks", {**PUBLIC, "name": " Chat "}).json()
    secret = made.pop("secret")
    assert made == {
        **{"id": made["id"], "created_at": made["created_at"], "owner": "operator", **PUBLIC},
        **{"is_active": True, "allow_private_address": False},
        **dict.fromkeys(("switched_off", "old_secret_until", "last")),
    }
    assert client.get("/api/webhooks").json() == [made]
    assert client.get(f"/api/webhooks/{made['id']}").json() == made
    again = client.post(f"/api/webhooks/{made['id']}/rotate").json()
    assert again["secret"].startswith("whsec_")
    assert again["secret"] != secret
    assert again["old_secret_until"] is not None
    assert again["secret"].removeprefix("whsec_") not in str(Webhook.objects.values().get())


def test_what_is_no_webhook(as_user: AsUser) -> None:
    wrong: list[tuple[dict[str, Any], str, str]] = [
        ({"name": ""}, "name", "blank"),
        ({"name": "x" * 61}, "name", "bad_name"),
        ({"name": "two\nlines"}, "name", "bad_name"),
        ({"url": ""}, "url", "blank"),
        ({"url": "chat.example"}, "url", "address_refused"),
        ({"url": "ftp://chat.example/"}, "url", "address_refused"),
        ({"url": "file:///etc/passwd"}, "url", "address_refused"),
        ({"url": "https://me:secret@chat.example/"}, "url", "address_refused"),
        ({"url": "https://chat.example/" + "x" * 2_000}, "url", "too_long"),
        ({"url": "http://127.0.0.1:9000/"}, "url", "address_refused"),
        ({"url": "http://localhost/"}, "url", "address_refused"),
        ({"url": "http://169.254.169.254/"}, "url", "address_refused"),
        ({"url": "http://2130706433/"}, "url", "address_refused"),
        ({"is_active": "perhaps"}, "is_active", "invalid"),
    ]
    for body, field, code in wrong:
        refused = as_user("operator").post("/api/webhooks", {**PUBLIC, **body})
        assert refused.status_code == 400, body
        fields = refused.json()["error"]["fields"]
        assert [(each["field"], each["code"]) for each in fields] == [(field, code)]
        assert "secret" not in fields[0]["message"]
        assert "endpoint" not in fields[0]["message"]  # the guard's words about those do not fit
    metadata = {**PRIVATE, "url": "http://169.254.169.254/latest"}
    assert as_user("curator").post("/api/webhooks", metadata).status_code == 400
    assert not Webhook.objects.exists()


def test_a_name_is_taken_once_per_person(as_user: AsUser) -> None:
    mine = as_user("operator")
    mine.post("/api/webhooks", PUBLIC)
    assert as_user("curator").post("/api/webhooks", PUBLIC).status_code == 201
    other = mine.post("/api/webhooks", {**PUBLIC, "name": "Other"}).json()
    for refused in (
        mine.post("/api/webhooks", PUBLIC),
        mine.patch(f"/api/webhooks/{other['id']}", {"name": "Chat"}),
    ):
        error = refused.json()["error"]
        assert (refused.status_code, error["code"]) == (409, "name_taken")
        assert (error["fields"][0]["field"], bool(error["remedy"])) == ("name", True)
    assert mine.get(f"/api/webhooks/{other['id']}").json()["name"] == "Other"


def test_so_many_and_no_more(as_user: AsUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "WEBHOOKS_PER_USER", 2)
    client = as_user("operator")
    for number in range(2):
        assert client.post("/api/webhooks", {**PUBLIC, "name": f"{number}"}).status_code == 201
    refused = client.post("/api/webhooks", PUBLIC)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_webhooks")
    assert as_user("curator").post("/api/webhooks", PUBLIC).status_code == 201


class TestPrivateAddresses:
    def refused(self, answer: Any) -> None:
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (403, "curator_only")
        assert "curator" in error["remedy"]

    def test_are_allowed_by_curators(self, as_user: AsUser, with_token: TokenClient) -> None:
        self.refused(as_user("operator").post("/api/webhooks", PRIVATE))
        self.refused(with_token("curator", "run").post("/api/webhooks", PRIVATE))
        both = with_token("curator", "run", "curate")
        assert both.post("/api/webhooks", PRIVATE).status_code == 201
        assert as_user("admin").post("/api/webhooks", PRIVATE).status_code == 201

    def test_are_not_reached_by_a_change_either(
        self, as_user: AsUser, with_token: TokenClient, own: dict[str, Webhook]
    ) -> None:
        mine, at = as_user("operator"), f"/api/webhooks/{own['operator'].id}"
        self.refused(mine.patch(at, {"allow_private_address": True}))
        assert mine.patch(at, {"url": PRIVATE["url"]}).status_code == 400
        curators = as_user("curator").post("/api/webhooks", PRIVATE).json()["id"]
        narrow = with_token("curator", "run")
        elsewhere = {"url": "http://127.0.0.1:6379/"}
        self.refused(narrow.patch(f"/api/webhooks/{curators}", elsewhere))
        assert narrow.patch(f"/api/webhooks/{curators}", {"name": "New"}).status_code == 200
        assert as_user("curator").patch(f"/api/webhooks/{curators}", elsewhere).status_code == 200

    def test_taken_back_the_address_has_to_be_public(self, as_user: AsUser) -> None:
        client = as_user("curator")
        at = f"/api/webhooks/{client.post('/api/webhooks', PRIVATE).json()['id']}"
        assert client.patch(at, {"allow_private_address": False}).status_code == 400
        public = {"allow_private_address": False, "url": PUBLIC["url"]}
        assert client.patch(at, public).status_code == 200


class TestSwitching:
    def test_off_what_waits_is_not_sent(self, as_user: AsUser, own: dict[str, Webhook]) -> None:
        due = {"status": "pending", "next_try_at": timezone.now(), "finished_at": None}
        at = f"/api/webhooks/{ended_of(own['operator'], **due).webhook_id}"
        assert as_user("operator").patch(at, {"name": "Renamed"}).json()["is_active"]
        assert Delivery.objects.get().status == "pending"
        assert not as_user("operator").patch(at, {"is_active": False}).json()["is_active"]
        [told] = as_user("operator").get(f"{at}/deliveries").json()
        assert (told["status"], told["failure"]["code"]) == ("failed", "switched_off")
        assert (told["next_try_at"], bool(told["finished_at"])) == (None, True)

    def test_on_it_begins_anew(self, as_user: AsUser, own: dict[str, Webhook]) -> None:
        hook = own["operator"]
        then = timezone.now() - timedelta(days=1)
        Webhook.objects.filter(id=hook.id).update(
            is_active=False, off_reason="failing", failures=20, active_since=then
        )
        told = as_user("operator").get(f"/api/webhooks/{hook.id}").json()
        assert told["switched_off"]["code"] == "failing"
        assert told["switched_off"]["remedy"]
        told = as_user("operator").patch(f"/api/webhooks/{hook.id}", {"is_active": True}).json()
        assert (told["is_active"], told["switched_off"]) == (True, None)
        hook.refresh_from_db()
        assert hook.failures == 0
        assert timezone.now() - hook.active_since < timedelta(minutes=1)


def test_the_admin_shows_no_address_whole(as_user: AsUser, cast: dict[str, User]) -> None:
    hook = Webhook.objects.create(owner=cast["operator"], **PUBLIC)
    delivering.send_test(webhook=hook)
    for page in ("", f"{hook.id}/change/"):
        shown = as_user("admin").get(f"/admin/webhooks/webhook/{page}").content.decode()
        assert "https://chat.example" in shown
        assert "hooks/k1" not in shown
        assert hook.salt not in shown
    sent = as_user("admin").get(f"/admin/webhooks/delivery/{hook.deliveries.get().id}/change/")
    assert sent.status_code == 200


def test_what_goes_with_what(cast: dict[str, User], own: dict[str, Webhook]) -> None:
    for hook in own.values():
        delivering.send_test(webhook=hook)
    own["viewer"].delete()
    cast["operator"].delete()
    left = set(Delivery.objects.values_list("webhook__owner__username", flat=True))
    assert left == {"curator", "admin", "outsider"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("what", ["webhook", "owner"])
def test_deleting_waits_for_a_sender_and_the_sender_for_nobody(
    own: dict[str, Webhook], what: str
) -> None:
    """In another order they would wait for each other, and Postgres would break off one of them."""
    hook = own["operator"]
    sent, _ = delivering.send_test(webhook=hook)
    gone = hook if what == "webhook" else hook.owner

    def delete() -> None:
        try:
            gone.delete()
        finally:
            connection.close()

    deleting = threading.Thread(target=delete)
    with transaction.atomic():
        Webhook.objects.select_for_update(no_key=True).get(pk=hook.pk)
        deleting.start()
        until_somebody_waits()
        assert Delivery.objects.filter(pk=sent.pk).update(tries=2) == 1
    deleting.join(10)
    assert not Delivery.objects.filter(pk=sent.pk).exists()


def until_somebody_waits() -> None:
    """For a row that another transaction holds."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    for _ in range(500):
        with connection.cursor() as cursor:
            cursor.execute(waiting)
            if cursor.fetchone()[0]:
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")
