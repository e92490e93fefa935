"""Files that people attach to questions. An upload can be used for a day, by its owner."""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import status

from apps.accounts.admission import one_at_a_time
from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.tasks.models import Upload
from workers.core.tools.attachments import FILE_MAX_BYTES, data_stored, safe_name
from workers.core.tools.documents_inside import Unreadable, kind_kept

KEPT = timedelta(days=1)
MOST = 200
"""Limit on one person's uploads of a day."""


def upload_create(*, user: User, name: str, data: bytes) -> Upload:
    """Raises ApplicationError: 400 for a file that agents could never read, 413 for one that is too
    large, 429 if the user has uploaded too much in the last day."""
    name = safe_name(name) or "file"
    check_size(name, len(data))
    try:
        kind = kind_kept(data, name)
    except Unreadable as error:
        message = _("“%(name)s” can't be attached. %(why)s") % {"name": name, "why": error}
        raise ApplicationError.of_fields([FieldError("file", "unreadable", message)]) from error
    with transaction.atomic():
        one_at_a_time(user, Upload)
        _check_quota(user, len(data))
        try:
            digest = data_stored(data, settings.DATA_DIR / "files")
        except OSError as error:
            raise _not_stored(name, error) from error
        return Upload.objects.create(
            created_by=user, name=name, kind=kind, size=len(data), sha256=digest
        )


def upload_delete(*, user: User, upload_id: UUID) -> None:
    """Runs that were asked with it keep it. Raises Upload.DoesNotExist, also for another's."""
    usable(user).get(id=upload_id).delete()


def uploads_attached(
    user: User, upload_ids: Iterable[UUID], errors: list[FieldError]
) -> tuple[Upload, ...]:
    """In this order. Adds to `errors` what the user has not uploaded, or not lately."""
    wanted = tuple(dict.fromkeys(upload_ids))
    known = usable(user).in_bulk(wanted)
    for place, upload_id in enumerate(wanted, start=1):
        if upload_id not in known:
            message = _(
                "Attached file %(place)s is not here any more: uploads are kept for a day. Remove "
                "it and attach it again."
            ) % {"place": place}
            errors.append(FieldError("uploads", "unknown_upload", message))
    return tuple(known[upload_id] for upload_id in wanted if upload_id in known)


def uploads_prune() -> int:
    """Deletes those of more than a day ago. Returns how many."""
    removed, _each = Upload.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return removed


def usable(user: User) -> QuerySet[Upload]:
    return Upload.objects.filter(created_by=user, created_at__gte=timezone.now() - KEPT)


def check_size(name: str, size: int) -> None:
    if size <= FILE_MAX_BYTES:
        return
    message = _("“%(name)s” has %(size)s MB; a file may have at most %(at_most)s MB.") % {
        "name": name,
        "size": f"{size / 1e6:,.1f}",
        "at_most": f"{FILE_MAX_BYTES / 1e6:.0f}",
    }
    raise ApplicationError(
        code="file_too_large",
        message=message,
        remedy=_("Attach a smaller file, or a part of it."),
        status_code=status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
        fields=(FieldError("file", "file_too_large", message),),
    )


def _not_stored(name: str, error: OSError) -> ApplicationError:
    return ApplicationError(
        code="not_stored",
        message=_("“%(name)s” could not be stored: %(why)s.")
        % {"name": name, "why": error.strerror or type(error).__name__},
        remedy=_("Ask the studio's administrator for space on its disk, then attach it again."),
        status_code=status.HTTP_507_INSUFFICIENT_STORAGE,
    )


def _check_quota(user: User, size: int) -> None:
    uploads = usable(user)
    total = uploads.aggregate(total=Sum("size"))["total"] or 0
    allowed = settings.UPLOADS_MAX_BYTES_PER_USER
    if total + size <= allowed and uploads.count() < MOST:
        return
    raise ApplicationError(
        code="too_many_uploads",
        message=_(
            "You have uploaded %(total)s MB in the last 24 hours. At most %(at_most)s MB in "
            "%(most)s files are allowed."
        )
        % {"total": f"{total / 1e6:,.1f}", "at_most": f"{allowed / 1e6:,.0f}", "most": MOST},
        remedy=_("Remove files that you do not need, or wait: uploads are deleted after a day."),
        status_code=status.HTTP_429_TOO_MANY_REQUESTS,
    )
