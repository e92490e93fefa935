"""Saved views: each person's own, whatever their group."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts import saved_views
from apps.accounts.models import SavedView
from apps.accounts.tests.cast import AsUser, TokenClient

pytestmark = pytest.mark.django_db

FAILED = {"page": "runs", "name": "Failed", "query": "status=failed&mine=true"}


def save(client: APIClient, **body: Any) -> Any:
    return client.post("/api/me/views", {**FAILED, **body}, format="json")


def test_a_viewer_saves_and_deletes_one(as_user: AsUser) -> None:
    client = as_user("viewer")
    made = save(client)
    assert made.status_code == 201
    assert client.delete(f"/api/me/views/{made.json()['id']}").status_code == 204
    assert not SavedView.objects.exists()


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


def test_so_many_and_no_more(as_user: AsUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "VIEWS_PER_USER", 4)
    client = as_user("viewer")
    for number in range(4):
        assert save(client, name=f"View {number}").status_code == 201
    answer = save(client, name="One more")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "too_many_views")
    assert save(client, name="View 3", query="q=changed").status_code == 201


def test_a_token_that_may_only_read_is_told_so(with_token: TokenClient) -> None:
    error = save(with_token("operator", "read")).json()["error"]
    assert (error["code"], error["message"]) == ("forbidden", "This token may only read.")
    assert error["remedy"] == "Use a token with another scope, or log in with a browser."
