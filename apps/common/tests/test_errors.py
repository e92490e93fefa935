"""The one shape of error, and the limits of the front door."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.utils import ConnectionHandler
from django.http import Http404
from django.test import Client

from apps.accounts.models import ApiToken, User
from apps.accounts.tests.cast import AsUser
from apps.common import health
from apps.common.database_trouble import trouble_of
from apps.common.errors import missing_is_404
from apps.common.health import Part

pytestmark = pytest.mark.django_db


def test_unknown_addresses_answer_in_the_one_shape() -> None:
    missing = Client().get("/api/nothing")
    assert missing.status_code == 404
    assert set(missing.json()["error"]) == {"code", "message", "remedy", "fields"}


def test_in_the_admin_a_page_tells_the_error(as_user: AsUser) -> None:
    missing = as_user("curator").get("/admin/nothing/", headers={"accept": "application/json"})
    refused = as_user("operator").get("/admin/", follow=True)
    assert [missing.status_code, refused.status_code] == [404, 403]
    for answer, said in ((missing, "nothing at this address"), (refused, "Ask an admin")):
        assert answer.headers["Content-Type"].startswith("text/html")
        assert said in answer.content.decode()
        assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_the_admin_is_found_without_its_last_slash(as_user: AsUser) -> None:
    assert as_user("curator").get("/admin").headers["Location"] == "/admin/"


def test_of_missing_rows_those_that_the_address_names_are_404() -> None:
    with pytest.raises(Http404), missing_is_404(User.DoesNotExist, ApiToken.DoesNotExist):
        ApiToken.objects.get(prefix="none")
    with pytest.raises(ApiToken.DoesNotExist), missing_is_404(User.DoesNotExist):
        ApiToken.objects.get(prefix="none")


def test_a_foreign_host_header_is_refused() -> None:
    assert Client().get("/api/health", headers={"Host": "evil.example"}).status_code == 400


def test_garbage_json_names_the_cause(as_user: AsUser) -> None:
    refused = as_user("viewer").post(
        "/api/me/tokens", b"{not json", content_type="application/json"
    )
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == "parse_error"


def test_health_hides_details_from_strangers(as_user: AsUser) -> None:
    stranger = Client().get("/api/health").json()
    assert stranger["status"] in {"ok", "degraded"}
    assert all(part["detail"] == "" for part in stranger["parts"])
    member = as_user("viewer").get("/api/health").json()
    assert any(part["detail"] for part in member["parts"])


@pytest.mark.parametrize(
    ("missing", "status", "code"),
    [(set(), "ok", 200), ({"redis", "workers"}, "degraded", 200), ({"database"}, "down", 503)],
)
def test_health_takes_the_studio_out_of_service_only_without_the_database(
    monkeypatch: pytest.MonkeyPatch, missing: set[str], status: str, code: int
) -> None:
    parts = [
        lambda name=name: Part(name, name not in missing, "")
        for name in ("database", "redis", "workers", "sandbox")
    ]
    monkeypatch.setattr("apps.common.health.PARTS", parts)
    answer = Client().get("/api/health")
    assert (answer.json()["status"], answer.status_code) == (status, code)


@pytest.fixture
def no_connection_left() -> Iterator[Callable[[], None]]:
    """Asks for a connection of a pool that has given its only one away."""
    pool = {"min_size": 1, "max_size": 1}
    small = {**settings.DATABASES["default"], "OPTIONS": {"pool": pool}}
    databases = ConnectionHandler({"default": small, "small": small})
    wanted = databases.create_connection("small")
    assert isinstance(wanted, DatabaseWrapper)
    wanted.pool.open(wait=True)
    taken = wanted.pool.getconn()
    wanted.pool.timeout = 0.1
    yield wanted.ensure_connection
    wanted.pool.putconn(taken)
    wanted.close_pool()


def refused(code: str | None) -> Callable[[object], None]:
    """What a view raises where PostgreSQL ended a statement or a connection with this code."""

    def get_user(_request: object) -> None:
        cause = psycopg.errors.lookup(code)("said") if code else psycopg.OperationalError("lost")
        raise OperationalError("said") from cause

    return get_user


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (None, 503, "is stopped or starting again"),
        ("57P01", 503, "is stopped or starting again"),
        ("57P03", 503, "is stopped or starting again"),
        ("08006", 503, "is stopped or starting again"),
        ("53100", 503, "disk is full, so nothing can be stored"),
        ("53300", 503, "No database connection was free"),
        ("40P01", 503, "No database connection was free"),
        ("57014", 500, "failed on this request"),
    ],
)
def test_trouble_of_the_database_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, as_user: AsUser, code: str | None, status: int, words: str
) -> None:
    client = as_user("curator")
    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.auth.get_user", refused(code))
    for path in ("/api/me", "/admin/"):
        answer = client.get(path)
        assert (answer.status_code, words in answer.content.decode()) == (status, True)
        assert ("Retry-After" in answer.headers) == (status == 503)


def test_a_pool_whose_server_is_away_does_not_say_busy(
    monkeypatch: pytest.MonkeyPatch, no_connection_left: Callable[[], None]
) -> None:
    with pytest.raises(OperationalError) as caught:
        no_connection_left()
    assert trouble_of(caught.value) == "database_busy"
    nowhere = {"host": "127.0.0.1", "port": 1}
    monkeypatch.setattr(connection, "get_connection_params", lambda: nowhere)
    assert trouble_of(caught.value) == "database_away"


def part(name: str) -> Part:
    return next(found for found in (look() for look in health.PARTS) if found.name == name)


def test_health_tells_a_full_disk_after_it_refused_something(
    monkeypatch: pytest.MonkeyPatch, as_user: AsUser
) -> None:
    assert part("disk").ok
    client = as_user("curator")
    client.raise_request_exception = False
    with monkeypatch.context() as patched:
        patched.setattr("django.contrib.auth.get_user", refused("53100"))
        client.get("/api/me")
    assert part("disk") == Part("disk", False, "the database's disk was full a moment ago")
    assert part("database").ok  # what is stored can still be read


def test_health_knows_whether_the_scheduler_lives() -> None:
    assert not part("scheduler").ok
    cache.set(health.SIGN, True, 5)
    assert part("scheduler").ok


def test_health_warns_before_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    assert part("disk").ok
    monkeypatch.setattr(health, "LOW_DISK_BYTES", 10**18)
    assert not part("disk").ok
    assert part("disk").detail.endswith(" GB free")


def test_the_page_is_served_with_a_strict_policy() -> None:
    policy = Client().get("/").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
