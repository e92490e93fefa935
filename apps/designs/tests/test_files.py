"""Designs to files and from files, as every member of the cast."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.designs.files import FORMATS
from apps.designs.models import Design
from apps.designs.services import design_create, design_save, version_create
from apps.designs.tests.conftest import agent, draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(cast: dict[str, User]) -> Design:
    return design_create(user=cast["operator"], name="Two: “A” & B", draft=draft("ab", "ab"))


def exported(client: APIClient, design: Design, query: str = "") -> Any:
    return client.get(f"/api/designs/{design.id}/export{query}")


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_is_a_download_that_no_browser_opens(
    as_user: AsUser, made: Design, form: str
) -> None:
    answer = exported(as_user("viewer"), made, f"?format={form}")
    assert answer.status_code == 200
    name = f"two-a-b.{FORMATS[form].ending}"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert b"A" in answer.content


@pytest.mark.parametrize("form", ["json", "graphml"])
def test_what_was_exported_comes_back(as_user: AsUser, made: Design, form: str) -> None:
    client = as_user("operator")
    text = exported(client, made, f"?format={form}").content.decode()
    body = client.post("/api/designs/import", {"text": "\ufeff" + text}).json()
    assert body["draft"] == made.draft
    assert body["name"] == made.name
    other = {"text": text, "file_name": "other.graphml"}
    assert client.post("/api/designs/import", other).json()["name"] == made.name
    named = client.post("/api/designs/import", {**other, "name": "Mine"}).json()
    assert named["name"] == "Mine"


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("My team v1.2.graphml", "My team v1.2"),
        (f"{'x' * 300}.xml", "x" * 120),
        (" .graphml", "Untitled design"),
        ("", "Untitled design"),
        (None, "Untitled design"),
    ],
)
def test_what_names_itself_nowhere_is_called_as_its_file(
    as_user: AsUser, db: None, file_name: str | None, name: str
) -> None:
    text = '<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>'
    body = {"text": text, "file_name": file_name}
    assert as_user("operator").post("/api/designs/import", body).json()["name"] == name


def test_a_version_is_exported_as_it_was(
    as_user: AsUser, made: Design, cast: dict[str, User]
) -> None:
    user = cast["operator"]
    version_create(user=user, design_id=made.id, revision=1, name="two")
    design_save(user=user, design_id=made.id, revision=1, draft=draft("abc", "ab bc"))
    client = as_user("viewer")
    assert exported(client, made, "?format=mermaid&version=1").content.count(b"-->") == 1
    assert exported(client, made, "?format=mermaid").content.count(b"-->") == 2
    assert exported(client, made, "?version=9").status_code == 404
    assert exported(client, made, "?version=x").status_code == 400


def test_addresses_that_name_nothing(as_user: AsUser, made: Design) -> None:
    client = as_user("viewer")
    answer = exported(client, made, "?format=exe")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_format")
    assert client.get(f"/api/designs/{uuid4()}/export").status_code == 404


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (draft("ab", "ab ba"), "design_has_errors"),
        ({"agents": []}, "design_has_errors"),
        ({"agents": [agent("a", tools=["program"])]}, "not_exportable"),
    ],
)
def test_what_cannot_be_a_program(
    as_user: AsUser, made: Design, cast: dict[str, User], change: dict[str, Any], code: str
) -> None:
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=change)
    answer = exported(as_user("viewer"), made, "?format=python")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, code)
    assert exported(as_user("viewer"), made, "?format=json").status_code == 200


def test_what_a_program_does_without_is_told(
    as_user: AsUser, made: Design, cast: dict[str, User]
) -> None:
    uses = draft("ab", "ab")
    uses["agents"][0] = agent("a", tools=["calculator"])
    version_create(user=cast["operator"], design_id=made.id, revision=1, name="none")
    design_save(user=cast["operator"], design_id=made.id, revision=1, draft=uses)
    path = f"/api/designs/{made.id}/export/left-out"
    assert as_user("anonymous").get(path).status_code == 401
    assert as_user("outsider").get(path).status_code == 403
    client = as_user("viewer")
    assert client.get(path).json() == {"left_out": ["A works without its tool “calculator”."]}
    assert client.get(f"{path}?version=1").json() == {"left_out": []}
    assert client.get(f"{path}?version=7").status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "[]",
        '{"nodes": []}',
        '{"mas_studio": "design"}',
        '{"mas_studio": "design", "design": {"format": 99}}',
        '{"mas_studio": "design", "design": {"agents": [{"id": "a"}]}}',
        '{"mas_studio": "design", "design": {"on_import": "import os"}}',
        "<graphml></graphml>",
        "<graphml>" + "<graph><node id='a'>" * 480 + "</node></graph>" * 480 + "</graphml>",
        '<!DOCTYPE a [<!ENTITY b "c">]><graphml>&b;</graphml>',
        '{"mas_studio": "design", "design": {"agents": [{"id": "a", "role": {"key": "a", '
        '"prompt": "a\\u0000b"}}]}}',
    ],
)
def test_what_is_no_design_makes_none(as_user: AsUser, db: None, text: str) -> None:
    answer = as_user("operator").post("/api/designs/import", {"text": text})
    assert answer.status_code == 400
    assert answer.json()["error"]["fields"][0]["message"]
    assert not Design.objects.exists()
