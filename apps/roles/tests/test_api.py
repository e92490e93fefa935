"""Pools and roles through the API: groups, versions, import and export."""

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from apps.accounts.tests.cast import AsUser
from apps.roles import services
from apps.roles.models import Role, RolePool, RoleVersion
from apps.roles.tests.conftest import role_values
from workers.core.pools import dump_pool_yaml, load_builtin_pool

pytestmark = pytest.mark.django_db

ROLE = role_values("algebraist", tools=["calculator"])


@pytest.fixture
def pool(db: None) -> RolePool:
    pool = services.pool_create(values={"key": "small", "name": "Small"})
    services.role_create(pool=pool, values=ROLE)
    return pool


def test_a_change_makes_a_version_and_is_remembered(as_user: AsUser, pool: RolePool) -> None:
    client = as_user("curator")
    changed = client.patch("/api/pools/small/roles/algebraist", {"prompt": "Think first."}).json()
    assert changed["version"] == 2
    unchanged = client.patch("/api/pools/small/roles/algebraist", {"prompt": "Think first."})
    assert unchanged.json()["version"] == 2
    history = RoleVersion.objects.filter(role__key="algebraist")
    assert [(item.version, item.spec["prompt"]) for item in history] == [
        (2, "Think first."),
        (1, ROLE["prompt"]),
    ]
    assert history[0].changed_by is not None
    assert client.get("/api/pools/small").json()["version"] == 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"tools": ["rm"]}, "tools"),
        ({"key": "No Slug"}, "key"),
        ({"prompt": ""}, "prompt"),
        ({"prompt": "x" * 20_001}, "prompt"),
        ({"family": "Ünknown family"}, "family"),
        ({"capabilities": ["x" * 201]}, "capabilities.0"),
    ],
)
def test_bad_roles_are_refused_at_the_field(
    as_user: AsUser, pool: RolePool, change: dict[str, Any], field: str
) -> None:
    refused = as_user("curator").post("/api/pools/small/roles", {**ROLE, "key": "second", **change})
    assert refused.status_code == 400, refused.content
    assert field in [item["field"] for item in refused.json()["error"]["fields"]]
    assert Role.objects.count() == 1


def test_import_is_safe_to_repeat_and_a_dry_run_changes_nothing(as_user: AsUser) -> None:
    client = as_user("curator")
    text = dump_pool_yaml(load_builtin_pool("general"))

    def send(query: str = "") -> dict[str, Any]:
        answer = client.post(f"/api/pools/import{query}", text, content_type="application/yaml")
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = answer.json()
        return body

    assert len(send("?dry_run=true")["created"]) >= 32
    assert not RolePool.objects.exists()
    assert len(send()["created"]) >= 32
    assert RolePool.objects.get().published is None
    version = RolePool.objects.get().version
    again = send()
    assert (again["created"], again["updated"], again["removed"]) == ([], [], [])
    assert RolePool.objects.get().version == version
    assert send("?publish=true")["published"]
    assert not send("?publish=true")["published"]
    assert not RolePool.objects.get().has_changes
    exported = client.get("/api/pools/general/export").content.decode()
    assert exported == text.replace("version: 1", f"version: {version}", 1)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"key: [", b"roles: !!python/object/apply:os.system [id]", b"- 1"],
)
def test_a_bad_file_changes_nothing(as_user: AsUser, pool: RolePool, body: bytes) -> None:
    refused = as_user("curator").post("/api/pools/import", body, content_type="application/yaml")
    assert refused.status_code == 400, refused.content
    assert refused.json()["error"]["remedy"]
    assert RolePool.objects.get().version == pool.version


def test_the_schema_says_which_models_are_not_told_when_to_refuse() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    shown = [
        part["properties"]["refuse_condition"]
        for part in document["components"]["schemas"].values()
        if "refuse_condition" in part.get("properties", {})
    ]
    assert len(shown) >= 4
    assert all("below a billion parameters" in each.get("description", "") for each in shown)
