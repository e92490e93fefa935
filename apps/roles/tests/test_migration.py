"""An upgrade publishes every pool as it is, so runs take after it what they took before."""

import hashlib
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from apps.roles.drafts import draft_roles, version_roles
from apps.roles.models import PoolVersion, RolePool
from apps.roles.publishing import pool_snapshot
from workers.core.specs import PoolSpec, RoleSpec

BEFORE = [("roles", "0003_shipped_digest")]


def migrate(target: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    return MigrationExecutor(connection).loader.project_state(target).apps


@pytest.mark.django_db(transaction=True)
def test_pools_are_published_as_they_are() -> None:
    newest = list(
        MigrationExecutor(connection).loader.graph.leaf_nodes()
    )  # others went back with it
    try:
        old = migrate(BEFORE)
        pool = old.get_model("roles", "RolePool").objects.create(key="p", name="P", version=7)
        role = old.get_model("roles", "Role")
        for position, key in enumerate(("a", "off", "b")):
            texts = {"name": key, "family": "law", "description": "é", "prompt": "“p”\n"}
            role.objects.create(
                pool=pool, key=key, position=position, enabled=key != "off", tools=["vote"], **texts
            )
        old.get_model("roles", "RolePool").objects.create(key="empty", name="E")
        # What a run took before the upgrade was kept as the studio of then kept it.
        said = {"family": "law", "description": "é", "prompt": "“p”\n", "tools": ("vote",)}
        taken = tuple(RoleSpec(key=key, name=key, **said) for key in ("a", "b"))
        spec = PoolSpec(key="p", name="P", version=7, roles=taken)
        kept = old.get_model("roles", "PoolVersion").objects.create(
            pool=pool,
            key="p",
            version=7,
            spec=spec.model_dump(mode="json"),
            digest=hashlib.sha256(spec.model_dump_json().encode()).hexdigest(),
        )
    finally:
        migrate(newest)
    found = RolePool.objects.get(key="p")
    version = pool_snapshot(pool=found)
    assert (version.version, version.pool, found.has_changes) == (7, found, False)
    assert version.pk == kept.pk
    assert PoolVersion.objects.count() == 1
    assert version_roles(version) == draft_roles(found)
    assert [role["key"] for role in version.spec["roles"]] == ["a", "b"]
    assert RolePool.objects.get(key="empty").published is None
