"""The built-in pool: loaded at every start, and never over what people made of it."""

import hashlib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.roles import services
from apps.roles.imports import pool_ship
from apps.roles.models import RolePool
from apps.roles.tests.conftest import role_values
from workers.core.pools import dump_pool_yaml, load_builtin_pool

pytestmark = pytest.mark.django_db


def load(*arguments: str) -> str:
    said = StringIO()
    call_command("load_pool", *arguments, stdout=said)
    return said.getvalue()


@pytest.fixture
def pool() -> RolePool:
    load()
    return RolePool.objects.get(key="general")


def test_loading_again_changes_nothing(pool: RolePool) -> None:
    assert "0 created, 0 updated, 0 removed" in load().replace("roles ", "")
    assert RolePool.objects.get().version == pool.version


def test_what_is_loaded_is_published_but_for_a_draft(pool: RolePool, tmp_path: Path) -> None:
    assert not pool.has_changes
    file = tmp_path / "pool.yaml"
    file.write_text(dump_pool_yaml(load_builtin_pool("general")).replace("general", "mine", 1))
    load(str(file), "--draft")
    mine = RolePool.objects.get(key="mine")
    assert mine.published is None
    load(str(file))
    mine.refresh_from_db()
    assert mine.published is not None


def test_an_edited_prompt_and_an_added_role_stay(pool: RolePool) -> None:
    role = pool.roles.get(key="planner")
    services.role_update(role=role, values={"prompt": "Plan as we plan here."})
    services.role_create(pool=pool, values=role_values("mine"))
    assert "general: not changed" in load()
    assert pool.roles.get(key="planner").prompt == "Plan as we plan here."
    assert pool.roles.filter(key="mine").exists()


def test_a_role_that_was_switched_off_or_removed_stays_so(pool: RolePool) -> None:
    services.role_update(role=pool.roles.get(key="planner"), values={"enabled": False})
    assert "general: not changed" in load()
    assert not pool.roles.get(key="planner").enabled
    services.role_delete(role=pool.roles.get(key="critic"))
    load()
    assert not pool.roles.filter(key="critic").exists()


def test_a_role_of_ones_own_that_is_switched_off_stays(pool: RolePool) -> None:
    mine = services.role_create(pool=pool, values=role_values("mine"))
    services.role_update(role=mine, values={"enabled": False})
    assert "general: not changed" in load()
    assert "1 removed" not in load("--replace")
    assert pool.roles.get(key="mine").pk == mine.pk
    assert mine.history.count() == 1


def test_what_was_shipped_before_disabled_roles_counted_is_known_as_untouched(
    pool: RolePool,
) -> None:
    content = load_builtin_pool("general").model_dump_json(exclude={"version"})
    assert pool.shipped_digest == hashlib.sha256(content.encode()).hexdigest()


def test_replace_puts_the_built_in_roles_back(pool: RolePool) -> None:
    services.role_update(role=pool.roles.get(key="planner"), values={"prompt": "Changed."})
    assert "1 updated" in load("--replace")
    assert services.pool_file(pool=pool).spec.roles == load_builtin_pool("general").roles
    assert "general: not changed" not in load()


def test_an_untouched_pool_gets_a_newer_edition_which_is_published_at_once(pool: RolePool) -> None:
    first, spec = pool.published, load_builtin_pool("general")
    report = pool_ship(spec=spec.model_copy(update={"roles": spec.roles[:-1]}))
    assert report is not None
    assert report.removed == (spec.roles[-1].key,)
    pool.refresh_from_db()
    assert (pool.published != first, pool.has_changes) == (True, False)


def test_a_file_that_is_no_pool_is_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("key: [")
    with pytest.raises(CommandError):
        load(str(bad))
    with pytest.raises(CommandError, match="missing"):
        load(str(tmp_path / "missing.yaml"))
