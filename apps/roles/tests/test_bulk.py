"""Many roles at once, from the admin's list: one version per pool, all or nothing."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.common.errors import ApplicationError
from apps.roles import bulk, services
from apps.roles.models import PoolChange, Role, RolePool
from apps.roles.tests.conftest import role_values

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("draft", "other")]


@pytest.fixture
def other(draft: RolePool) -> RolePool:
    pool = services.pool_create(values={"key": "other", "name": "Other"})
    services.role_create(pool=pool, values=role_values("poet"))
    return pool


def act(client: APIClient, action: str, chosen: list[int], **more: str) -> Any:
    values = {"action": action, "_selected_action": chosen, **more}
    return client.post("/admin/roles/role/", values, format="multipart", follow=True)


def versions() -> dict[str, int]:
    return dict(RolePool.objects.values_list("key", "version"))


def test_roles_are_switched_off_and_on_with_one_version_a_pool(
    as_user: AsUser, draft: RolePool
) -> None:
    client, before = as_user("curator"), versions()
    chosen = list(Role.objects.exclude(key="writer").values_list("pk", flat=True))
    said = act(client, "disable", chosen).content.decode()
    assert "3 roles disabled in the draft." in said
    assert versions() == {key: number + 1 for key, number in before.items()}
    assert list(Role.objects.filter(enabled=True).values_list("key", flat=True)) == ["writer"]
    line = PoolChange.objects.filter(pool=draft).first()
    assert line is not None
    assert (line.kind, line.changed_by and line.changed_by.username) == ("disabled", "curator")
    act(client, "enable", list(draft.roles.values_list("pk", flat=True)))
    assert versions() == {"small": before["small"] + 2, "other": before["other"] + 1}
    assert draft.roles.filter(enabled=True).count() == 3


def test_what_is_so_already_makes_no_version(draft: RolePool) -> None:
    before = versions()
    ids = list(draft.roles.values_list("pk", flat=True))
    assert bulk.roles_enable(ids=ids, enabled=True) == 0
    assert versions() == before


def test_moving_to_a_family_asks_for_it_first(as_user: AsUser, draft: RolePool) -> None:
    client, before = as_user("curator"), versions()["small"]
    chosen = list(draft.roles.exclude(key="writer").values_list("pk", flat=True))
    asked = act(client, "move_to_family", chosen).content.decode()
    assert 'name="family"' in asked
    assert versions()["small"] == before
    refused = act(client, "move_to_family", chosen, family="No slug")
    assert "Enter a valid" in refused.content.decode()
    act(client, "move_to_family", chosen, family="law")
    families = dict(draft.roles.values_list("key", "family"))
    assert families == {"solver": "law", "checker": "law", "writer": "mathematics"}
    assert versions()["small"] == before + 1
    assert Role.objects.get(key="solver").version == 2


def test_all_are_moved_by_a_form_of_few_fields(as_user: AsUser, draft: RolePool) -> None:
    """As “select all” of the list sends it; a field per role is refused from a thousand on."""
    client, chosen = as_user("curator"), [draft.roles.earliest("pk").pk]
    asked = act(client, "move_to_family", chosen, select_across="1").content.decode()
    assert "Move 4 roles to a family" in asked
    assert asked.count('name="_selected_action"') == 1
    assert '<input type="hidden" name="select_across" value="1">' in asked
    act(client, "move_to_family", chosen, select_across="1", family="law")
    assert set(Role.objects.values_list("family", flat=True)) == {"law"}


def test_one_that_cannot_be_moved_moves_none() -> None:
    ids = list(Role.objects.values_list("pk", flat=True))
    before = versions()
    with pytest.raises(ApplicationError):
        bulk.roles_move(ids=ids, family="Not A Slug")
    assert set(Role.objects.values_list("family", flat=True)) == {"mathematics"}
    assert versions() == before


def test_deleting_many_is_one_version(as_user: AsUser) -> None:
    before = versions()
    chosen = list(Role.objects.exclude(key="writer").values_list("pk", flat=True))
    act(as_user("curator"), "delete_selected", chosen, post="yes")
    assert list(Role.objects.values_list("key", flat=True)) == ["writer"]
    assert versions() == {key: number + 1 for key, number in before.items()}
