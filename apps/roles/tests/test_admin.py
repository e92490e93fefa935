"""Pools and roles in the admin: what is saved or deleted there makes versions as everywhere."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.models import User
from apps.accounts.tests.cast import AsUser
from apps.common.errors import ApplicationError
from apps.common.tests.admin_forms import sent_back
from apps.roles import services
from apps.roles.models import Role, RolePool, RoleVersion
from workers.core.pools import MAX_ROLES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("pool")]

LISTS = {"capabilities": ["sums, products and powers", "proofs"], "tools": ["calculator"]}


@pytest.fixture
def pool(draft: RolePool) -> RolePool:
    """Its solver has lists, too."""
    draft.roles.filter(key="solver").update(**LISTS)
    return draft


def form(client: APIClient, role: Role) -> dict[str, Any]:
    return sent_back(client.get(f"/admin/roles/role/{role.pk}/change/"))


def send(client: APIClient, address: str, values: dict[str, Any]) -> Any:
    return client.post(address, values, format="multipart", follow=True)


def delete_selected(client: APIClient, model: str, chosen: list[int]) -> Any:
    values = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    return send(client, f"/admin/roles/{model}/", values)


def test_a_changed_prompt_makes_versions_and_leaves_the_rest(
    as_user: AsUser, cast: dict[str, User], pool: RolePool
) -> None:
    client = as_user("curator")
    role, before = Role.objects.get(key="solver"), pool.version
    address = f"/admin/roles/role/{role.pk}/change/"
    values = {**form(client, role), "prompt": "Draw it first."}
    assert send(client, address, values).status_code == 200
    role.refresh_from_db()
    pool.refresh_from_db()
    assert (role.prompt, role.version, pool.version) == ("Draw it first.", 2, before + 1)
    assert {name: getattr(role, name) for name in LISTS} == LISTS
    last = RoleVersion.objects.filter(role=role).first()
    assert last
    assert last.changed_by == cast["curator"]


def test_a_pool_takes_the_default_from_another(as_user: AsUser, pool: RolePool) -> None:
    services.pool_create(values={"key": "old", "name": "Old", "is_default": True})
    values = {"key": "small", "name": "Small", "is_default": "on"}
    send(as_user("curator"), f"/admin/roles/rolepool/{pool.pk}/change/", values)
    assert RolePool.objects.get(is_default=True) == pool


def test_saving_an_unchanged_role_makes_no_version(as_user: AsUser, pool: RolePool) -> None:
    client = as_user("curator")
    role, before = Role.objects.get(key="solver"), pool.version
    texts = form(client, role)
    assert "\r\n" in texts["prompt"][0]
    send(client, f"/admin/roles/role/{role.pk}/change/", texts)
    role.refresh_from_db()
    pool.refresh_from_db()
    assert (role.prompt, role.version, pool.version) == ("You are solver.\nCheck it.", 1, before)


@pytest.mark.parametrize("key", ["Big", "-a", "_a", "a\n"])
def test_a_pool_has_a_key_that_files_and_addresses_take(as_user: AsUser, key: str) -> None:
    with pytest.raises(ApplicationError, match="beginning with a letter or digit"):
        services.pool_create(values={"key": key, "name": "n"})
    send(as_user("curator"), "/admin/roles/rolepool/add/", {"key": key.strip(), "name": "n"})
    assert RolePool.objects.filter(name="n").count() == (key == "a\n")


def test_a_pool_keeps_its_key(as_user: AsUser, pool: RolePool) -> None:
    values = {"key": "other", "name": "Other"}
    send(as_user("curator"), f"/admin/roles/rolepool/{pool.pk}/change/", values)
    pool.refresh_from_db()
    assert (pool.key, pool.name) == ("small", "Other")
    with pytest.raises(ApplicationError):
        services.pool_update(pool=pool, values={"key": "Big"})


def test_a_whole_large_pool_is_deleted_at_once(as_user: AsUser, pool: RolePool) -> None:
    one = {"pool": pool, "name": "A role", "family": "law", "description": "d", "prompt": "p"}
    Role.objects.bulk_create(Role(key=f"r{number}", **one) for number in range(MAX_ROLES))
    chosen = list(pool.roles.values_list("pk", flat=True))
    assert delete_selected(as_user("curator"), "role", chosen).status_code == 200
    assert not pool.roles.exists()


def test_deleting_one_role_raises_the_pools_version(as_user: AsUser, pool: RolePool) -> None:
    before, role = pool.version, Role.objects.get(key="checker")
    address = f"/admin/roles/role/{role.pk}/delete/"
    assert send(as_user("curator"), address, {"post": "yes"}).status_code == 200
    pool.refresh_from_db()
    assert not pool.roles.filter(key="checker").exists()
    assert pool.version == before + 1


def test_a_pool_is_deleted_with_its_roles_and_their_history(
    as_user: AsUser, pool: RolePool
) -> None:
    assert delete_selected(as_user("curator"), "rolepool", [pool.pk]).status_code == 200
    assert not RolePool.objects.exists()
    assert not RoleVersion.objects.exists()


@pytest.mark.parametrize(
    ("change", "said", "roles"),
    [
        ({}, "was added successfully", 4),
        ({"key": "checker"}, "already exists", 3),
        ({"tools": "rm"}, "There is no tool rm.", 3),
    ],
)
def test_a_role_is_added_or_refused(
    as_user: AsUser, pool: RolePool, change: dict[str, Any], said: str, roles: int
) -> None:
    client = as_user("curator")
    opened = form(client, Role.objects.get(key="checker"))
    values = {**opened, "pool": pool.pk, "key": "fourth", **change}
    answer = send(client, "/admin/roles/role/add/", values)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert pool.roles.count() == roles


def test_the_form_says_which_models_are_not_told_when_to_refuse(as_user: AsUser) -> None:
    role = Role.objects.get(key="checker")
    page = as_user("curator").get(f"/admin/roles/role/{role.pk}/change/").content.decode()
    assert "Models below a billion parameters do not get this text" in page
