"""Publishing a pool's draft for runs, discarding its changes, and restoring versions."""

import hashlib

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.locking import copy_stored, locked
from apps.common.texts import NOT_TEXT, is_text
from apps.roles.drafts import draft_become, draft_edit, draft_roles, version_roles
from apps.roles.history import change_record
from apps.roles.models import NOTE_CHARS, PoolChange, PoolVersion, Role, RolePool
from workers.core.pools.compare import PoolDiff, PoolRole, pool_diff
from workers.core.specs import PoolSpec


def pool_snapshot(*, pool: RolePool) -> PoolVersion:
    """The published version, which runs, trainings and evaluations of this pool take.

    Raises ApplicationError (409) if the pool was never published.
    """
    if pool.published is None:
        raise conflict(
            "pool_unpublished", unpublished(pool), _("Publish it, or choose another pool.")
        )
    return pool.published


def unpublished(pool: RolePool) -> str:
    return _("The pool “%(key)s” has no published version yet, so no run can take it.") % {
        "key": pool.key
    }


def unpublished_error(pool: RolePool) -> FieldError:
    """For a request that names the pool."""
    message = _("%(unpublished)s Ask a curator to publish it, or choose another pool.") % {
        "unpublished": unpublished(pool)
    }
    return FieldError("pool", "pool_unpublished", message)


@transaction.atomic
def pool_publish(
    *, pool: RolePool, by: User | None, note: str = "", version: int | None = None
) -> PoolVersion:
    """Makes the draft what runs take from now on. Runs in progress keep what they began with.

    `version`: version of the draft that the curator saw. Raises ApplicationError (409) if the draft
    is another version now, has no enabled role, or does not differ from what is published.
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
            pool,
            _(
                "There is nothing to publish. The draft of “%(key)s” is equal to the published "
                "version."
            ),
        )
    if not any(role.enabled for role in roles):
        raise conflict(
            "pool_empty",
            _("The pool “%(key)s” has no enabled role.") % {"key": pool.key},
            _("Add a role or enable one, then publish."),
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
    """Makes the draft equal to the published version. Raises ApplicationError (409) if nothing is
    published, if nothing differs, or if the draft is not `version`, which the curator saw."""
    with draft_edit(pool, PoolChange.Kind.DISCARDED, by=by) as editing:
        published = pool_snapshot(pool=pool)
        if version is not None and version != pool.version:
            raise draft_changed(pool.key)
        roles = version_roles(published)
        if not pool_diff(editing.before, roles):
            raise _no_changes(
                pool,
                _(
                    "There is nothing to discard. The draft of “%(key)s” is equal to the "
                    "published version."
                ),
            )
        draft_become(pool, roles, by=by)


def pool_restore(
    *, pool: RolePool, version: PoolVersion, by: User | None, seen: int | None = None
) -> None:
    """Makes the draft equal to an earlier version; publishes nothing.

    Roles that the version does not have are removed. An old version may not say which roles were
    disabled. Then roles that it does not have are disabled instead, because each of them may be
    one. Raises ApplicationError (409) if the draft is that version already, or is not the version
    `seen`, which the curator looked at.
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
                pool,
                _("There is nothing to restore. The draft of “%(key)s” is equal to this version."),
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
    """The number; 0, which no version has, if the text is no number or has too many digits."""
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
        too_long = _("Use at most %(at_most)s characters.") % {"at_most": NOTE_CHARS}
        message = too_long if is_text(note) else str(NOT_TEXT)
        raise ApplicationError.of_fields([FieldError("note", "bad_note", message)])


def draft_changed(key: str) -> ApplicationError:
    """For a curator who confirms an action on a draft that has changed since it was shown."""
    return conflict(
        "pool_changed",
        _("The pool “%(key)s” was changed since you opened it. Nothing was done.") % {"key": key},
        _("Review the changes as they are now, and confirm again."),
    )


def _no_changes(pool: RolePool, message: str) -> ApplicationError:
    return conflict(
        "no_changes", message % {"key": pool.key}, _("Reload the page to see the pool as it is.")
    )
