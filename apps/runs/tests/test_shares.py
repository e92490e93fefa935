"""Links to stored runs: who makes them, and when they open nothing (any more)."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import OWNED, AsUser
from apps.runs.api.shares import MAX_PAGE_SIZE
from apps.runs.models import Run, RunEvent, Share
from apps.runs.shares import READS, share_token
from apps.runs.tests.links import links, opened, share
from apps.runs.tests.traces import tell

pytestmark = pytest.mark.django_db

MakeRun = Callable[..., Run]


@pytest.mark.parametrize(("who", "lists"), OWNED)
def test_the_owner_and_admins_share_it(
    as_user: AsUser, stored: MakeRun, cast: dict[str, User], who: str, lists: int
) -> None:
    makes, revokes = (201, 204) if lists == 200 else (lists, lists)
    run, client = stored(), as_user(who)
    assert share(client, run).status_code == makes
    assert client.get(links(run)).status_code == lists
    one = Share.objects.first() or Share.objects.create(run=run, created_by=cast["operator"])
    assert client.delete(f"{links(run)}/{one.id}").status_code == revokes
    assert Share.objects.filter(id=one.id).exists() is (revokes != 204)


def test_a_trace_comes_in_pages(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    tell(run, "run_started", attempt=9)
    path = f"{share(as_user('operator'), run).json()['path']}/events"
    first = opened(f"{path}?page_size=1").json()
    assert len(first["results"]) == 1
    rest = opened(f"{path}?after={first['next_after']}").json()
    assert rest["ended"] is True
    assert opened(f"{path}?page_size=0").status_code == 400
    assert opened(f"{path}?page_size={MAX_PAGE_SIZE}").status_code == 200
    refused = opened(f"{path}?page_size={MAX_PAGE_SIZE + 1}")
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "Use a number from 1 to 500."


def test_without_a_size_a_page_has_no_more_than_strangers_may_ask_for(
    as_user: AsUser, stored: MakeRun
) -> None:
    run = stored()
    RunEvent.objects.bulk_create(
        RunEvent(run=run, attempt=9, seq=seq, kind="x", payload={}, at=timezone.now())
        for seq in range(MAX_PAGE_SIZE)
    )
    path = share(as_user("operator"), run).json()["path"]
    page = opened(f"{path}/events").json()
    assert (len(page["results"]), page["ended"]) == (MAX_PAGE_SIZE, False)


class TestReads:
    @pytest.fixture(autouse=True)
    def _few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("apps.runs.shares.READS", 3)

    def test_so_many_of_a_link_from_an_address_and_no_more(
        self, as_user: AsUser, stored: MakeRun
    ) -> None:
        run, client = stored(), as_user("operator")
        path, other = (share(client, run).json()["path"] for _ in range(2))
        pages = (path, f"{path}/events", path, path, f"{path}/events")
        answers = [opened(page) for page in pages]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
        error = answers[-1].json()["error"]
        assert (error["code"], answers[-1]["Retry-After"]) == ("too_many_requests", "60")
        assert "Wait a minute" in error["remedy"]
        assert opened(other).status_code == 200
        assert opened(path, address="203.0.113.9").status_code == 200

    def test_what_opens_nothing_is_not_counted(self, as_user: AsUser, stored: MakeRun) -> None:
        path = share(as_user("operator"), stored()).json()["path"]
        assert {opened(f"{path}x").status_code for _ in range(5)} == {404}
        assert opened(path).status_code == 200

    def test_without_redis_everybody_reads(
        self, as_user: AsUser, stored: MakeRun, redis_leaves: Callable[[], None]
    ) -> None:
        path = share(as_user("operator"), stored()).json()["path"]
        redis_leaves()
        assert {opened(path).status_code for _ in range(5)} == {200}


def test_a_reader_of_a_long_run_is_never_asked_to_wait() -> None:
    pages = 5_000 // MAX_PAGE_SIZE + 1
    assert 10 * (1 + pages) <= READS


def test_until_when(as_user: AsUser, stored: MakeRun) -> None:
    run, client = stored(), as_user("operator")
    link = share(client, run, days=7).json()
    assert link["expires_at"] is not None
    assert opened(link["path"]).status_code == 200
    Share.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    answer = opened(link["path"])
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no_such_link")
    assert opened(f"{link['path']}/events").status_code == 404
    assert client.get(links(run)).json() == []


def test_a_new_link_takes_the_place_of_those_that_have_expired(
    as_user: AsUser, stored: MakeRun
) -> None:
    run, other, client = stored(), stored(), as_user("operator")
    for days, of in ((7, run), (7, other), (None, run)):
        assert share(client, of, days=days).status_code == 201
    Share.objects.filter(expires_at__isnull=False).update(expires_at=timezone.now())
    share(client, run)
    assert [Share.objects.filter(run=each).count() for each in (run, other)] == [2, 1]


def test_how_many_days(as_user: AsUser, stored: MakeRun) -> None:
    run, client = stored(), as_user("operator")
    for days in (0, -1, 366, 10**12, "many"):
        answer = share(client, run, days=days)
        assert answer.status_code == 400, days
        assert [field["field"] for field in answer.json()["error"]["fields"]] == ["days"]


def test_revoked_it_opens_nothing(as_user: AsUser, stored: MakeRun) -> None:
    run, client = stored(), as_user("operator")
    kept, gone = (share(client, run).json() for _ in range(2))
    for _ in range(2):
        assert client.delete(f"{links(run)}/{gone['id']}").status_code == 204
    assert opened(gone["path"]).status_code == 404
    assert opened(kept["path"]).status_code == 200
    assert client.get(links(run)).json() == [kept]


def test_no_run_is_loaded_whole_to_make_list_or_revoke_a_link(
    as_user: AsUser, stored: MakeRun
) -> None:
    run, client = stored(), as_user("operator")
    with CaptureQueriesContext(connection) as asked:
        made = share(client, run).json()
        assert client.get(links(run)).json() == [made]
        assert client.delete(f"{links(run)}/{made['id']}").status_code == 204
    sent = " ".join(query["sql"] for query in asked)
    assert sent.count('FROM "runs_run"') == 3
    assert '"control"' not in sent


def test_the_link_of_one_run_is_not_revoked_through_another(
    as_user: AsUser, stored: MakeRun
) -> None:
    run, other = stored(), stored()
    link = share(as_user("operator"), run).json()
    assert as_user("operator").delete(f"{links(other)}/{link['id']}").status_code == 204
    assert opened(link["path"]).status_code == 200


def test_who_may_share_no_longer_shares_nothing_any_more(
    as_user: AsUser, stored: MakeRun, cast: dict[str, User]
) -> None:
    run = stored()
    by_owner = share(as_user("operator"), run).json()["path"]
    by_admin = share(as_user("admin"), run).json()["path"]
    operator, admin = cast["operator"], cast["admin"]
    operator.groups.set(Group.objects.filter(name="viewer"))
    admin.groups.set(Group.objects.filter(name="operator"))
    assert [opened(path).status_code for path in (by_owner, by_admin)] == [404, 404]
    operator.groups.set(Group.objects.filter(name="operator"))
    assert opened(by_owner).status_code == 200
    assert len(as_user("operator").get(links(run)).json()) == 2  # to be revoked all the same
    User.objects.filter(pk=operator.pk).update(is_active=False)
    assert opened(by_owner).status_code == 404


def test_turned_off_nothing_is_made_or_opened_but_listed_and_revoked(
    as_user: AsUser, stored: MakeRun, settings: Settings
) -> None:
    run, client = stored(), as_user("operator")
    link = share(client, run).json()
    assert client.get("/api/me").json()["permissions"]["share"] is True
    settings.SHARE_LINKS = False
    assert opened(link["path"]).status_code == 404
    answer = share(client, run)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "sharing_off")
    may = client.get("/api/me").json()["permissions"]
    assert (may["run"], may["share"]) == (True, False)
    assert client.get(links(run)).json() == [link]
    assert client.delete(f"{links(run)}/{link['id']}").status_code == 204
    settings.SHARE_LINKS = True
    assert opened(link["path"]).status_code == 404


def test_only_a_stored_run(as_user: AsUser, make_run: MakeRun) -> None:
    answer = share(as_user("operator"), make_run())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_active")
    assert share(as_user("operator"), Run(id=uuid4())).status_code == 404


def test_so_many_and_no_more(
    as_user: AsUser, stored: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.runs.shares.MAX_PER_RUN", 2)
    run, client = stored(), as_user("operator")
    for _ in range(2):
        assert share(client, run).status_code == 201
    answer = share(client, run)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_links")


def test_no_search_engine_keeps_its_page(tmp_path: Path, settings: Settings) -> None:
    index = tmp_path / "frontend" / "dist" / "index.html"
    index.parent.mkdir(parents=True)
    index.write_text("<!doctype html>")
    settings.BASE_DIR = tmp_path
    assert APIClient().get("/shared/abc")["X-Robots-Tag"] == "noindex, nofollow"
    index.write_text("built since, of files that this process does not serve")
    assert APIClient().get("/shared/abc").content == b"<!doctype html>"


class TestForged:
    def test_an_id_alone_opens_nothing(self, as_user: AsUser, stored: MakeRun) -> None:
        link = share(as_user("operator"), stored()).json()
        token = link["path"].removeprefix("/shared/")
        read = bytearray(urlsafe_b64decode(token + "="))
        read[-1] ^= 1
        other = urlsafe_b64encode(bytes(read)).rstrip(b"=").decode()
        for wrong in (link["id"], other, token[:-1], token + "A", token + "=", f"{token}é", "x"):
            assert opened(f"/shared/{wrong}").status_code == 404, wrong

    def test_another_spelling_of_the_same_bytes_is_none(
        self, as_user: AsUser, stored: MakeRun
    ) -> None:
        """32 bytes take 42 2/3 characters: the last two bits of the 43rd say nothing."""
        path = share(as_user("operator"), stored()).json()["path"]
        again = chr(ord(path[-1]) + 1)
        assert urlsafe_b64decode(f"{path[-43:-1]}{again}=") == urlsafe_b64decode(path[-43:] + "=")
        assert opened(path[:-1] + again).status_code == 404

    def test_with_another_key_of_the_studio(
        self, as_user: AsUser, stored: MakeRun, settings: Settings
    ) -> None:
        path = share(as_user("operator"), stored()).json()["path"]
        settings.SECRET_KEY = "x" * 50
        assert opened(path).status_code == 404

    def test_of_a_share_that_never_was(self) -> None:
        assert opened(f"/shared/{share_token(uuid4())}").status_code == 404

    def test_nothing_can_be_sent_to_it(self, as_user: AsUser, stored: MakeRun) -> None:
        path = share(as_user("operator"), stored()).json()["path"].replace("/sh", "/api/sh", 1)
        client = APIClient()
        for send in (client.post, client.put, client.patch, client.delete):
            assert send(path, {"query": "1"}, format="json").status_code == 405
