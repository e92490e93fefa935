"""Pools from files. What a file says becomes the draft; it is published where that is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db import transaction

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.roles.drafts import draft_become, draft_edit, draft_roles
from apps.roles.models import PoolChange, RolePool
from apps.roles.publishing import draft_changed, pool_publish
from apps.roles.services import pool_spec
from workers.core.pools.compare import PoolDiff, PoolRole, pool_diff
from workers.core.pools.csv import parse_pool_csv
from workers.core.pools.errors import PoolFormatError
from workers.core.pools.parse import parse_pool_yaml
from workers.core.specs import PoolSpec
from workers.core.tools.registry import TOOLS


@dataclass(frozen=True, slots=True)
class Seen:
    """The draft that a dry run showed, by its version; None: there was no such pool."""

    version: int | None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do: role keys, and in `diff` all that changes.

    `version`: of the draft that the file was compared with; None: there was no such pool.
    `published`: the draft was published, too.
    """

    pool: str
    created: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    diff: PoolDiff
    version: int | None
    dry_run: bool
    published: bool = False


def pool_parse(*, text: str) -> PoolSpec:
    """A pool from YAML. Raises ApplicationError with a field for each problem."""
    with _format_errors():
        return parse_pool_yaml(text, known_tools=TOOLS.keys())


def pool_parse_csv(*, text: str, key: str, name: str = "") -> PoolSpec:
    """Roles from CSV as a pool. What the file does not say of it is kept from the pool that has
    the key. Raises ApplicationError as `pool_parse` does."""
    pool = RolePool.objects.filter(key=key).first()
    called = name or (pool.name if pool else key)
    about = pool.description if pool else ""
    with _format_errors():
        return parse_pool_csv(
            text, key=key, name=called, description=about, known_tools=TOOLS.keys()
        )


@contextmanager
def _format_errors() -> Iterator[None]:
    try:
        yield
    except PoolFormatError as error:
        fields = tuple(FieldError(issue.path, "invalid", issue.message) for issue in error.errors)
        raise ApplicationError(
            code="invalid_pool",
            message=str(error),
            remedy="Correct the file and import it again; nothing was changed.",
            fields=fields,
        ) from error


@transaction.atomic
def pool_import(
    *,
    spec: PoolSpec,
    by: User | None = None,
    dry_run: bool = False,
    publish: bool = False,
    seen: Seen | None = None,
) -> ImportReport:
    """Makes the draft of the pool with this key equal to `spec`. Safe to repeat: equal roles are
    left alone, and one that is switched off stays so. `publish`: where the draft then differs from
    what is published, it is published.

    Raises ApplicationError (409) where the draft is not the one that was `seen`.
    """
    pool = RolePool.objects.filter(key=spec.key).first()
    if dry_run:
        return _compare(spec, draft_roles(pool) if pool else [], pool, dry_run=True)
    if seen and (pool is None) is not (seen.version is None):
        raise draft_changed(spec.key)
    if pool is None:
        first = not RolePool.objects.filter(is_default=True).exists()
        pool = RolePool.objects.create(key=spec.key, name=spec.name, is_default=first)
    with draft_edit(pool, PoolChange.Kind.IMPORTED, by=by) as editing:
        if seen and seen.version not in {None, pool.version}:
            raise draft_changed(spec.key)
        report = _compare(spec, editing.before, pool, dry_run=False)
        pool.name, pool.description = spec.name, spec.description
        pool.save(update_fields=["name", "description", "updated_at"])
        draft_become(pool, _wanted(spec, editing.before), by=by)
    if not (publish and pool.has_changes):
        return report
    pool_publish(pool=pool, by=by, note="Imported from a file.")
    return replace(report, published=True)


def _wanted(spec: PoolSpec, have: list[PoolRole]) -> list[PoolRole]:
    off = {role.spec.key for role in have if not role.enabled}
    return [PoolRole(role, enabled=role.key not in off) for role in spec.roles]


def _compare(
    spec: PoolSpec, have: list[PoolRole], pool: RolePool | None, *, dry_run: bool
) -> ImportReport:
    diff = pool_diff(have, _wanted(spec, have))
    created = {role.spec.key for role in diff.added}
    updated = {change.key for change in diff.changed}
    keys = [role.key for role in spec.roles]
    return ImportReport(
        pool=spec.key,
        created=tuple(key for key in keys if key in created),
        updated=tuple(key for key in keys if key in updated),
        unchanged=tuple(key for key in keys if key not in created | updated),
        removed=tuple(role.spec.key for role in diff.removed),
        diff=diff,
        version=pool.version if pool else None,
        dry_run=dry_run,
    )


@transaction.atomic
def pool_ship(
    *, spec: PoolSpec, overwrite: bool = False, publish: bool = True
) -> ImportReport | None:
    """Loads a built-in pool, or its newer edition. None, and nothing changes, once people have
    edited its roles; `overwrite` takes no heed of them."""
    pool = RolePool.objects.filter(key=spec.key).first()
    if pool is not None and not overwrite and pool.shipped_digest != _content_digest(pool):
        return None
    report = pool_import(spec=spec)
    pool = RolePool.objects.get(key=spec.key)
    RolePool.objects.filter(pk=pool.pk).update(shipped_digest=_content_digest(pool))
    loaded = report.created or report.updated or report.removed or report.diff.moved
    if publish and pool.has_changes and (loaded or pool.published is None):
        pool_publish(pool=pool, by=None, note="Comes with the studio.")
    return report


def _content_digest(pool: RolePool) -> str:
    content = pool_spec(pool=pool).model_dump_json(exclude={"version"})
    return hashlib.sha256(content.encode()).hexdigest()
