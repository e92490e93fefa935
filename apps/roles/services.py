"""Writes about role pools and their roles. A change of a role makes a version of it, and of the
pool's draft; `publishing` makes the draft what runs take."""

from contextlib import AbstractContextManager
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.locking import copy_stored, locked, unique_key
from apps.common.serializers import check_slug
from apps.roles.drafts import (
    ROLE_FIELDS,
    draft_become,
    draft_edit,
    draft_roles,
    role_become,
    role_record,
    role_store,
    roles_remove,
)
from apps.roles.history import change_record
from apps.roles.models import PoolChange, Role, RolePool
from workers.core.pools.parse import PoolFile
from workers.core.specs import PoolSpec
from workers.core.tools.registry import TOOLS

ROLES_PER_POOL = 2_000


@transaction.atomic
def pool_create(*, values: dict[str, Any], by: User | None = None) -> RolePool:
    """Raises ApplicationError if the key is invalid, or taken (409)."""
    check_slug("key", values["key"])
    pool = _pool_save(RolePool(**values))
    change_record(pool=pool, kind=PoolChange.Kind.CREATED, by=by)
    return pool


@transaction.atomic
def pool_update(*, pool: RolePool, values: dict[str, Any], by: User | None = None) -> RolePool:
    """Changes only `values`, so what another curator changed since then stays. Afterwards `pool` is
    as stored. A pool's name is not part of the draft: it changes at once."""
    stored = locked(pool)
    changed = [name for name, value in values.items() if getattr(stored, name) != value]
    if "key" in changed:
        check_slug("key", values["key"])
    for name, value in values.items():
        setattr(stored, name, value)
    _pool_save(stored)
    if changed:
        note = ", ".join(name.replace("_", " ") for name in changed)
        change_record(pool=stored, kind=PoolChange.Kind.RENAMED, by=by, note=note)
    return copy_stored(stored, pool)


@transaction.atomic
def pool_delete(*, pool: RolePool, by: User | None = None) -> None:
    """Runs keep the versions that they took, so their traces stay whole."""
    change_record(pool=locked(pool), kind=PoolChange.Kind.DELETED, by=by)
    pool.delete()


@transaction.atomic
def pool_clone(*, pool: RolePool, key: str, name: str, by: User | None = None) -> RolePool:
    """Makes a separate, unpublished pool with the roles of the draft. Raises ApplicationError (409)
    if the key is taken."""
    copy = pool_create(values={"key": key, "name": name, "description": pool.description}, by=by)
    with draft_edit(copy, PoolChange.Kind.CLONED, by=by) as editing:
        editing.note = f"from {pool.key}"
        draft_become(copy, draft_roles(pool), by=by)
    return copy


def pool_file(*, pool: RolePool) -> PoolFile:
    """The draft as a file has it: all roles in order, also those that are disabled."""
    roles = draft_roles(pool)
    spec = PoolSpec(
        key=pool.key,
        name=pool.name,
        description=pool.description,
        version=pool.version,
        roles=tuple(role.spec for role in roles),
    )
    return PoolFile(spec, {role.spec.key: role.enabled for role in roles})


def role_create(*, pool: RolePool, values: dict[str, Any], by: User | None = None) -> Role:
    """Adds a role at the end of the draft. If it takes the key of a role that was removed since the
    pool was published, it continues that role's history. Raises ApplicationError."""
    with draft_edit(pool, PoolChange.Kind.ROLE_ADDED, by=by) as editing:
        check_room(len(editing.before) + 1)
        last = pool.roles.order_by("-position").values_list("position", flat=True).first()
        role = Role(pool=pool, position=0 if last is None else last + 1, **values)
        role_check(role)
        removed = Role.stored.filter(pool=pool, key=role.key, removed=True).first()
        if removed:
            said = {name: getattr(role, name) for name in (*ROLE_FIELDS, "enabled", "position")}
            role_become(removed, said, by=by)
            return removed
        with _unique(role):
            role.save()
        role_record(role, by=by)
    return role


def role_update(*, role: Role, values: dict[str, Any], by: User | None = None) -> Role:
    """Changes only `values`, so what another curator changed since then stays. A change of the
    role's fields makes a version of the role; any change makes a version of the draft. Afterwards
    `role` is as stored."""
    with draft_edit(role.pool, PoolChange.Kind.ROLE_UPDATED, by=by) as editing:
        stored = locked(role)
        before = stored.spec(), stored.enabled, stored.position
        for name, value in values.items():
            setattr(stored, name, value)
        role_check(stored)
        if before == (stored.spec(), stored.enabled, stored.position):
            return copy_stored(stored, role)
        if before[0] == stored.spec() and before[1] != stored.enabled:
            editing.kind = switched(stored.enabled)
        with _unique(stored):
            role_store(stored, before=before[0], by=by)
    return copy_stored(stored, role)


def role_delete(*, role: Role, by: User | None = None) -> None:
    with draft_edit(role.pool, PoolChange.Kind.ROLE_REMOVED, by=by):
        roles_remove(role.pool, Role.objects.filter(pk=role.pk))


def switched(enabled: bool) -> PoolChange.Kind:
    return PoolChange.Kind.ENABLED if enabled else PoolChange.Kind.DISABLED


def check_room(count: int) -> None:
    """Raises ApplicationError (409) if the pool would hold too many roles."""
    if count > ROLES_PER_POOL:
        raise conflict(
            "pool_full",
            _("A pool holds at most %(at_most)s roles.") % {"at_most": f"{ROLES_PER_POOL:,}"},
            _("Delete roles, or make another pool."),
        )


def role_check(role: Role) -> None:
    """Raises ApplicationError if the role is invalid, or names unknown tools."""
    try:
        role.spec()
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error
    unknown = sorted(set(role.tools) - TOOLS.keys())
    if unknown:
        message = _("There is no tool %(tools)s.") % {"tools": ", ".join(unknown)}
        raise ApplicationError(
            code="unknown_tool",
            message=message,
            remedy=_("Use: %(tools)s.") % {"tools": ", ".join(sorted(TOOLS))},
            fields=(FieldError("tools", "unknown_tool", message),),
        )


def _pool_save(pool: RolePool) -> RolePool:
    with unique_key(_("There is already a pool “%(key)s”.") % {"key": pool.key}):
        if pool.is_default:
            others = RolePool.objects.filter(is_default=True).exclude(pk=pool.pk)
            others.update(is_default=False)
        pool.save()
    return pool


def _unique(role: Role) -> AbstractContextManager[None]:
    return unique_key(_("There is already a role “%(key)s”.") % {"key": role.key})
