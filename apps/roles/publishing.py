"""From the draft to what runs take, and back."""

from __future__ import annotations

import hashlib

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.common.locking import copy_stored, locked
from apps.common.texts import NOT_TEXT, is_text
from apps.roles.drafts import draft_become, draft_edit, draft_roles, version_roles
from apps.roles.history import change_record
from apps.roles.models import NOTE_CHARS, PoolChange, PoolVersion, Role, RolePool
from workers.core.pools.compare import PoolDiff, PoolRole, pool_diff
from workers.core.specs import PoolSpec


def pool_snapshot(*, pool: RolePool) -> PoolVersion:
    """What a run, a training or an evaluation of this pool takes: the published version.

    Raises ApplicationError (409) where nobody has published the pool.
    """
    if pool.published is None:
        raise ApplicationError(
            code="pool_unpublished",
            message=unpublished(pool),
            remedy=_("Publish it, or choose another pool."),
            status_code=status.HTTP_409_CONFLICT,
        )
    return pool.published


def unpublished(pool: RolePool) -> str:
    return _("Nothing of the pool “%(key)s” is published yet, so nothing can run it.") % {
        "key": pool.key
    }


@transaction.atomic
def pool_publish(
    *, pool: RolePool, by: User | None, note: str = "", version: int | None = None
) -> PoolVersion:
    """Makes the draft what runs take from now on; those under way keep what they began with.

    `version`: the draft's that the curator has seen. Raises ApplicationError: 409 where the draft
    is another one by now, has no enabled role, or does not differ from what is published.
    """
    check_note(note)
    copy_stored(locked(pool), pool)
    if version is not None and version != pool.version:
        raise draft_changed(pool.key)
    roles = draft_roles(pool)
    published = version_roles(pool.published) if pool.published else []
    diff = pool_diff(published, roles)
    if pool.published and not diff:
        raise _no_changes(
            pool, _("There is nothing to publish: the draft of “%(key)s” says the same.")
        )
    if not any(role.enabled for role in roles):
        raise ApplicationError(
            code="pool_empty",
            message=_("The pool “%(key)s” has no enabled role.") % {"key": pool.key},
            remedy=_("Add a role or enable one, then publish."),
            status_code=status.HTTP_409_CONFLICT,
        )
    pool.published = _version_of(pool, roles, note=note, by=by)
    pool.has_changes = False
    pool.save(update_fields=["published", "has_changes", "updated_at"])
    Role.stored.filter(pool=pool, removed=True).delete()
    change_record(pool=pool, kind=PoolChange.Kind.PUBLISHED, by=by, diff=diff, note=note)
    return pool.published


def _version_of(
    pool: RolePool, roles: list[PoolRole], *, note: str, by: User | None
) -> PoolVersion:
    spec = PoolSpec(
        key=pool.key,
        name=pool.name,
        description=pool.description,
        version=pool.version,
        roles=tuple(role.spec for role in roles if role.enabled),
    )
    disabled = [
        {"place": place, "role": role.spec.model_dump(mode="json")}
        for place, role in enumerate(roles)
        if not role.enabled
    ]
    # A pool that was deleted and made again may say the very same at the same version.
    version, _created = PoolVersion.objects.update_or_create(
        key=pool.key,
        version=pool.version,
        digest=hashlib.sha256(spec.model_dump_json().encode()).hexdigest(),
        defaults={
            "pool": pool,
            "spec": spec.model_dump(mode="json"),
            "disabled": disabled,
            "note": note,
            "published_by": by,
            "published_at": timezone.now(),
        },
    )
    return version


def pool_discard(*, pool: RolePool, by: User | None, version: int | None = None) -> None:
    """The draft becomes what is published again. Raises ApplicationError: 409 where nothing is
    published or nothing differs, or where the draft is not `version`, which the curator saw."""
    with draft_edit(pool, PoolChange.Kind.DISCARDED, by=by) as editing:
        published = pool_snapshot(pool=pool)
        if version is not None and version != pool.version:
            raise draft_changed(pool.key)
        roles = version_roles(published)
        if not pool_diff(editing.before, roles):
            raise _no_changes(
                pool, _("There is nothing to discard: the draft of “%(key)s” says the same.")
            )
        draft_become(pool, roles, by=by)


def pool_restore(
    *, pool: RolePool, version: PoolVersion, by: User | None, seen: int | None = None
) -> None:
    """The draft becomes what an earlier version was; nothing is published by it.

    Roles that the version does not have go, but for a version of which nobody noted the roles that
    were switched off: those that it does not have are switched off, as any of them may be one.
    Raises ApplicationError (409) where the draft is that version already, or is not the draft's
    version `seen`, which the curator looked at.
    """
    with draft_edit(pool, PoolChange.Kind.RESTORED, by=by) as editing:
        if seen is not None and seen != pool.version:
            raise draft_changed(pool.key)
        editing.note = f"version {version.version}"
        roles = version_roles(version)
        if version.disabled is None:
            kept = {role.spec.key for role in roles}
            roles += [
                PoolRole(role.spec, enabled=False)
                for role in editing.before
                if role.spec.key not in kept
            ]
        if not pool_diff(editing.before, roles):
            raise _no_changes(
                pool, _("There is nothing to restore: the draft of “%(key)s” says the same.")
            )
        draft_become(pool, roles, by=by)


def roles_at(pool: RolePool, at: str) -> list[PoolRole]:
    """The roles at `draft`, `published` or a version's number. Raises ApplicationError (404)."""
    if at == "draft":
        return draft_roles(pool)
    if at == "published":
        return version_roles(pool.published) if pool.published else []
    return version_roles(pool_version(pool, version_number(at)))


def version_number(text: str) -> int:
    """0, which no version has, where the text is no number, or one of more digits than are read."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def pool_version(pool: RolePool, number: int) -> PoolVersion:
    """A published version. Raises ApplicationError (404)."""
    found = pool.versions.filter(version=number).first()
    if found is None:
        known = pool.versions.values_list("version", flat=True)[:10]
        message = _("The pool “%(key)s” has no such published version.") % {"key": pool.key}
        raise ApplicationError(
            code="unknown_version",
            message=message,
            remedy=_("Use one of: %(known)s.") % {"known": ", ".join(map(str, known))}
            if known
            else _("Publish the pool."),
            status_code=status.HTTP_404_NOT_FOUND,
            fields=(FieldError("version", "unknown_version", message),),
        )
    return found


def versions_diff(pool: RolePool, before: str, after: str) -> PoolDiff:
    """Each is `draft`, `published` or a version's number. Raises ApplicationError (404)."""
    return pool_diff(roles_at(pool, before), roles_at(pool, after))


def check_note(note: str) -> None:
    if len(note) > NOTE_CHARS or not is_text(note):
        message = (
            str(NOT_TEXT)
            if not is_text(note)
            else _("Use at most %(at_most)s characters.") % {"at_most": NOTE_CHARS}
        )
        raise ApplicationError.of_fields([FieldError("note", "bad_note", message)])


def draft_changed(key: str) -> ApplicationError:
    """For what a curator confirms of a draft that another one has changed since it was shown."""
    return ApplicationError(
        code="pool_changed",
        message=_("Somebody has changed the pool “%(key)s” meanwhile; nothing was done.")
        % {"key": key},
        remedy=_("Look at what would change now, and confirm that."),
        status_code=status.HTTP_409_CONFLICT,
    )


def _no_changes(pool: RolePool, message: str) -> ApplicationError:
    return ApplicationError(
        code="no_changes",
        message=message % {"key": pool.key},
        remedy=_("Reload the page to see the pool as it is."),
        status_code=status.HTTP_409_CONFLICT,
    )
