"""Who changed what of a pool. Each change writes a line in its transaction."""

from collections.abc import Iterable
from typing import Any

from apps.accounts.models import User
from apps.roles.models import PoolChange, RolePool
from workers.core.pools.compare import FieldChange, PoolDiff, PoolRole, RoleChange
from workers.core.specs import RoleSpec


def change_record(
    *,
    pool: RolePool,
    kind: PoolChange.Kind,
    by: User | None,
    diff: PoolDiff | None = None,
    note: str = "",
) -> None:
    """Call it in the transaction of the change, with the pool's version after it."""
    PoolChange.objects.create(
        pool=pool,
        pool_key=pool.key,
        version=pool.version,
        kind=kind,
        note=note[: PoolChange._meta.get_field("note").max_length],
        diff=diff_json(diff or PoolDiff()),
        changed_by=by,
    )


def diff_json(diff: PoolDiff) -> dict[str, Any]:
    """`{added: [role], removed: [role], changed: [{key, fields: [{name, before, after}]}], moved}`;
    a role has the fields of a `RoleSpec` and `enabled`."""
    return {
        "added": [role_json(role) for role in diff.added],
        "removed": [role_json(role) for role in diff.removed],
        "changed": changes_json(diff.changed),
        "moved": diff.moved,
    }


def changes_json(changes: Iterable[RoleChange]) -> list[dict[str, Any]]:
    return [
        {
            "key": change.key,
            "fields": [
                {"name": field.name, "before": field.before, "after": field.after}
                for field in change.fields
            ],
        }
        for change in changes
    ]


def role_json(role: PoolRole) -> dict[str, Any]:
    return {**role.spec.model_dump(mode="json"), "enabled": role.enabled}


def diff_of(stored: dict[str, Any]) -> PoolDiff:
    """Reads what `diff_json` wrote."""
    return PoolDiff(
        added=tuple(map(_role, stored.get("added", ()))),
        removed=tuple(map(_role, stored.get("removed", ()))),
        changed=tuple(
            RoleChange(change["key"], tuple(map(_field, change["fields"])))
            for change in stored.get("changed", ())
        ),
        moved=stored.get("moved", False),
    )


def _role(stored: dict[str, Any]) -> PoolRole:
    said = {name: value for name, value in stored.items() if name != "enabled"}
    return PoolRole(RoleSpec(**said), stored["enabled"])


def _field(stored: dict[str, Any]) -> FieldChange:
    before, after = (
        tuple(value) if isinstance(value, list) else value
        for value in (stored["before"], stored["after"])
    )
    return FieldChange(stored["name"], before, after)
