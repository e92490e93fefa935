"""Pools and roles in the admin: what is saved or deleted there makes versions as everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.common.errors import ApplicationError
from apps.common.tests.admin_forms import began_with
from apps.roles import services
from apps.roles.models import Role, RolePool, RoleVersion
from workers.core.pools import MAX_ROLES

pytestmark = pytest.mark.django_db

ROLE: dict[str, Any] = {
    "key": "algebraist",
    "name": "Algebraist",
    "family": "mathematics",
    "description": "Solves equations.",
    "capabilities": ["sums, products and powers", "proofs"],
    "prompt": "Solve the equation.\nCheck it.",
    "tools": ["calculator"],
}


@pytest.fixture
def pool(db: None) -> RolePool:
    pool = services.pool_create(values={"key": "small", "name": "Small"})
    for key in ("algebraist", "geometer", "checker"):
        services.role_create(pool=pool, values={**ROLE, "key": key})
    return pool


def form(client: APIClient, role: Role) -> dict[str, Any]:
    """What a browser would send back unchanged."""
    shown = client.get(f"/admin/roles/role/{role.pk}/change/").context["adminform"].form
    values = {name: shown[name].value() for name in shown.fields}
    prepared = {
        name: shown.fields[name].prepare_value(value)
        for name, value in values.items()
        if value not in (None, False)
    }
    return {name: "on" if value is True else value for name, value in prepared.items()}


def crlf(values: dict[str, Any]) -> dict[str, Any]:
    """As a browser sends lines."""
    return {
        name: value.replace("\n", "\r\n") if isinstance(value, str) else value
        for name, value in values.items()
    }


def send(client: APIClient, address: str, values: dict[str, Any]) -> Any:
    return client.post(address, values, format="multipart", follow=True)


def delete_selected(client: APIClient, model: str, chosen: list[int]) -> Any:
    values = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    return send(client, f"/admin/roles/{model}/", values)


def test_a_changed_prompt_makes_versions_and_leaves_the_rest(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    client = as_user("curator")
    role, before = Role.objects.get(key="geometer"), pool.version
    address = f"/admin/roles/role/{role.pk}/change/"
    values = {**form(client, role), "prompt": "Draw it first."}
    assert send(client, address, values).status_code == 200
    role.refresh_from_db()
    pool.refresh_from_db()
    assert (role.prompt, role.version, pool.version) == ("Draw it first.", 2, before + 1)
    assert role.capabilities == ROLE["capabilities"]
    assert role.tools == ROLE["tools"]
    last = RoleVersion.objects.filter(role=role).first()
    assert last is not None
    assert last.changed_by is not None
    assert last.changed_by.username == "curator"


def test_a_pool_takes_the_default_from_another(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    services.pool_create(values={"key": "old", "name": "Old", "is_default": True})
    values = {"key": "small", "name": "Small", "is_default": "on"}
    send(as_user("curator"), f"/admin/roles/rolepool/{pool.pk}/change/", values)
    assert RolePool.objects.get(is_default=True) == pool


def test_saving_an_unchanged_role_makes_no_version(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    client = as_user("curator")
    role, before = Role.objects.get(key="geometer"), pool.version
    texts = crlf(form(client, role))
    assert "\r\n" in texts["prompt"]
    send(client, f"/admin/roles/role/{role.pk}/change/", texts)
    role.refresh_from_db()
    pool.refresh_from_db()
    assert (role.prompt, role.version, pool.version) == (ROLE["prompt"], 1, before)


def test_a_form_opened_before_another_ones_change_takes_nothing_back(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    client = as_user("curator")
    role = Role.objects.get(key="geometer")
    address = f"/admin/roles/role/{role.pk}/change/"
    opened = crlf(form(client, role)) | began_with(client.get(address).content)
    theirs = {"prompt": "Draw it first.", "capabilities": ["shapes"], "enabled": False}
    services.role_update(role=role, values=theirs)
    send(client, address, {**opened, "name": "Geometrician"})
    role.refresh_from_db()
    assert {name: getattr(role, name) for name in theirs} == theirs
    assert (role.name, role.tools) == ("Geometrician", ROLE["tools"])


def test_what_the_service_refuses_is_said_and_not_stored(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    client = as_user("curator")
    role = Role.objects.get(key="geometer")
    address = f"/admin/roles/role/{role.pk}/change/"
    answer = send(client, address, {**form(client, role), "tools": "rm"})
    assert "There is no tool rm." in answer.content.decode()
    role.refresh_from_db()
    assert (role.tools, role.version) == (["calculator"], 1)


@pytest.mark.parametrize("key", ["Big", "-a", "_a", "a\n"])
def test_a_pool_has_a_key_that_files_and_addresses_take(
    as_user: Callable[[str], APIClient], key: str
) -> None:
    with pytest.raises(ApplicationError, match="beginning with a letter or digit"):
        services.pool_create(values={"key": key, "name": "n"})
    send(as_user("curator"), "/admin/roles/rolepool/add/", {"key": key.strip(), "name": "n"})
    assert RolePool.objects.count() == (key == "a\n")


def test_a_pool_keeps_its_key(as_user: Callable[[str], APIClient], pool: RolePool) -> None:
    values = {"key": "other", "name": "Other"}
    send(as_user("curator"), f"/admin/roles/rolepool/{pool.pk}/change/", values)
    pool.refresh_from_db()
    assert (pool.key, pool.name) == ("small", "Other")
    with pytest.raises(ApplicationError):
        services.pool_update(pool=pool, values={"key": "Big"})


def test_deleting_selected_roles_raises_the_pools_version(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    before = pool.version
    chosen = list(pool.roles.exclude(key="checker").values_list("pk", flat=True))
    assert delete_selected(as_user("curator"), "role", chosen).status_code == 200
    pool.refresh_from_db()
    assert [role.key for role in pool.roles.all()] == ["checker"]
    assert pool.version > before


def test_a_whole_large_pool_is_deleted_at_once(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    one = {"pool": pool, "name": "A role", "family": "law", "description": "d", "prompt": "p"}
    Role.objects.bulk_create(Role(key=f"r{number}", **one) for number in range(MAX_ROLES))
    chosen = list(pool.roles.values_list("pk", flat=True))
    assert delete_selected(as_user("curator"), "role", chosen).status_code == 200
    assert not pool.roles.exists()


def test_deleting_one_role_raises_the_pools_version(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    before, role = pool.version, Role.objects.get(key="checker")
    address = f"/admin/roles/role/{role.pk}/delete/"
    assert send(as_user("curator"), address, {"post": "yes"}).status_code == 200
    pool.refresh_from_db()
    assert not pool.roles.filter(key="checker").exists()
    assert pool.version == before + 1


def test_a_pool_is_deleted_with_its_roles_and_their_history(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    assert delete_selected(as_user("curator"), "rolepool", [pool.pk]).status_code == 200
    assert not RolePool.objects.exists()
    assert not RoleVersion.objects.exists()


@pytest.mark.parametrize("who", ["outsider", "viewer", "operator"])
def test_others_delete_nothing(
    as_user: Callable[[str], APIClient], pool: RolePool, who: str
) -> None:
    chosen = list(pool.roles.values_list("pk", flat=True))
    assert delete_selected(as_user(who), "role", chosen).status_code == 403
    assert pool.roles.count() == 3


@pytest.mark.parametrize(
    ("change", "said", "roles"),
    [
        ({}, "was added successfully", 4),
        ({"key": "checker"}, "already exists", 3),
        ({"tools": "rm"}, "There is no tool rm.", 3),
    ],
)
def test_a_role_is_added_or_refused(
    as_user: Callable[[str], APIClient],
    pool: RolePool,
    change: dict[str, Any],
    said: str,
    roles: int,
) -> None:
    client = as_user("curator")
    values = {
        **form(client, Role.objects.get(key="checker")),
        "pool": pool.pk,
        "key": "fourth",
        **change,
    }
    answer = send(client, "/admin/roles/role/add/", values)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert pool.roles.count() == roles


def test_the_form_says_which_models_are_not_told_when_to_refuse(
    as_user: Callable[[str], APIClient], pool: RolePool
) -> None:
    role = Role.objects.get(key="checker")
    page = as_user("curator").get(f"/admin/roles/role/{role.pk}/change/").content.decode()
    assert "Models below a billion parameters are not told this" in page
