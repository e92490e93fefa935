"""Pools from files. A file becomes the draft; it is published only on request."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.roles.drafts import draft_become, draft_edit, draft_roles
from apps.roles.models import PoolChange, RolePool
from apps.roles.publishing import draft_changed, pool_publish
from apps.roles.services import check_room, pool_create, pool_file, pool_update
from workers.core.pools.compare import FieldChange, PoolDiff, PoolRole, pool_diff
from workers.core.pools.csv import parse_pool_csv
from workers.core.pools.errors import PoolFormatError
from workers.core.pools.parse import PoolFile, parse_pool_yaml
from workers.core.specs import PoolSpec
from workers.core.tools.registry import TOOLS


@dataclass(frozen=True, slots=True)
class Seen:
    """Version of the draft that a dry run showed; None: there was no such pool."""

    version: int | None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do: role keys, and all changes in `diff`.

    `pool_changes`: changes of an existing pool's name and description, which apply at once.
    `version`: version of the draft that the file was compared with; None: there was no such pool.
    `published`: the draft was published as well.
    """

    pool: str
    created: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    diff: PoolDiff
    pool_changes: tuple[FieldChange, ...]
    version: int | None
    dry_run: bool
    published: bool = False


def pool_parse(*, text: str) -> PoolFile:
    """A pool from YAML. Raises ApplicationError with a field for each problem."""
    with _format_errors():
        return parse_pool_yaml(text, known_tools=TOOLS.keys())


def pool_parse_csv(*, text: str, key: str, name: str = "") -> PoolFile:
    """Roles from CSV as a pool. What the file does not say is kept from the pool with the key.
    Raises ApplicationError like `pool_parse`."""
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
            remedy=_("Nothing was changed. Correct the file and import it again."),
            fields=fields,
        ) from error


@transaction.atomic
def pool_import(
    *,
    spec: PoolSpec,
    switches: Mapping[str, bool] | None = None,
    by: User | None = None,
    dry_run: bool = False,
    publish: bool = False,
    seen: Seen | None = None,
) -> ImportReport:
    """Makes the draft of the pool with this key equal to `spec`. Safe to repeat: equal roles stay
    as they are. `publish`: publishes the draft if it then differs from what is published.

    `switches` is a `PoolFile`'s: a role that it does not name stays enabled or disabled. A file
    without any switches may have been made without the disabled roles, so disabled roles that it
    does not name stay as well. All other roles that `spec` does not have are removed.

    Raises ApplicationError (409) if the draft is not the one that was `seen`.
    """
    pool = RolePool.objects.filter(key=spec.key).first()
    if dry_run:
        have = draft_roles(pool) if pool else []
        return _report(spec, have, _wanted(spec, switches or {}, have), pool, dry_run=True)
    if seen and (pool is None) is not (seen.version is None):
        raise draft_changed(spec.key)
    known = pool or _made(spec, by)
    with draft_edit(known, PoolChange.Kind.IMPORTED, by=by) as editing:
        if seen and seen.version not in {None, known.version}:
            raise draft_changed(spec.key)
        wanted = _wanted(spec, switches or {}, editing.before)
        report = _report(spec, editing.before, wanted, pool and known, dry_run=False)
        if report.pool_changes:
            values = {change.name: change.after for change in report.pool_changes}
            pool_update(pool=known, values=values, by=by)
        draft_become(known, wanted, by=by)
    if not (publish and known.has_changes):
        return report
    pool_publish(pool=known, by=by, note="Imported from a file.")
    return replace(report, published=True)


def _made(spec: PoolSpec, by: User | None) -> RolePool:
    values = {"key": spec.key, "name": spec.name, "description": spec.description}
    first = not RolePool.objects.filter(is_default=True).exists()
    try:
        return pool_create(values={**values, "is_default": first}, by=by)
    except ApplicationError as error:  # somebody else makes it, or the first pool, at this moment
        raise draft_changed(spec.key) from error


def _wanted(spec: PoolSpec, switches: Mapping[str, bool], have: list[PoolRole]) -> list[PoolRole]:
    """A role that stays without being named stays behind the role that it follows. Raises
    ApplicationError (409) if the pool would hold too many roles."""
    off = {role.spec.key for role in have if not role.enabled}
    named = [
        PoolRole(role, enabled=switches.get(role.key, role.key not in off)) for role in spec.roles
    ]
    if switches:
        return named
    keys = {role.key for role in spec.roles}
    behind: defaultdict[str, list[PoolRole]] = defaultdict(list)
    last = ""
    for role in have:
        if role.spec.key in keys:
            last = role.spec.key
        elif not role.enabled:
            behind[last].append(role)
    wanted = behind[""] + [one for role in named for one in (role, *behind[role.spec.key])]
    check_room(len(wanted))
    return wanted


def _report(
    spec: PoolSpec,
    have: list[PoolRole],
    wanted: list[PoolRole],
    pool: RolePool | None,
    *,
    dry_run: bool,
) -> ImportReport:
    diff = pool_diff(have, wanted)
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
        pool_changes=_pool_changes(pool, spec) if pool else (),
        version=pool.version if pool else None,
        dry_run=dry_run,
    )


def _pool_changes(pool: RolePool, spec: PoolSpec) -> tuple[FieldChange, ...]:
    said = (
        FieldChange(name, getattr(pool, name), getattr(spec, name))
        for name in ("name", "description")
    )
    return tuple(change for change in said if change.before != change.after)


@transaction.atomic
def pool_ship(
    *, spec: PoolSpec, overwrite: bool = False, publish: bool = True
) -> ImportReport | None:
    """Loads a built-in pool, or its newer edition. Once people have edited its roles, this changes
    nothing and returns None, unless `overwrite` is set."""
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
    """Digest of all roles. If none is disabled, it equals the digest that older studios stored,
    which did not count disabled roles."""
    file = pool_file(pool=pool)
    content = file.spec.model_dump_json(exclude={"version"})
    off = [key for key, enabled in file.switches.items() if not enabled]
    return hashlib.sha256("\n".join([content, *off]).encode()).hexdigest()
