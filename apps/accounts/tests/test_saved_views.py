"""Saved views: each person's own, whatever their group."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import SavedView, User
from apps.accounts.saved_views import VIEWS_PER_USER
from apps.accounts.services import token_create

pytestmark = pytest.mark.django_db

AsUser = Callable[[str], APIClient]
FAILED = {"page": "runs", "name": "Failed", "query": "status=failed&mine=true"}


def save(client: APIClient, **body: Any) -> Any:
    return client.post("/api/me/views", {**FAILED, **body}, format="json")


@pytest.mark.parametrize(
    ("who", "codes"),
    [
        ("anonymous", (401, 401, 401)),
        ("outsider", (403, 403, 403)),
        ("viewer", (201, 200, 204)),
        ("operator", (201, 200, 204)),
        ("curator", (201, 200, 204)),
        ("admin", (201, 200, 204)),
    ],
)
def test_by_group(
    as_user: AsUser, cast: dict[str, User], who: str, codes: tuple[int, int, int]
) -> None:
    saves, lists, deletes = codes
    client = as_user(who)
    made = save(client)
    assert made.status_code == saves
    assert client.get("/api/me/views").status_code == lists
    one = made.json().get("id") or SavedView.objects.create(user=cast["viewer"], **FAILED).id
    assert client.delete(f"/api/me/views/{one}").status_code == deletes
    assert SavedView.objects.exists() is (deletes != 204)


def test_of_a_name_there_is_one_and_nobody_sees_anothers(as_user: AsUser) -> None:
    mine, theirs = as_user("viewer"), as_user("operator")
    first = save(mine).json()
    again = save(mine, name=" Failed ", query="status=failed").json()
    save(mine, page="evaluations")
    save(theirs, query="q=theirs")
    assert again == {**first, "query": "status=failed"}
    found = [(view["page"], view["query"]) for view in mine.get("/api/me/views").json()]
    assert found == [("evaluations", FAILED["query"]), ("runs", "status=failed")]
    theirs.delete(f"/api/me/views/{first['id']}")
    assert len(mine.get("/api/me/views").json()) == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"page": "secrets"}, "page"),
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"name": "two\nlines"}, "name"),
        ({"query": ""}, "query"),
        ({"query": "failed"}, "query"),
        ({"query": "q=a\nb"}, "query"),
        ({"query": "q=é"}, "query"),
        ({"query": "q=" + "x" * 2_000}, "query"),
        ({"query": "&".join(f"a{i}=1" for i in range(51))}, "query"),
    ],
)
def test_what_is_no_view(as_user: AsUser, body: dict[str, Any], field: str) -> None:
    answer = save(as_user("viewer"), **body)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["error"]["fields"]] == [field]
    assert not SavedView.objects.exists()


def test_so_many_and_no_more(as_user: AsUser) -> None:
    client = as_user("viewer")
    for number in range(VIEWS_PER_USER):
        assert save(client, name=f"View {number}").status_code == 201
    answer = save(client, name="One more")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_views")
    assert save(client, name="View 3", query="q=changed").status_code == 201


@pytest.mark.parametrize(
    ("scopes", "codes"), [(["read"], (403, 403)), (["read", "run"], (201, 204))]
)
def test_a_token_that_may_only_read_saves_and_deletes_nothing(
    cast: dict[str, User], scopes: list[str], codes: tuple[int, int]
) -> None:
    expires = timezone.now() + timedelta(days=1)
    _, secret = token_create(user=cast["operator"], name="t", scopes=scopes, expires_at=expires)
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {secret}")
    kept = SavedView.objects.create(user=cast["operator"], **{**FAILED, "name": "Kept"})
    answers = (save(client), client.delete(f"/api/me/views/{kept.id}"))
    assert client.get("/api/me/views").status_code == 200
    assert tuple(answer.status_code for answer in answers) == codes
    for answer in answers:
        if answer.status_code == 403:
            error = answer.json()["error"]
            assert (error["code"], error["message"]) == ("forbidden", "This token may only read.")
            assert error["remedy"] == "Use a token with another scope, or log in with a browser."
