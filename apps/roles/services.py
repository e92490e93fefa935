"""Writes about role pools. Every change makes a version of the role and of its pool."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from pydantic import ValidationError
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, key_taken
from apps.common.locking import copy_stored, locked
from apps.roles.dispatch import embeddings_enqueue
from apps.roles.models import PoolVersion, Role, RolePool, RoleVersion
from workers.core.pools.errors import PoolFormatError
from workers.core.pools.parse import parse_pool_yaml
from workers.core.specs import PoolSpec, RoleSpec
from workers.core.tools.registry import TOOLS

ROLE_FIELDS = tuple(RoleSpec.model_fields)
ROLES_PER_POOL = 2_000


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do: role keys."""

    pool: str
    created: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    dry_run: bool


def pool_create(*, values: dict[str, Any]) -> RolePool:
    return _pool_save(RolePool(**values))


def pool_update(*, pool: RolePool, values: dict[str, Any]) -> RolePool:
    """Only `values`: what another curator changed meanwhile stays. `pool` is then as it is
    stored."""
    with transaction.atomic():
        stored = locked(pool)
        for name, value in values.items():
            setattr(stored, name, value)
        _pool_save(stored)
    return copy_stored(stored, pool)


def pool_delete(*, pool: RolePool) -> None:
    """Runs keep the pool's snapshots, so their traces stay whole."""
    pool.delete()


def pool_spec(*, pool: RolePool) -> PoolSpec:
    """The enabled roles in order."""
    roles = tuple(role.spec() for role in pool.roles.filter(enabled=True))
    return PoolSpec(
        key=pool.key,
        name=pool.name,
        description=pool.description,
        version=pool.version,
        roles=roles,
    )


def pool_snapshot(*, pool: RolePool) -> PoolVersion:
    """The stored, immutable copy of the pool as it is now; made once per version."""
    spec = pool_spec(pool=pool)
    digest = hashlib.sha256(spec.model_dump_json().encode()).hexdigest()
    snapshot, _ = PoolVersion.objects.get_or_create(
        key=pool.key,
        version=pool.version,
        digest=digest,
        defaults={"pool": pool, "spec": spec.model_dump(mode="json")},
    )
    return snapshot


@transaction.atomic
def role_create(*, pool: RolePool, values: dict[str, Any], by: User | None = None) -> Role:
    _lock(pool)
    if pool.roles.count() >= ROLES_PER_POOL:
        raise ApplicationError(
            code="pool_full",
            message=f"A pool holds at most {ROLES_PER_POOL:,} roles.",
            remedy="Delete roles, or make another pool.",
            status_code=status.HTTP_409_CONFLICT,
        )
    last = pool.roles.order_by("-position").values_list("position", flat=True).first()
    role = Role(pool=pool, position=0 if last is None else last + 1, **values)
    _check(role)
    try:
        with transaction.atomic():
            role.save()
    except IntegrityError as error:
        raise key_taken("role", role.key) from error
    _record(role, by)
    _pool_changed(pool)
    return role


@transaction.atomic
def role_update(*, role: Role, values: dict[str, Any], by: User | None = None) -> Role:
    """Only `values`: what another curator changed meanwhile stays. What the role says makes its
    version; any change makes the pool's. `role` is then as it is stored."""
    _lock(role.pool)
    stored = locked(role)
    before = stored.spec(), stored.enabled, stored.position
    for name, value in values.items():
        setattr(stored, name, value)
    _check(stored)
    after = stored.spec(), stored.enabled, stored.position
    if before == after:
        return copy_stored(stored, role)
    if before[0] != after[0]:
        stored.version += 1
        if before[0].profile() != after[0].profile():
            stored.embedding = None
    try:
        with transaction.atomic():
            stored.save()
    except IntegrityError as error:
        raise key_taken("role", stored.key) from error
    if before[0] != after[0]:
        _record(stored, by)
    _pool_changed(role.pool)
    return copy_stored(stored, role)


@transaction.atomic
def role_delete(*, role: Role) -> None:
    _lock(role.pool)
    role.delete()
    _pool_changed(role.pool)


def pool_parse(*, text: str) -> PoolSpec:
    """A pool from YAML; what is wrong with it is told field by field."""
    try:
        return parse_pool_yaml(text, known_tools=TOOLS.keys())
    except PoolFormatError as error:
        fields = tuple(FieldError(issue.path, "invalid", issue.message) for issue in error.errors)
        raise ApplicationError(
            code="invalid_pool",
            message=str(error),
            remedy="Correct the file and import it again; nothing was changed.",
            fields=fields,
        ) from error


@transaction.atomic
def pool_ship(*, spec: PoolSpec, replace: bool = False) -> ImportReport | None:
    """Loads a built-in pool, or its newer edition. None, and nothing changes, once people have
    edited its roles; `replace` overwrites them."""
    pool = RolePool.objects.filter(key=spec.key).first()
    if pool is not None and not replace and pool.shipped_digest != _content_digest(pool):
        return None
    report = pool_import(spec=spec)
    pool = RolePool.objects.get(key=spec.key)
    RolePool.objects.filter(pk=pool.pk).update(shipped_digest=_content_digest(pool))
    return report


def _content_digest(pool: RolePool) -> str:
    content = pool_spec(pool=pool).model_dump_json(exclude={"version"})
    return hashlib.sha256(content.encode()).hexdigest()


@transaction.atomic
def pool_import(*, spec: PoolSpec, by: User | None = None, dry_run: bool = False) -> ImportReport:
    """Makes the pool with this key equal to `spec`. Safe to repeat: equal roles are left alone."""
    pool = RolePool.objects.filter(key=spec.key).first()
    have = {role.key: role for role in pool.roles.all()} if pool else {}
    report = _compare(spec, have, dry_run=dry_run)
    if dry_run:
        return report
    if pool is None:
        first = not RolePool.objects.filter(is_default=True).exists()
        pool = RolePool.objects.create(key=spec.key, name=spec.name, is_default=first)
    _lock(pool)
    pool.name, pool.description = spec.name, spec.description
    pool.save(update_fields=["name", "description", "updated_at"])
    pool.roles.filter(key__in=report.removed).delete()
    moved = _write_roles(pool, spec.roles, have, report, by)
    if report.created or report.updated or report.removed or moved:
        _pool_changed(pool)
    return report


def _compare(spec: PoolSpec, have: dict[str, Role], *, dry_run: bool) -> ImportReport:
    wanted = {role.key: role for role in spec.roles}
    same = {key for key, role in wanted.items() if key in have and have[key].spec() == role}
    return ImportReport(
        pool=spec.key,
        created=tuple(key for key in wanted if key not in have),
        updated=tuple(key for key in wanted if key in have and key not in same),
        unchanged=tuple(key for key in wanted if key in same),
        removed=tuple(key for key in have if key not in wanted),
        dry_run=dry_run,
    )


def _write_roles(
    pool: RolePool,
    roles: Sequence[RoleSpec],
    have: dict[str, Role],
    report: ImportReport,
    by: User | None,
) -> bool:
    """Whether any untouched role only changed its place."""
    created, updated, moved = set(report.created), set(report.updated), False
    fresh = []
    for position, spec in enumerate(roles):
        values = {**spec.model_dump(), "capabilities": list(spec.capabilities)}
        values["tools"] = list(spec.tools)
        if spec.key in created:
            fresh.append(Role(pool=pool, position=position, **values))
        elif spec.key in updated or have[spec.key].position != position:
            role = have[spec.key]
            before = role.spec()
            for name, value in {**values, "position": position}.items():
                setattr(role, name, value)
            moved = True
            if spec.key in updated:
                role.version += 1
                if before.profile() != spec.profile():
                    role.embedding = None
                _record(role, by)
            role.save()
    for role in Role.objects.bulk_create(fresh):
        _record(role, by)
    return moved


def _pool_save(pool: RolePool) -> RolePool:
    try:
        with transaction.atomic():
            if pool.is_default:
                others = RolePool.objects.filter(is_default=True).exclude(pk=pool.pk)
                others.update(is_default=False)
            pool.save()
    except IntegrityError as error:
        raise key_taken("pool", pool.key) from error
    return pool


def _check(role: Role) -> None:
    try:
        role.spec()
    except ValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error
    unknown = sorted(set(role.tools) - TOOLS.keys())
    if unknown:
        message = f"There is no tool {', '.join(unknown)}."
        raise ApplicationError(
            code="unknown_tool",
            message=message,
            remedy=f"Use: {', '.join(sorted(TOOLS))}.",
            fields=(FieldError("tools", "unknown_tool", message),),
        )


def _lock(pool: RolePool) -> None:
    """Two curators at once wait for each other, so versions count every change."""
    locked(pool)


def _record(role: Role, by: User | None) -> None:
    RoleVersion.objects.create(
        role=role, version=role.version, spec=role.spec().model_dump(mode="json"), changed_by=by
    )


def _pool_changed(pool: RolePool) -> None:
    RolePool.objects.filter(pk=pool.pk).update(version=F("version") + 1)
    pool.refresh_from_db()
    embeddings_enqueue(pool_id=pool.pk)
