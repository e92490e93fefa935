"""Pools and roles through the API: groups, versions, import and export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from apps.roles import services
from apps.roles.models import PoolVersion, Role, RolePool, RoleVersion
from apps.roles.publishing import pool_publish, pool_snapshot
from workers.core.pools import dump_pool_yaml, load_builtin_pool
from workers.core.specs import PoolSpec

pytestmark = pytest.mark.django_db

ROLE = {
    "key": "algebraist",
    "name": "Algebraist",
    "family": "mathematics",
    "description": "Solves equations.",
    "prompt": "Solve the equation.",
    "tools": ["calculator"],
}


@pytest.fixture
def pool(db: None) -> RolePool:
    pool = services.pool_create(values={"key": "small", "name": "Small"})
    services.role_create(pool=pool, values=ROLE)
    return pool


@pytest.mark.parametrize(
    ("who", "read", "write"),
    [
        ("anonymous", 401, 401),
        ("outsider", 403, 403),
        ("viewer", 200, 403),
        ("operator", 200, 403),
        ("curator", 200, 0),
        ("admin", 200, 0),
    ],
)
def test_who_may_read_and_write(
    as_user: Callable[[str], APIClient], pool: RolePool, who: str, read: int, write: int
) -> None:
    client = as_user(who)
    yaml = dump_pool_yaml(services.pool_file(pool=pool).spec)
    for path in ("", "/small", "/small/roles", "/small/roles/algebraist", "/small/export"):
        assert client.get(f"/api/pools{path}").status_code == read, path
    calls: list[tuple[Callable[[], Any], int]] = [
        (lambda: client.post("/api/pools", {"key": "other", "name": "Other"}), 201),
        (lambda: client.patch("/api/pools/small", {"name": "Smaller"}), 200),
        (lambda: client.post("/api/pools/small/roles", {**ROLE, "key": "two"}), 201),
        (lambda: client.patch("/api/pools/small/roles/algebraist", {"name": "A"}), 200),
        (
            lambda: client.post("/api/pools/import", yaml, content_type="application/yaml"),
            200,
        ),
        (lambda: client.delete("/api/pools/small/roles/algebraist"), 204),
        (lambda: client.delete("/api/pools/small"), 204),
    ]
    for call, done in calls:
        assert call().status_code == (write or done)


def test_a_change_makes_a_version_and_is_remembered(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    client = as_user("curator")
    changed = client.patch("/api/pools/small/roles/algebraist", {"prompt": "Think first."}).json()
    assert changed["version"] == 2
    unchanged = client.patch("/api/pools/small/roles/algebraist", {"prompt": "Think first."})
    assert unchanged.json()["version"] == 2
    history = RoleVersion.objects.filter(role__key="algebraist")
    assert [(item.version, item.spec["prompt"]) for item in history] == [
        (2, "Think first."),
        (1, "Solve the equation."),
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
    as_user: Callable[[str], APIClient], pool: RolePool, change: dict[str, Any], field: str
) -> None:
    refused = as_user("curator").post("/api/pools/small/roles", {**ROLE, "key": "second", **change})
    assert refused.status_code == 400, refused.content
    assert field in [item["field"] for item in refused.json()["error"]["fields"]]
    assert Role.objects.count() == 1


def test_import_is_safe_to_repeat_and_a_dry_run_changes_nothing(
    as_user: Callable[[str], APIClient],
) -> None:
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
def test_a_bad_file_changes_nothing(
    as_user: Callable[[str], APIClient], pool: RolePool, body: bytes
) -> None:
    refused = as_user("curator").post("/api/pools/import", body, content_type="application/yaml")
    assert refused.status_code == 400, refused.content
    assert refused.json()["error"]["remedy"]
    assert RolePool.objects.get().version == pool.version


def test_a_snapshot_outlives_its_pool(pool: RolePool) -> None:
    pool_publish(pool=pool, by=None)
    snapshot = pool_snapshot(pool=pool)
    services.role_update(role=pool.roles.get(), values={"prompt": "New."})
    pool.refresh_from_db()
    assert pool_snapshot(pool=pool) == snapshot
    services.pool_delete(pool=pool)
    kept = PoolSpec.model_validate(PoolVersion.objects.get(pk=snapshot.pk).spec)
    assert kept.roles[0].prompt == "Solve the equation."


def test_the_schema_says_which_models_are_not_told_when_to_refuse() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    shown = [
        part["properties"]["refuse_condition"]
        for part in document["components"]["schemas"].values()
        if "refuse_condition" in part.get("properties", {})
    ]
    assert len(shown) >= 4
    assert all("below a billion parameters" in each.get("description", "") for each in shown)
