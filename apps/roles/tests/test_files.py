"""Pools as files, through the API and the admin: what is shown, imported and refused."""

import re
import threading
import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.common.errors import ApplicationError
from apps.roles import services
from apps.roles.drafts import draft_roles
from apps.roles.imports import pool_import
from apps.roles.models import PoolChange, RolePool
from apps.roles.publishing import pool_publish
from apps.roles.services import pool_file
from workers.core.pools.csv import dump_pool_csv
from workers.core.pools.dump import dump_pool_yaml
from workers.core.specs import PoolSpec, RoleSpec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("published")]

PAGE = "/admin/roles/rolepool/import_file/"


def changed_csv(pool: RolePool) -> str:
    """The solver says another thing, the checker is gone, and `new` is there."""
    spec = pool_file(pool=pool).spec
    solver, _, writer = spec.roles
    roles = (
        solver.model_copy(update={"prompt": "=1+1"}),
        writer,
        writer.model_copy(update={"key": "new"}),
    )
    return dump_pool_csv(spec.model_copy(update={"roles": roles}))


def send_csv(client: APIClient, text: str, query: str = "key=small") -> Any:
    return client.post(f"/api/pools/import?{query}", text, content_type="text/csv")


def test_csv_comes_back_as_it_went(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    services.role_update(role=published.roles.get(key="checker"), values={"enabled": False})
    pool_publish(pool=published, by=None)
    file = client.get("/api/pools/small/export?format=csv")
    assert file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert file.headers["Content-Disposition"] == 'attachment; filename="small.csv"'
    report = send_csv(client, file.content.decode()).json()
    assert report["unchanged"] == ["solver", "checker", "writer"]
    published.refresh_from_db()
    assert not published.has_changes
    assert client.get("/api/pools/small/export?format=xml").status_code == 400


@pytest.mark.parametrize("form", ["yaml", "csv"])
def test_roles_that_are_off_go_to_another_studio_and_stay_off(
    as_user: AsUser, published: RolePool, form: str
) -> None:
    client = as_user("curator")
    services.role_update(role=published.roles.get(key="checker"), values={"enabled": False})
    before = draft_roles(published)
    text = client.get(f"/api/pools/small/export?format={form}").content.decode()
    services.pool_delete(pool=published)
    kind = {"yaml": "application/yaml", "csv": "text/csv"}[form]
    client.post(f"/api/pools/import{'?key=small' * (form == 'csv')}", text, content_type=kind)
    assert draft_roles(RolePool.objects.get(key="small")) == before


def test_a_file_that_says_of_no_role_whether_it_is_off_deletes_none_that_is(
    as_user: AsUser, published: RolePool
) -> None:
    client = as_user("curator")
    services.role_update(role=published.roles.get(key="checker"), values={"enabled": False})
    before = draft_roles(published)
    columns = "key,name,family,description,prompt"
    rows = [
        f'{key},{key.title()},mathematics,Works as {key}.,"You are {key}.\nCheck it."'
        for key in ("solver", "writer")
    ]
    report = send_csv(client, "\n".join([columns, *rows])).json()
    assert (report["unchanged"], report["removed"]) == (["solver", "writer"], [])
    assert draft_roles(published) == before
    said = [f"{columns},enabled", *(f"{row},yes" for row in rows)]
    assert send_csv(client, "\n".join(said)).json()["removed"] == ["checker"]
    assert published.roles.count() == 2


def test_what_a_file_changes_of_the_pool_itself_is_told_and_kept_in_its_history(
    as_user: AsUser, published: RolePool
) -> None:
    client = as_user("curator")
    text = dump_pool_yaml(pool_file(pool=published).spec).replace("name: Small", "name: Smaller", 1)
    shown = upload(client, text, "pool.yaml").content.decode()
    assert "change at once, not in the draft" in shown
    assert "+ Smaller" in shown
    assert "3 roles stay as they are." in shown
    renamed = [{"name": "name", "before": "Small", "after": "Smaller"}]
    for query, told in (("?dry_run=true", renamed), ("", renamed), ("", [])):
        answer = client.post(f"/api/pools/import{query}", text, content_type="application/yaml")
        assert answer.json()["pool_changes"] == told
    line = PoolChange.objects.get(kind="renamed")
    assert (line.note, line.changed_by and line.changed_by.username) == ("name", "curator")
    send_csv(client, changed_csv(published), "key=fresh")
    assert PoolChange.objects.filter(pool_key="fresh", kind="created").count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_import_the_same_new_pool_meet() -> None:
    """The second one asks while the first one's is not committed, so it does not see it."""
    role = RoleSpec(key="a", name="A", family="law", description="d", prompt="p")
    spec = PoolSpec(key="new", name="New", roles=(role,))
    made = threading.Event()

    def first() -> None:
        try:
            with transaction.atomic():
                pool_import(spec=spec)
                made.set()
                time.sleep(0.5)  # meanwhile the second one waits for the key
        finally:
            connection.close()

    other = threading.Thread(target=first)
    other.start()
    assert made.wait(30)
    with pytest.raises(ApplicationError) as refused:
        pool_import(spec=spec)
    other.join()
    assert (refused.value.code, refused.value.status_code) == ("pool_changed", 409)
    assert RolePool.objects.get(key="new").roles.count() == 1


def test_a_dry_run_lists_what_would_change_and_changes_nothing(
    as_user: AsUser, published: RolePool
) -> None:
    client, text = as_user("curator"), changed_csv(published)
    report = send_csv(client, text, "key=small&dry_run=true").json()
    assert (report["created"], report["removed"]) == (["new"], ["checker"])
    assert (report["updated"], report["unchanged"]) == (["solver"], ["writer"])
    assert report["changes"] == [
        {
            "key": "solver",
            "fields": [{"name": "prompt", "before": "You are solver.\nCheck it.", "after": "=1+1"}],
        }
    ]
    assert (report["version"], report["dry_run"]) == (published.version, True)
    assert published.roles.count() == 3
    done = send_csv(client, text, f"key=small&version={report['version']}").json()
    assert (done["dry_run"], done["published"]) == (False, False)
    assert published.roles.get(key="solver").prompt == "=1+1"
    assert RolePool.objects.get().name == "Small"


def test_a_draft_that_changed_since_the_dry_run_is_told(
    as_user: AsUser, published: RolePool
) -> None:
    client, text = as_user("curator"), changed_csv(published)
    seen = published.version
    services.role_update(role=published.roles.get(key="writer"), values={"prompt": "Theirs."})
    for version in (seen, 0):
        refused = send_csv(client, text, f"key=small&version={version}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "pool_changed")
    assert published.roles.count() == 3
    missing = send_csv(client, text, f"key=gone&version={seen}")
    assert missing.json()["error"]["code"] == "pool_changed"
    assert not RolePool.objects.filter(key="gone").exists()


def test_csv_needs_the_pools_key(as_user: AsUser) -> None:
    client = as_user("curator")
    refused = send_csv(client, "key", "dry_run=true")
    assert refused.json()["error"]["fields"][0]["field"] == "key"
    assert send_csv(client, "key", "key=No%20slug").status_code == 400
    bad = send_csv(client, "key,name,family,description,prompt\na,A,law,d,\n").json()["error"]
    assert (bad["code"], bad["fields"][0]["field"]) == ("invalid_pool", "roles[0].prompt")


def test_a_curator_imports_csv(as_user: AsUser, published: RolePool) -> None:
    assert send_csv(as_user("curator"), changed_csv(published)).status_code == 200
    assert published.roles.filter(key="new").exists()


def upload(client: APIClient, text: str | bytes, name: str, **more: str) -> Any:
    content = text.encode() if isinstance(text, str) else text
    values = {"file": SimpleUploadedFile(name, content), **more}
    return client.post(PAGE, values, format="multipart", follow=True)


def hidden(page: str) -> dict[str, str]:
    return {
        name: value
        for name in ("text", "ticket")
        for value in re.findall(rf'name="{name}" value="([^"]*)"', page)
    }


def confirm(client: APIClient, values: dict[str, str], **more: str) -> str:
    answer = client.post(PAGE, {**values, **more}, format="multipart", follow=True)
    assert answer.status_code == 200
    said: str = answer.content.decode()
    return said


def test_a_file_is_looked_at_then_imported(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    shown = upload(client, changed_csv(published), "roles.csv", key="small").content.decode()
    assert "1 added, 1 removed, 1 changed" in shown
    assert "+ =1+1" in shown
    assert "1 role stays as it is." in shown
    assert published.roles.count() == 3
    assert not published.roles.filter(key="new").exists()
    said = confirm(client, hidden(shown))
    assert "1 added, 1 changed, 1 removed." in said
    published.refresh_from_db()
    assert published.roles.get(key="solver").prompt == "=1+1"
    assert published.has_changes
    line = PoolChange.objects.filter(kind="imported").get()
    assert line.changed_by is not None


def test_what_is_imported_may_be_published_too(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    text = dump_pool_yaml(pool_file(pool=published).spec).replace("key: small", "key: fresh")
    shown = upload(client, text, "pool.yaml").content.decode()
    assert "makes a new pool" in shown
    assert "Published." in confirm(client, hidden(shown), publish="on")
    assert not RolePool.objects.get(key="fresh").has_changes


def test_only_what_was_looked_at_is_imported(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    seen = hidden(upload(client, changed_csv(published), "r.csv", key="small").content.decode())
    other = hidden(upload(client, "key: [", "r.csv", key="small").content.decode())
    assert other == {}
    forged = [
        {**seen, "text": seen["text"][:-4] + "AAAA"},
        {**seen, "text": "not base64!"},
        {**seen, "text": "é"},
        {**seen, "ticket": seen["ticket"] + "x"},
        {"ticket": seen["ticket"]},
    ]
    for values in forged:
        assert "not the file that you reviewed" in confirm(client, values)
    services.role_update(role=published.roles.get(key="writer"), values={"prompt": "Theirs."})
    assert "was changed since you opened it" in confirm(client, seen)
    assert not published.roles.filter(key="new").exists()


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b"\xff\xfe", "a.yaml", "not UTF-8"),
        (b"key: [", "a.yaml", "not valid YAML"),
        (b"key,name\n", "a.csv", "Enter the key of the pool"),
        (b"x" * 2_000_001, "a.yaml", "the limit is 2,000,000"),
        (b"", "a.yaml", "empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    as_user: AsUser, content: bytes, name: str, said: str
) -> None:
    answer = upload(as_user("curator"), content, name)
    assert answer.status_code == 200
    assert said in answer.content.decode()
