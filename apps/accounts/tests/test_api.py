"""Logging in, one-time links and tokens, as every member of the cast."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts import services
from apps.accounts.models import ApiToken, User
from apps.accounts.tests.cast import AsUser, TokenClient

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def in_days(days: float) -> str:
    return (timezone.now() + timedelta(days=days)).isoformat()


def test_me_tells_what_the_user_may_do(as_user: AsUser) -> None:
    body = as_user("curator").get("/api/me").json()
    assert body["permissions"] == {"run": True, "share": True, "curate": True, "admin": False}


def test_login_needs_csrf_and_the_right_password(cast: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True)
    credentials = {"username": "viewer", "password": PASSWORD}
    refused = client.post("/api/auth/login", credentials, content_type="application/json")
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "csrf_failed"
    token = client.get("/api/auth/csrf").json()["token"]
    headers = {"X-CSRFToken": token}
    wrong = client.post(
        "/api/auth/login",
        {**credentials, "password": "wrong"},
        content_type="application/json",
        headers=headers,
    )
    assert wrong.status_code == 401
    assert wrong.json()["error"]["code"] == "wrong_credentials"
    right = client.post(
        "/api/auth/login", credentials, content_type="application/json", headers=headers
    )
    assert right.status_code == 200
    assert right.json()["username"] == "viewer"
    assert client.get("/api/me").status_code == 200


def test_an_expired_link_and_an_inactive_users_link_are_refused(cast: dict[str, User]) -> None:
    expired = services.login_link_create(user=cast["viewer"], minutes=-1)
    assert Client().get(expired).headers["Location"] == "/login?link=spent"
    link = services.login_link_create(user=cast["viewer"])
    cast["viewer"].is_active = False
    cast["viewer"].save()
    assert Client().get(link).headers["Location"] == "/login?link=spent"


def test_a_token_is_shown_once_and_stored_as_a_digest(as_user: AsUser) -> None:
    client = as_user("operator")
    made = client.post(
        "/api/me/tokens", {"name": "batch", "scopes": ["read", "run"], "expires_at": in_days(30)}
    )
    assert made.status_code == 201, made.content
    secret = made.json()["secret"]
    assert not ApiToken.objects.filter(digest__contains=secret).exists()
    listed = client.get("/api/me/tokens").json()
    assert [token["name"] for token in listed] == ["batch"]
    assert "secret" not in listed[0]
    program = APIClient(headers={"Authorization": f"Bearer {secret}"})
    assert program.get("/api/me").json()["permissions"]["run"] is True
    assert client.delete(f"/api/me/tokens/{made.json()['id']}").status_code == 204
    assert program.get("/api/me").status_code == 401


def test_a_token_never_exceeds_its_scopes_nor_makes_tokens(with_token: TokenClient) -> None:
    program = with_token("admin", "read")
    me = program.get("/api/me").json()
    assert me["permissions"] == {"run": False, "share": False, "curate": False, "admin": False}
    made = program.post(
        "/api/me/tokens", {"name": "more", "scopes": ["run"], "expires_at": in_days(1)}
    )
    assert made.status_code == 403
    assert made.json()["error"]["code"] == "session_required"


@pytest.mark.parametrize("days", [-1, 366])
def test_a_token_must_expire_within_a_year(as_user: AsUser, days: float) -> None:
    refused = as_user("viewer").post(
        "/api/me/tokens", {"name": "x", "scopes": ["read"], "expires_at": in_days(days)}
    )
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"][0]["field"] == "expires_at"


def test_another_users_token_cannot_be_revoked(as_user: AsUser, cast: dict[str, User]) -> None:
    token, _ = services.token_create(
        user=cast["admin"], name="x", scopes=["read"], expires_at=timezone.now() + timedelta(days=1)
    )
    assert as_user("viewer").delete(f"/api/me/tokens/{token.id}").status_code == 404


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer ", "Bearer \x00\xff", "bearer mas_x"])
def test_a_wrong_token_is_401_with_the_way_out(db: None, header: str) -> None:
    refused = APIClient(headers={"Authorization": header}).get("/api/me")
    assert refused.status_code == 401
    assert refused.json()["error"]["remedy"]


@pytest.mark.usefixtures("cast")
class TestTries:
    def ask(self, name: str, password: str = "", address: str = "198.51.100.7") -> Any:
        credentials = {"username": name, "password": password or "wrong"}
        return Client().post(
            "/api/auth/login", credentials, content_type="application/json", REMOTE_ADDR=address
        )

    def login(self, *tried: str, **where: str) -> int:
        status: int = self.ask(*tried, **where).status_code
        return status

    @pytest.fixture(autouse=True)
    def _no_csrf(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "LOGIN_TRIES", 3)
        monkeypatch.setattr(services, "LOGIN_TRIES_NAME", 6)
        monkeypatch.setattr(services, "LOGIN_TRIES_ADDRESS", 8)

    def test_of_many_at_one_moment_only_the_allowed_are_looked_at(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked = []

        def slow_refusal(*_: object, **__: object) -> None:
            looked.append(1)
            time.sleep(0.05)

        monkeypatch.setattr(services, "authenticate", slow_refusal)
        with ThreadPoolExecutor(20) as threads:
            codes = list(threads.map(lambda _: self.login("viewer"), range(20)))
        assert len(looked) == codes.count(401) == 3
        assert codes.count(429) == 17

    def test_right_logins_do_not_use_up_an_address(self) -> None:
        """People behind one proxy share it. Nor do they give a guesser beside them more tries."""
        names = ("viewer", "operator")
        assert [self.login(name, PASSWORD) for name in names * 5] == [200] * 10
        wrong = [self.login(f"guess-{place // 2}") for place in range(8)]
        assert wrong == [401] * 8
        assert self.login("viewer", PASSWORD) == 429

    def test_a_right_login_takes_back_its_own_try_alone(self) -> None:
        for place in range(8):
            assert self.login(f"guess-{place}") == 401
            if place < 7:
                assert self.login("viewer", PASSWORD) == 200
        assert self.login("guess-9") == 429

    def test_a_crowd_is_asked_to_wait_and_told_why(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "_hashing", threading.BoundedSemaphore(1))
        monkeypatch.setattr(services, "LOGIN_WAIT_SECONDS", 0.01)
        with services._hashing:
            assert self.login("viewer", PASSWORD) == 429
        assert self.login("viewer", PASSWORD) == 200

    def test_without_redis_nobody_counts_and_the_way_out_is_told(
        self, redis_leaves: Callable[[], None]
    ) -> None:
        redis_leaves()
        answer = self.ask("viewer", PASSWORD)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (503, "tries_not_counted")
        assert "Redis" in error["message"]
        assert "one-time link" in error["remedy"]

    def test_who_was_let_in_stays_in_though_redis_leaves(
        self, redis_leaves: Callable[[], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def let_in(*_: object, **__: object) -> object:
            redis_leaves()
            return authenticated

        authenticated = authenticate(None, username="viewer", password=PASSWORD)
        monkeypatch.setattr(services, "authenticate", let_in)
        assert self.login("viewer", PASSWORD) == 200

    def test_a_strangers_tries_lock_nobody_out_elsewhere(self) -> None:
        assert [self.login("viewer") for _ in range(4)] == [401, 401, 401, 429]
        refused = self.ask("viewer", PASSWORD)
        assert (refused.status_code, refused["Retry-After"]) == (
            429,
            str(services.LOGIN_WINDOW_SECONDS),
        )
        assert self.login("viewer", PASSWORD, address="203.0.113.9") == 200
        assert self.login("operator", PASSWORD) == 200

    def test_a_name_is_guarded_from_everywhere_and_an_address_for_all_names(self) -> None:
        codes = [self.login("viewer", address=f"203.0.113.{n}") for n in range(8)]
        assert codes == [401] * 6 + [429] * 2
        codes = [self.login(f"nobody{n}") for n in range(10)]
        assert codes == [401] * 8 + [429] * 2


def test_a_container_is_checked_without_https(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/api/health").status_code == 200
    assert Client().get("/api/me").status_code == 301
