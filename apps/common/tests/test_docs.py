"""The API's description is for members, and its page needs no weaker content policy."""

import re

import pytest

from apps.accounts.tests.cast import AsUser, by_group

pytestmark = pytest.mark.django_db

WHO = by_group("viewer")[:3]
"""Making the document takes long; the groups above may what a viewer may."""
AS_BROWSERS_ASK = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(("who", "status"), WHO)
def test_the_schema_is_for_members(as_user: AsUser, who: str, status: int) -> None:
    answer = as_user(who).get("/api/schema", headers={"accept": "application/json"})
    assert answer.status_code == status
    if status == 200:
        assert "/api/runs" in answer.json()["paths"]
    else:
        assert set(answer.json()["error"]) == {"code", "message", "remedy", "fields"}


@pytest.mark.parametrize(("who", "status"), WHO)
def test_the_page_is_for_members(as_user: AsUser, who: str, status: int) -> None:
    answer = as_user(who).get("/api/docs", headers=AS_BROWSERS_ASK)
    if who == "anonymous":
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login?next=/api/docs")
        return
    assert answer.status_code == status
    if status == 403:
        assert answer.json()["error"]["code"] == "permission_denied"


def test_the_page_has_nothing_inline_and_the_strict_policy(as_user: AsUser) -> None:
    answer = as_user("viewer").get("/api/docs", headers=AS_BROWSERS_ASK)
    html = answer.content.decode()
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\sstyle=", html)
    addresses = re.findall(r'(?:src|href)="([^"]*)', html)
    assert all(address.startswith(("/", "#")) for address in addresses)


def test_every_operation_and_schema_is_on_the_page_and_every_link_leads_somewhere(
    as_user: AsUser,
) -> None:
    viewer = as_user("viewer")
    document = viewer.get("/api/schema", headers={"accept": "application/json"}).json()
    html = viewer.get("/api/docs", headers=AS_BROWSERS_ASK).content.decode()
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    operations = [
        said["operationId"] for path in document["paths"].values() for said in path.values()
    ]
    schemas = [f"schema-{name}" for name in document["components"]["schemas"]]
    assert {*operations, *schemas, *re.findall(r'href="#([^"]*)', html)} <= set(ids)
