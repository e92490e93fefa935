"""Links that let any person read one stored run, without an account, until they are revoked.

A link's secret is made from the share's id and the studio's key each time it is shown, so nothing
that opens a run is stored. A link is read-only and shows less than the run (`strangers`).
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from redis import RedisError
from rest_framework import status

from apps.accounts.models import User
from apps.accounts.permissions import acts_as
from apps.accounts.services import digest_of
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.texts import within_sentence
from apps.common.tries import tries_counted
from apps.runs.control import run_owner_check
from apps.runs.models import TERMINAL, Run, Share

SALT = "apps.runs.share"
MAC_BYTES = 16
MAX_DAYS = 365
MAX_PER_RUN = 20
READS = 240
"""Limit on reads of one link from one address in the window. A long run takes a dozen pages."""
READS_WINDOW_SECONDS = 60


@transaction.atomic
def share_create(*, user: User, run_id: UUID, days: int | None, as_admin: bool) -> Share:
    """A link that works for `days` from now; None: until it is revoked.

    Raises Run.DoesNotExist, or ApplicationError: 403 for another user's run or if links are off,
    409 for a run that has not ended or has too many links.
    """
    if not settings.SHARE_LINKS:
        raise ApplicationError(
            code="sharing_off",
            message=_("Links for people without an account are off in this studio."),
            remedy=_("Ask its administrator to set SHARE_LINKS=1."),
            status_code=status.HTTP_403_FORBIDDEN,
        )
    if days is not None and not 0 < days <= MAX_DAYS:
        message = _(
            "Use 1 to %(at_most)s days, or leave it empty for a link that does not expire."
        ) % {"at_most": MAX_DAYS}
        raise ApplicationError.of_fields([FieldError("days", "out_of_range", message)])
    run = Run.objects.select_for_update().only("created_by", "status").get(id=run_id)
    _check_owner(user, run, as_admin)
    if run.status not in TERMINAL:
        raise conflict(
            "run_active",
            _("The run is %(status)s. Only an ended run can be shared.")
            % {"status": within_sentence(run.get_status_display())},
            _("Share it after it has ended."),
        )
    run.shares.filter(expires_at__lte=timezone.now()).delete()
    if run.shares.count() >= MAX_PER_RUN:
        raise conflict(
            "too_many_links",
            _("The run has %(at_most)s links, which is the limit.") % {"at_most": MAX_PER_RUN},
            _("Revoke one of them, or use one of them."),
        )
    expires_at = None if days is None else timezone.now() + timedelta(days=days)
    return Share.objects.create(run=run, created_by=user, expires_at=expires_at)


def shares_of(*, user: User, run_id: UUID, as_admin: bool) -> QuerySet[Share]:
    """The run's links that have not expired, oldest first, also while links are off. Raises like
    `share_create` for another user's run."""
    _check_owner(user, _run(run_id), as_admin)
    return _lasting(Share.objects.filter(run_id=run_id)).select_related("created_by")


def share_revoke(*, user: User, run_id: UUID, share_id: UUID, as_admin: bool) -> None:
    """From now on the link opens nothing. Revoking it twice is no error."""
    _check_owner(user, _run(run_id), as_admin)
    Share.objects.filter(run_id=run_id, id=share_id).delete()


def share_token(share_id: UUID) -> str:
    """The part of the address: the id and its code, 32 bytes in 43 characters."""
    return urlsafe_b64encode(share_id.bytes + _code(share_id)).rstrip(b"=").decode()


def shared_run_id(token: str, *, address: str) -> UUID:
    """The run that this link opens. Raises Share.DoesNotExist if it opens none, also if its maker
    could no longer make it. Raises ApplicationError (429) if `address` asks too often."""
    share_id = _id_of(token)
    if share_id is None or not settings.SHARE_LINKS:
        raise Share.DoesNotExist
    _count_read(share_id, address)
    lasting = _lasting(Share.objects.filter(id=share_id)).select_related("created_by")
    share = lasting.annotate(owner_id=F("run__created_by_id")).get()
    maker = share.created_by
    owns = share.owner_id == maker.pk or acts_as(maker, "admin")
    if not (maker.is_active and acts_as(maker, "operator") and owns):
        raise Share.DoesNotExist
    return share.run_id


def _count_read(share_id: UUID, address: str) -> None:
    try:
        key = f"shared:{digest_of(f'{share_id} at {address}')}"
        reads = tries_counted(key, seconds=READS_WINDOW_SECONDS)
    except RedisError:  # nothing can be guessed here: uncounted reads only take time
        return
    if reads > READS:
        raise ApplicationError(
            code="too_many_requests",
            message=_("This link was opened too often from your address."),
            remedy=_("Wait a minute, then open it again."),
            status_code=status.HTTP_429_TOO_MANY_REQUESTS,
            headers={"Retry-After": str(READS_WINDOW_SECONDS)},
        )


def _lasting(shares: QuerySet[Share]) -> QuerySet[Share]:
    return shares.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()))


def _run(run_id: UUID) -> Run:
    """Raises Run.DoesNotExist."""
    return Run.objects.only("created_by").get(id=run_id)


def _check_owner(user: User, run: Run, as_admin: bool) -> None:
    run_owner_check(run, user, as_admin, _("Ask its owner or an admin to share it."))


def _code(share_id: UUID) -> bytes:
    return salted_hmac(SALT, share_id.bytes, algorithm="sha256").digest()[:MAC_BYTES]


def _id_of(token: str) -> UUID | None:
    try:
        read = urlsafe_b64decode(token.encode("ascii") + b"=")
    except (UnicodeEncodeError, binascii.Error):
        return None
    if len(read) != 16 + MAC_BYTES:
        return None
    share_id = UUID(bytes=read[:16])
    genuine = constant_time_compare(read[16:], _code(share_id)) and token == share_token(share_id)
    return share_id if genuine else None
