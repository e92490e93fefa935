"""Compares two states of a pool, role by role and field by field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from workers.core.specs import RoleSpec

Value: TypeAlias = "str | bool | tuple[str, ...]"

FIELDS = (*(name for name in RoleSpec.model_fields if name != "key"), "enabled")
"""The fields of a role that may change while it stays the same role, in display order."""


@dataclass(frozen=True, slots=True)
class PoolRole:
    """A role in its place. Runs get only `enabled` ones."""

    spec: RoleSpec
    enabled: bool = True

    def value(self, field: str) -> Value:
        value: Value = self.enabled if field == "enabled" else getattr(self.spec, field)
        return value


@dataclass(frozen=True, slots=True)
class FieldChange:
    name: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class RoleChange:
    key: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class PoolDiff:
    """`moved`: the roles in both states have a different order."""

    added: tuple[PoolRole, ...] = ()
    removed: tuple[PoolRole, ...] = ()
    changed: tuple[RoleChange, ...] = ()
    moved: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved)


def pool_diff(before: Sequence[PoolRole], after: Sequence[PoolRole]) -> PoolDiff:
    """From `before` to `after`; keys are unique in each. False if nothing differs."""
    old = {role.spec.key: role for role in before}
    new = {role.spec.key: role for role in after}
    return PoolDiff(
        added=tuple(role for key, role in new.items() if key not in old),
        removed=tuple(role for key, role in old.items() if key not in new),
        changed=tuple(
            RoleChange(key, fields)
            for key, role in new.items()
            if key in old and (fields := role_diff(old[key], role))
        ),
        moved=[key for key in old if key in new] != [key for key in new if key in old],
    )


def role_diff(before: PoolRole, after: PoolRole) -> tuple[FieldChange, ...]:
    """The fields that differ, in the order of FIELDS."""
    if before == after:
        return ()
    return tuple(
        FieldChange(name, before.value(name), after.value(name))
        for name in FIELDS
        if before.value(name) != after.value(name)
    )
