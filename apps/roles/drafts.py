"""The draft of a pool: its roles as curators edit them. Runs take it only after it is published."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import User
from apps.common.locking import copy_stored, locked
from apps.roles.dispatch import embeddings_enqueue
from apps.roles.history import change_record
from apps.roles.models import PoolChange, PoolVersion, Role, RolePool, RoleVersion
from workers.core.pools.compare import PoolRole, pool_diff
from workers.core.specs import PoolSpec, RoleSpec

ROLE_FIELDS = tuple(RoleSpec.model_fields)


@dataclass(slots=True)
class Editing:
    """`before`: the draft as it was found. Some changes know only while they happen what they do,
    so `kind` and `note` may be set until the end."""

    before: list[PoolRole]
    kind: PoolChange.Kind
    note: str = ""


@contextmanager
def draft_edit(pool: RolePool, kind: PoolChange.Kind, *, by: User | None) -> Iterator[Editing]:
    """Wraps every change of a pool's roles.

    It holds the pool's row, so that two curators wait for each other and versions count every
    change. At the end it makes one version and one line of history, or none if nothing differs.
    Afterwards `pool` is as stored. Raises ApplicationError (404) if the pool was deleted.
    """
    with transaction.atomic():
        copy_stored(locked(pool), pool)
        editing = Editing(before=draft_roles(pool), kind=kind)
        yield editing
        after = draft_roles(pool)
        diff = pool_diff(editing.before, after)
        if not diff:
            return
        pool.version += 1
        pool.has_changes = pool.published is None or bool(
            pool_diff(version_roles(pool.published), after)
        )
        pool.save(update_fields=["version", "has_changes", "updated_at"])
        change_record(pool=pool, kind=editing.kind, by=by, diff=diff, note=editing.note)
        embeddings_enqueue(pool_id=pool.pk)


def draft_roles(pool: RolePool) -> list[PoolRole]:
    """All roles in order, also those that are disabled."""
    rows = Role.objects.filter(pool=pool).values(*ROLE_FIELDS, "enabled")
    return [
        PoolRole(RoleSpec(**{name: row[name] for name in ROLE_FIELDS}), row["enabled"])
        for row in rows
    ]


def version_roles(version: PoolVersion) -> list[PoolRole]:
    """The roles of a version in order, with those that were disabled."""
    roles = [PoolRole(role) for role in PoolSpec.model_validate(version.spec).roles]
    for kept in version.disabled or ():
        roles.insert(kept["place"], PoolRole(RoleSpec(**kept["role"]), enabled=False))
    return roles


def draft_become(pool: RolePool, roles: Sequence[PoolRole], *, by: User | None) -> None:
    """Makes these roles, in this order, the roles of the pool, within a `draft_edit`. An unchanged
    role keeps its version. Each role that stays keeps its history and what its agents have
    learned."""
    have = {role.key: role for role in Role.stored.filter(pool=pool).select_for_update()}
    gone = have.keys() - {role.spec.key for role in roles}
    roles_remove(pool, Role.objects.filter(pool=pool, key__in=gone))
    fresh = []
    for position, wanted in enumerate(roles):
        role = have.get(wanted.spec.key)
        if role is None:
            values = role_values(wanted.spec)
            fresh.append(Role(pool=pool, position=position, enabled=wanted.enabled, **values))
        elif role.removed or (
            (role.spec(), role.enabled, role.position) != (wanted.spec, wanted.enabled, position)
        ):
            values = {**role_values(wanted.spec), "enabled": wanted.enabled, "position": position}
            role_become(role, values, by=by)
    for role in Role.objects.bulk_create(fresh):
        role_record(role, by=by)


def roles_remove(pool: RolePool, roles: QuerySet[Role]) -> None:
    """Removes roles from the draft, within a `draft_edit`; `publishing` deletes them for good."""
    if pool.published_id is None:
        roles.delete()
    else:
        roles.update(removed=True)


def role_become(role: Role, values: Mapping[str, object], *, by: User | None) -> None:
    """Sets the role to `values`. A removed role is in the draft again."""
    before = role.spec()
    for name, value in values.items():
        setattr(role, name, value)
    role.removed = False
    role_store(role, before=before, by=by)


def role_store(role: Role, *, before: RoleSpec, by: User | None) -> None:
    """Saves a role that was `before`. If it differs now, this makes a version of it. It is embedded
    again only if the embedded text differs."""
    after = role.spec()
    if before != after:
        role.version += 1
        if before.profile() != after.profile():
            role.embedding = None
    role.save()
    if before != after:
        role_record(role, by=by)


def role_values(spec: RoleSpec) -> dict[str, object]:
    """Values for the columns of a `Role`."""
    lists = {"capabilities": list(spec.capabilities), "tools": list(spec.tools)}
    return {**spec.model_dump(), **lists}


def role_record(role: Role, *, by: User | None) -> None:
    RoleVersion.objects.create(
        role=role, version=role.version, spec=role.spec().model_dump(mode="json"), changed_by=by
    )
