"""Links to stored runs: who makes them, what they show, and when they open nothing any more."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.services import token_create
from apps.roles.models import RolePool
from apps.runs.models import Run, RunEvent, Share
from apps.runs.selectors import run_row
from apps.runs.services import run_cancel
from apps.runs.shares import MAX_PER_RUN, share_token, shared_row

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
MakeRun = Callable[..., Run]


@pytest.fixture
def stored(make_run: MakeRun, cast: dict[str, User]) -> Callable[..., Run]:
    """A run of the operator, who has cancelled it."""

    def make(**values: Any) -> Run:
        return run_cancel(user=cast["operator"], run_id=make_run(**values).id, as_admin=False)

    return make


def links(run: Run) -> str:
    return f"/api/runs/{run.id}/shares"


def share(client: APIClient, run: Run, **body: Any) -> Any:
    return client.post(links(run), body, format="json")


def opened(path: str) -> Any:
    """What the link shows to somebody without an account."""
    return APIClient().get(path.replace("/shared/", "/api/shared/"))


@pytest.mark.parametrize(
    ("who", "codes"),
    [
        ("anonymous", (401, 401, 401)),
        ("outsider", (403, 403, 403)),
        ("viewer", (403, 403, 403)),
        ("operator", (201, 200, 204)),
        ("curator", (403, 403, 403)),
        ("admin", (201, 200, 204)),
    ],
)
def test_by_group(
    as_user: AsUser,
    stored: MakeRun,
    cast: dict[str, User],
    who: str,
    codes: tuple[int, int, int],
) -> None:
    """The viewer may read every run, but who reads one without an account its owner decides."""
    makes, lists, revokes = codes
    run, client = stored(), as_user(who)
    assert share(client, run).status_code == makes
    assert client.get(links(run)).status_code == lists
    one = Share.objects.first() or Share.objects.create(run=run, created_by=cast["operator"])
    assert client.delete(f"{links(run)}/{one.id}").status_code == revokes
    assert Share.objects.filter(id=one.id).exists() is (revokes != 204)


@pytest.mark.parametrize(("scope", "codes"), [("read", (403, 403)), ("run", (201, 200))])
def test_a_token_needs_the_scope_to_run(
    cast: dict[str, User], stored: MakeRun, scope: str, codes: tuple[int, int]
) -> None:
    """Also to list links: whoever has one keeps it when the token is long revoked."""
    expires = timezone.now() + timedelta(days=1)
    _, secret = token_create(user=cast["operator"], name="t", scopes=[scope], expires_at=expires)
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {secret}")
    run = stored()
    assert (share(client, run).status_code, client.get(links(run)).status_code) == codes


def test_a_link_shows_the_run_and_its_trace_without_people(
    as_user: AsUser, stored: MakeRun, pool: RolePool
) -> None:
    run = stored(method="mashost", reference="2")
    client = as_user("operator")
    client.put(f"/api/runs/{run.id}/annotation", {"comment": "Between us."}, format="json")
    path = share(client, run).json()["path"]
    answer = opened(path)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    shown = answer.json()
    whole = client.get(f"/api/runs/{run.id}").json()
    hidden = {name for name in whole if shown["run"][name] != whole[name]}
    assert hidden == {"created_by", "annotations"}
    assert shown["run"]["query"] == run.query
    assert shown["method"]["key"] == "mashost"
    assert shown["role_names"] == {"planner": "Planner", "solver": "Solver"}
    trace = opened(f"{path}/events").json()
    assert trace["ended"] is True
    assert [each["event"]["event"] for each in trace["results"]] == ["run_cancelled"]
    whole_trace = client.get(f"/api/runs/{run.id}/events").json()["results"]
    assert whole_trace[0]["event"]["by"] == "operator"
    for body in (answer.content, opened(f"{path}/events").content):
        assert b'"operator"' not in body
        assert b"Between us." not in body


def test_what_is_not_named_as_public_is_not_shown(
    stored: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = stored().id
    known = run_row(run_id)
    failure = {"code": "server_error", "message": "secret", "remedy": "secret"}
    row = {**dict.fromkeys(known, "secret"), "failure": failure, "added_later": "secret"}
    monkeypatch.setattr("apps.runs.shares.run_row", lambda _: row)
    shown = shared_row(run_id)
    hidden = {name for name in row if shown[name] is None}
    assert hidden == {
        "created_by__username",
        "retry_of_id",
        "fork_of_id",
        "design_id",
        "design__name",
        "design_version",
        "evaluation_id",
        "evaluation__name",
        "result__task__index",
        "added_later",
    }
    assert shown["notes"] == []
    assert "secret" not in str(shown["failure"])


def test_of_a_failure_its_kind_alone(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    said = "Nothing listens at http://10.0.3.7:8000/v1, asked by worker web-3:17:abc of operator."
    failure = {"code": "endpoint_failing", "message": said, "remedy": "Set OUR_SECRET_KEY."}
    Run.objects.filter(id=run.id).update(status="failed", failure=failure)
    for seq, kind in enumerate(("agent_failed", "attempt_lost", "run_failed"), start=10):
        payload = {"event": kind, "failure": failure}
        RunEvent.objects.create(
            run=run, attempt=9, seq=seq, kind=kind, payload=payload, at=timezone.now()
        )
    path = share(as_user("operator"), run).json()["path"]
    run_said, trace_said = opened(path).content, opened(f"{path}/events").content
    for body in (run_said, trace_said):
        for word in (b"10.0.3.7", b"web-3", b"SECRET", b"operator"):
            assert word not in body
    assert run_said.count(b"It failed: endpoint failing.") == 1
    assert trace_said.count(b"It failed: endpoint failing.") == 3


def test_a_failure_that_holds_only_numbers_is_told(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    failure = {"code": "budget_exceeded", "message": "400 of 300 tokens.", "remedy": "More."}
    Run.objects.filter(id=run.id).update(status="failed", failure=failure)
    shown = opened(share(as_user("operator"), run).json()["path"]).json()
    assert shown["run"]["failure"] == failure


def test_a_trace_comes_in_pages(as_user: AsUser, stored: MakeRun) -> None:
    run = stored()
    began = {"event": "run_started"}
    RunEvent.objects.create(
        run=run, attempt=9, seq=1, kind=began["event"], payload=began, at=timezone.now()
    )
    path = f"{share(as_user('operator'), run).json()['path']}/events"
    first = opened(f"{path}?page_size=1").json()
    assert len(first["results"]) == 1
    rest = opened(f"{path}?after={first['next_after']}").json()
    assert rest["ended"] is True
    assert opened(f"{path}?page_size=0").status_code == 400


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


@pytest.mark.parametrize("days", [0, -1, 366, 10**12, "many"])
def test_how_many_days(as_user: AsUser, stored: MakeRun, days: object) -> None:
    answer = share(as_user("operator"), stored(), days=days)
    assert answer.status_code == 400
    assert [field["field"] for field in answer.json()["error"]["fields"]] == ["days"]


def test_revoked_it_opens_nothing(as_user: AsUser, stored: MakeRun) -> None:
    run, client = stored(), as_user("operator")
    kept, gone = (share(client, run).json() for _ in range(2))
    for _ in range(2):
        assert client.delete(f"{links(run)}/{gone['id']}").status_code == 204
    assert opened(gone["path"]).status_code == 404
    assert opened(kept["path"]).status_code == 200
    assert client.get(links(run)).json() == [kept]


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


def test_turned_off_nothing_is_made_or_opened(
    as_user: AsUser, stored: MakeRun, settings: Settings
) -> None:
    run, client = stored(), as_user("operator")
    path = share(client, run).json()["path"]
    assert client.get("/api/me").json()["permissions"]["share"] is True
    settings.SHARE_LINKS = False
    assert opened(path).status_code == 404
    answer = share(client, run)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "sharing_off")
    assert client.get("/api/me").json()["permissions"]["share"] is False


def test_only_a_stored_run(as_user: AsUser, make_run: MakeRun) -> None:
    answer = share(as_user("operator"), make_run())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "run_active")
    assert share(as_user("operator"), Run(id=uuid4())).status_code == 404


def test_so_many_and_no_more(as_user: AsUser, stored: MakeRun) -> None:
    run, client = stored(), as_user("operator")
    for _ in range(MAX_PER_RUN):
        assert share(client, run).status_code == 201
    answer = share(client, run)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_links")


def test_no_search_engine_keeps_its_page(tmp_path: Path, settings: Settings) -> None:
    index = tmp_path / "frontend" / "dist" / "index.html"
    index.parent.mkdir(parents=True)
    index.write_text("<!doctype html>")
    settings.BASE_DIR = tmp_path
    assert APIClient().get("/shared/abc")["X-Robots-Tag"] == "noindex, nofollow"


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
