"""What changed, as lines for a person. Templates escape the lines, whatever they say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db.models import Model
from django.utils.translation import gettext as _

from apps.common.shown_lines import Kind, Line, Matching, ShownField, field_name, shown_lines
from apps.roles.models import Role
from workers.core.pools.compare import FIELDS, FieldChange, PoolDiff, PoolRole, Value

SHOWN_ROLES = 100
SHOWN_LINES = 20_000
"""Limit on the lines of a diff. Roles beyond it are only counted."""


@dataclass(frozen=True, slots=True)
class ShownRole:
    key: str
    name: str
    what: Literal["added", "removed", "changed"]
    said: str
    """`what`, for people."""
    fields: list[ShownField]


@dataclass(frozen=True, slots=True)
class ShownDiff:
    """`more`: how many roles are not shown."""

    roles: list[ShownRole] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: bool = False
    more: int = 0


def shown_diff(diff: PoolDiff, *, at_most: int = SHOWN_ROLES) -> ShownDiff:
    roles: list[ShownRole] = []
    lines = 0
    for role in _roles(diff):
        if len(roles) == at_most or lines > SHOWN_LINES:
            break
        roles.append(role)
        lines += sum(len(field.lines) for field in role.fields)
    total = len(diff.added) + len(diff.removed) + len(diff.changed)
    return ShownDiff(
        roles=roles,
        added=len(diff.added),
        removed=len(diff.removed),
        changed=len(diff.changed),
        moved=diff.moved,
        more=total - len(roles),
    )


def _roles(diff: PoolDiff) -> Iterator[ShownRole]:
    matching = Matching()
    for change in diff.changed:
        yield ShownRole(
            change.key, "", "changed", _("changed"), shown_fields(change.fields, matching)
        )
    for role in diff.added:
        yield ShownRole(role.spec.key, role.spec.name, "added", _("added"), _whole(role, "added"))
    for role in diff.removed:
        yield ShownRole(
            role.spec.key, role.spec.name, "removed", _("removed"), _whole(role, "removed")
        )


def _whole(role: PoolRole, kind: Kind) -> list[ShownField]:
    said = ((name, _lines(role.value(name))) for name in FIELDS)
    return [
        ShownField(field_name(Role, name), [Line(kind, text) for text in lines])
        for name, lines in said
        if lines
    ]


def shown_fields(
    fields: Sequence[FieldChange], matching: Matching, *, of: type[Model] = Role
) -> list[ShownField]:
    return [
        ShownField(
            field_name(of, change.name),
            shown_lines(_lines(change.before), _lines(change.after), matching),
        )
        for change in fields
    ]


def _lines(value: Value) -> list[str]:
    if isinstance(value, bool):
        return [_("yes") if value else _("no")]
    return value.splitlines() if isinstance(value, str) else list(value)
