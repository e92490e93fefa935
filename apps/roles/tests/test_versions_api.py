"""Drafts and versions through the API: who may, what is answered, what is refused."""

import pytest

from apps.accounts.tests.cast import AsUser
from apps.roles.models import RolePool
from apps.roles.services import pool_file
from apps.roles.tests.conftest import role_values
from workers.core.pools.csv import dump_pool_csv
from workers.core.pools.dump import dump_pool_yaml

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("published")]

IMPORT = "/api/pools/import?key=small&dry_run=true"


def test_a_curator_publishes_discards_restores_and_clones(
    as_user: AsUser, published: RolePool
) -> None:
    client, first = as_user("curator"), published.version
    for path in ("versions", f"versions/{first}", "diff", "duplicates", "usage", "export"):
        assert client.get(f"/api/pools/small/{path}").status_code == 200, path
    for form, dump in (("application/yaml", dump_pool_yaml), ("text/csv", dump_pool_csv)):
        file = dump(pool_file(pool=published).spec)
        assert client.post(IMPORT, file, content_type=form).status_code == 200, form
    for path, body, done in (
        ("publish", {"note": "Why"}, 200),
        ("discard", {}, 200),
        (f"versions/{first}/restore", {}, 200),
        ("clone", {"key": "copy", "name": "Copy"}, 201),
    ):
        change = {"prompt": f"Changed, then {path}."}
        assert client.patch("/api/pools/small/roles/solver", change).status_code == 200
        assert client.post(f"/api/pools/small/{path}", body).status_code == done, path


def test_a_pool_tells_what_is_published_of_it(as_user: AsUser) -> None:
    client = as_user("curator")
    made = client.post("/api/pools", {"key": "p", "name": "P"}).json()
    assert (made["published_version"], made["has_changes"]) == (None, True)
    assert client.post("/api/pools/p/publish").json()["error"]["code"] == "pool_empty"
    client.post("/api/pools/p/roles", role_values("solver"))
    assert client.post("/api/pools/p/publish", {"note": "x" * 501}).status_code == 400
    done = client.post("/api/pools/p/publish", {"version": 2, "note": "First."})
    assert done.status_code == 200, done.content
    assert (done.json()["published_version"], done.json()["has_changes"]) == (2, False)
    assert client.post("/api/pools/p/publish").status_code == 409
    client.patch("/api/pools/p/roles/solver", {"enabled": False})
    listed = client.get("/api/pools").json()["results"][0]
    assert (listed["version"], listed["published_version"], listed["has_changes"]) == (3, 2, True)
    stale = client.post("/api/pools/p/discard", {"version": 2})
    assert stale.json()["error"]["code"] == "pool_changed"
    stale = client.post("/api/pools/p/versions/2/restore", {"version": 2})
    assert stale.json()["error"]["code"] == "pool_changed"
    assert client.post("/api/pools/p/discard").json()["has_changes"] is False


def test_versions_are_listed_without_their_roles_and_read_with_them(as_user: AsUser) -> None:
    client = as_user("curator")
    client.patch("/api/pools/small/roles/checker", {"enabled": False})
    client.post("/api/pools/small/publish", {"note": "Without the checker."})
    page = client.get("/api/pools/small/versions?page_size=1").json()
    row = page["results"][0]
    assert page["next"]
    assert (row["version"], row["note"]) == (5, "Without the checker.")
    assert (row["published_by"], row["role_count"], row["disabled_count"]) == ("curator", 2, 1)
    assert "roles" not in row
    whole = client.get("/api/pools/small/versions/5").json()
    assert [(role["key"], role["enabled"]) for role in whole["roles"]] == [
        ("solver", True),
        ("checker", False),
        ("writer", True),
    ]
    assert client.get("/api/pools/small/versions/99").status_code == 404
    assert client.get(f"/api/pools/small/versions/{10**12}").status_code == 404
    assert client.post("/api/pools/small/versions/99/restore").status_code == 404


def test_a_diff_names_roles_and_fields(as_user: AsUser) -> None:
    client = as_user("curator")
    client.patch("/api/pools/small/roles/solver", {"prompt": "New.", "tools": ["calculator"]})
    client.delete("/api/pools/small/roles/checker")
    client.post("/api/pools/small/roles", role_values("fourth"))
    assert client.get("/api/pools/small").json()["role_count"] == 3
    found = client.get("/api/pools/small/diff").json()
    assert [role["key"] for role in found["added"]] == ["fourth"]
    assert [role["key"] for role in found["removed"]] == ["checker"]
    assert found["changed"] == [
        {
            "key": "solver",
            "fields": [
                {"name": "prompt", "before": "You are solver.\nCheck it.", "after": "New."},
                {"name": "tools", "before": [], "after": ["calculator"]},
            ],
        }
    ]
    assert found["moved"] is False
    same = client.get("/api/pools/small/diff?from=draft&to=draft").json()
    assert same == {"added": [], "removed": [], "changed": [], "moved": False}
    assert client.get("/api/pools/small/diff?from=nothing").status_code == 404


def test_a_clone_needs_a_key_of_its_own(as_user: AsUser) -> None:
    client = as_user("curator")
    assert client.post("/api/pools/small/clone", {"key": "No slug", "name": "x"}).status_code == 400
    taken = client.post("/api/pools/small/clone", {"key": "small", "name": "x"})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "key_taken")
    made = client.post("/api/pools/small/clone", {"key": "copy", "name": "Copy"})
    assert (made.json()["role_count"], made.json()["published_version"]) == (3, None)
    assert client.post("/api/pools/none/clone", {"key": "c", "name": "C"}).status_code == 404
