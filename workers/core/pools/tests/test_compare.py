"""What a diff of two pools says, worked out by hand."""

from typing import Any

from workers.core.pools.compare import FieldChange, PoolRole, RoleChange, pool_diff
from workers.core.specs import RoleSpec


def role(key: str, *, enabled: bool = True, **values: Any) -> PoolRole:
    texts = {"name": key, "family": "law", "description": "d", "prompt": "p"}
    return PoolRole(RoleSpec(key=key, **{**texts, **values}), enabled)


A, B, C = role("a"), role("b"), role("c")


def test_equal_pools_differ_in_nothing() -> None:
    assert not pool_diff([A, B], [A, B])
    assert not pool_diff([], [])


def test_added_removed_and_changed_roles_are_told_apart() -> None:
    changed = role("b", prompt="q", tools=("calculator",))
    found = pool_diff([A, B], [changed, C])
    assert (found.added, found.removed, found.moved) == ((C,), (A,), False)
    fields = (FieldChange("prompt", "p", "q"), FieldChange("tools", (), ("calculator",)))
    assert found.changed == (RoleChange("b", fields),)


def test_a_role_that_was_switched_off_has_changed_in_that() -> None:
    found = pool_diff([A], [role("a", enabled=False)])
    assert found.changed == (RoleChange("a", (FieldChange("enabled", True, False),)),)


def test_only_roles_in_both_can_have_moved() -> None:
    assert pool_diff([A, B], [B, A]).moved
    assert not pool_diff([A, B], [C, A, B]).moved
    assert not pool_diff([A, B, C], [A, C]).moved
