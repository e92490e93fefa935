"""From the draft to what runs take, and back: what each step changes, and what it leaves."""

from contextlib import suppress
from functools import partial

import pytest

from apps.accounts.models import User
from apps.common.errors import ApplicationError
from apps.common.tests.at_once import at_once
from apps.roles import bulk, services
from apps.roles.drafts import draft_roles, version_roles
from apps.roles.history import diff_of
from apps.roles.models import PoolChange, PoolVersion, Role, RolePool
from apps.roles.publishing import (
    pool_discard,
    pool_publish,
    pool_restore,
    pool_snapshot,
    pool_version,
    versions_diff,
)
from apps.roles.tests.conftest import role_values
from workers.core.pools.compare import FieldChange, pool_diff

pytestmark = pytest.mark.django_db


def say(pool: RolePool, prompt: str, key: str = "solver") -> None:
    services.role_update(role=pool.roles.get(key=key), values={"prompt": prompt})
    pool.refresh_from_db()


def prompts(version: PoolVersion | None) -> list[str]:
    assert version is not None
    return [role["prompt"] for role in version.spec["roles"]]


def test_what_nobody_published_nobody_runs(draft: RolePool) -> None:
    with pytest.raises(ApplicationError, match="has no published version yet") as refused:
        pool_snapshot(pool=draft)
    assert (refused.value.code, refused.value.status_code) == ("pool_unpublished", 409)
    assert refused.value.remedy


def test_an_edit_changes_the_draft_alone_until_it_is_published(published: RolePool) -> None:
    before = pool_snapshot(pool=published)
    assert not published.has_changes
    say(published, "Think first.")
    assert published.has_changes
    assert pool_snapshot(pool=published) == before
    after = pool_publish(pool=published, by=None, note="Thinks first.")
    published.refresh_from_db()
    assert (published.has_changes, published.published) == (False, after)
    assert (prompts(after)[0], after.note) == ("Think first.", "Thinks first.")
    assert prompts(PoolVersion.objects.get(pk=before.pk))[0] == "You are solver.\nCheck it."


def test_an_edit_that_is_taken_back_leaves_nothing_to_publish(published: RolePool) -> None:
    said = published.roles.get(key="solver").prompt
    say(published, "Other.")
    say(published, said)
    assert not published.has_changes
    with pytest.raises(ApplicationError) as refused:
        pool_publish(pool=published, by=None)
    assert (refused.value.code, refused.value.status_code) == ("no_changes", 409)


def test_what_a_curator_confirms_is_what_is_published(published: RolePool) -> None:
    say(published, "Seen.")
    seen = published.version
    say(published, "Not seen.")
    first = pool_snapshot(pool=published)
    for refused in (
        partial(pool_publish, version=seen),
        partial(pool_discard, version=seen),
        partial(pool_restore, version=first, seen=seen),
    ):
        with pytest.raises(ApplicationError) as caught:
            refused(pool=published, by=None)
        assert caught.value.code == "pool_changed"
    assert published.roles.get(key="solver").prompt == "Not seen."


def test_a_pool_without_enabled_roles_is_not_published(published: RolePool) -> None:
    for role in published.roles.all():
        services.role_update(role=role, values={"enabled": False})
    with pytest.raises(ApplicationError) as refused:
        pool_publish(pool=published, by=None)
    assert refused.value.code == "pool_empty"


def test_discarding_brings_back_what_is_published(published: RolePool) -> None:
    before = draft_roles(published)
    say(published, "Other.")
    services.role_delete(role=published.roles.get(key="checker"))
    services.role_update(role=published.roles.get(key="writer"), values={"enabled": False})
    services.role_create(pool=published, values=role_values("fourth"))
    kept = published.roles.get(key="writer").pk
    published.refresh_from_db()
    version = published.version
    pool_discard(pool=published, by=None)
    assert draft_roles(published) == before
    assert (published.has_changes, published.version) == (False, version + 1)
    assert published.roles.get(key="writer").pk == kept
    with pytest.raises(ApplicationError) as refused:
        pool_discard(pool=published, by=None)
    assert refused.value.code == "no_changes"


def test_a_deleted_role_comes_back_whole_until_the_pool_is_published_without_it(
    published: RolePool,
) -> None:
    say(published, "Second.", key="checker")
    pool_publish(pool=published, by=None)
    role = published.roles.get(key="checker")
    services.role_delete(role=role)
    assert list(published.roles.values_list("key", flat=True)) == ["solver", "writer"]
    pool_discard(pool=published, by=None)
    back = published.roles.get(key="checker")
    assert (back.pk, back.version, back.history.count()) == (role.pk, 2, 2)
    bulk.roles_delete(ids=[role.pk])
    again = services.role_create(pool=published, values=role_values("checker"))
    assert (again.pk, again.version, again.history.count()) == (role.pk, 3, 3)
    assert [said.spec.key for said in draft_roles(published)] == ["solver", "writer", "checker"]
    services.role_delete(role=again)
    pool_publish(pool=published, by=None)
    assert not Role.stored.filter(pk=role.pk).exists()


def test_nothing_is_discarded_where_nothing_is_published(draft: RolePool) -> None:
    with pytest.raises(ApplicationError) as refused:
        pool_discard(pool=draft, by=None)
    assert refused.value.code == "pool_unpublished"
    assert draft.roles.count() == 3


def test_roles_that_were_off_come_back_off_and_in_their_place(published: RolePool) -> None:
    services.role_update(role=published.roles.get(key="checker"), values={"enabled": False})
    published.refresh_from_db()
    version = pool_publish(pool=published, by=None)
    assert [role["key"] for role in version.spec["roles"]] == ["solver", "writer"]
    states = draft_roles(published)
    assert version_roles(version) == states
    services.role_delete(role=published.roles.get(key="checker"))
    published.refresh_from_db()
    pool_discard(pool=published, by=None)
    assert draft_roles(published) == states


def test_restoring_publishes_nothing(published: RolePool) -> None:
    first = pool_snapshot(pool=published)
    say(published, "Second.")
    second = pool_publish(pool=published, by=None)
    pool_restore(pool=published, version=first, by=None)
    published.refresh_from_db()
    assert published.roles.get(key="solver").prompt == "You are solver.\nCheck it."
    assert (published.published, published.has_changes) == (second, True)
    with pytest.raises(ApplicationError) as refused:
        pool_restore(pool=published, version=first, by=None)
    assert refused.value.code == "no_changes"


def test_restoring_what_noted_no_disabled_roles_deletes_none(published: RolePool) -> None:
    old = pool_snapshot(pool=published)
    PoolVersion.objects.filter(pk=old.pk).update(disabled=None)
    old.refresh_from_db()
    services.role_create(pool=published, values=role_values("later"))
    pool_restore(pool=published, version=old, by=None)
    assert not Role.objects.get(key="later").enabled


def test_a_diff_is_between_any_two_states(published: RolePool) -> None:
    first = published.version
    say(published, "Second.")
    change = (FieldChange("prompt", "You are solver.\nCheck it.", "Second."),)
    for before, after in (("published", "draft"), (str(first), "draft")):
        found = versions_diff(published, before, after)
        assert [(item.key, item.fields) for item in found.changed] == [("solver", change)]
    assert not versions_diff(published, "published", str(first))
    for unknown in ("99", "-1", "x", "9" * 30):
        with pytest.raises(ApplicationError) as refused:
            versions_diff(published, unknown, "draft")
        assert refused.value.status_code == 404
    assert str(first) in refused.value.remedy


def test_a_clone_has_the_draft_and_nothing_published(published: RolePool) -> None:
    say(published, "Draft.")
    services.role_update(role=published.roles.get(key="writer"), values={"enabled": False})
    copy = services.pool_clone(pool=published, key="copy", name="Copy")
    assert not pool_diff(draft_roles(published), draft_roles(copy))
    assert (copy.published, copy.has_changes, copy.is_default) == (None, True, False)
    with pytest.raises(ApplicationError) as refused:
        services.pool_clone(pool=published, key="copy", name="Again")
    assert refused.value.status_code == 409


def test_the_history_says_who_did_what(draft: RolePool, cast: dict[str, User]) -> None:
    curator = cast["curator"]
    pool_publish(pool=draft, by=curator, note="First.")
    role = draft.roles.get(key="solver")
    services.role_update(role=role, values={"prompt": "New."}, by=curator)
    services.role_update(role=role, values={"enabled": False}, by=curator)
    services.role_update(role=role, values={"enabled": False}, by=curator)
    services.role_delete(role=role, by=curator)
    services.pool_update(pool=draft, values={"name": "Smaller"}, by=curator)
    pool_discard(pool=draft, by=curator)
    services.pool_delete(pool=draft, by=curator)
    log = list(PoolChange.objects.order_by("id"))[4:]
    assert [(line.kind, line.note) for line in log] == [
        ("published", "First."),
        ("role_updated", ""),
        ("disabled", ""),
        ("role_removed", ""),
        ("renamed", "name"),
        ("discarded", ""),
        ("deleted", ""),
    ]
    assert {line.changed_by for line in log} == {curator}
    assert {(line.pool, line.pool_key) for line in log} == {(None, "small")}
    changed = diff_of(log[1].diff).changed[0].fields
    assert changed == (FieldChange("prompt", "You are solver.\nCheck it.", "New."),)
    assert [role.spec.prompt for role in diff_of(log[3].diff).removed] == ["New."]


def test_a_pool_that_is_made_again_may_say_the_same(draft: RolePool) -> None:
    first = pool_publish(pool=draft, by=None)
    services.pool_delete(pool=draft)
    pool = services.pool_create(values={"key": "small", "name": "Small"})
    for key in ("solver", "checker", "writer"):
        services.role_create(pool=pool, values=role_values(key))
    again = pool_publish(pool=pool, by=None)
    assert (again.pk, again.pool) == (first.pk, pool)
    assert pool_version(pool, again.version) == again


@pytest.mark.django_db(transaction=True)
def test_what_is_published_is_whole_while_others_edit(draft: RolePool) -> None:
    """Each edit changes two fields at once; no published version has but one of them."""
    pool_publish(pool=draft, by=None)

    def act(number: int) -> None:
        pool = RolePool.objects.get(pk=draft.pk)
        if number % 2:
            with suppress(ApplicationError):  # nobody has edited it yet
                pool_publish(pool=pool, by=None)
            return
        values = {"prompt": f"p{number}", "output_form": f"p{number}"}
        services.role_update(role=pool.roles.get(key="solver"), values=values)

    at_once(act, 8)
    draft.refresh_from_db()
    for version in PoolVersion.objects.filter(pool=draft, version__gt=4):
        solver = version.spec["roles"][0]
        assert solver["prompt"] == solver["output_form"]
    assert draft.published is not None
    same = not pool_diff(version_roles(draft.published), draft_roles(draft))
    assert draft.has_changes is not same
    assert draft.version == 4 + 4
