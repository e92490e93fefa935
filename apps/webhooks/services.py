"""Writes about webhooks: each person's own."""

from collections.abc import Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from redis import RedisError
from rest_framework import status

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.locking import copy_stored, locked
from apps.common.tries import tries_counted
from apps.webhooks import reasons
from apps.webhooks.delivering import delivery_renew, send_test
from apps.webhooks.models import NAME_CHARS, URL_CHARS, Delivery, Webhook
from apps.webhooks.sending import Reply
from apps.webhooks.signing import OVERLAP, new_salt, secret_of
from apps.webhooks.switching import SWITCHED, switch_off, switch_on
from workers.core.net.guard import AddressRefused, check_url

WEBHOOKS_PER_USER = 10
TESTS = 10
RESENDS = 100
WINDOW_SECONDS = 60
EDITED = ("name", "url", "allow_private_address")


@transaction.atomic
def webhook_create(*, user: User, values: dict[str, Any], as_curator: bool) -> tuple[Webhook, str]:
    """Makes a webhook for what ends from now on, and its secret, which is shown only now.

    `values`: `name`, `url`, `is_active`, `allow_private_address`. Raises ApplicationError: 400 for
    a bad name or address, 403 for a private address that the user may not allow, 409 for a taken
    name or too many webhooks.
    """
    webhook = Webhook(owner=user, **values)
    _check(webhook, EDITED, as_curator=as_curator)
    own = User.objects.select_for_update().get(pk=user.pk).webhooks
    if own.count() >= WEBHOOKS_PER_USER:
        raise conflict(
            "too_many_webhooks",
            _("You have %(webhooks_per_user)s webhooks, which is the limit.")
            % {"webhooks_per_user": WEBHOOKS_PER_USER},
            _("Delete one that you no longer use."),
        )
    webhook.active_since = Now()
    _save(webhook)
    webhook.refresh_from_db()
    return webhook, secret_of(webhook.id, webhook.salt)


@transaction.atomic
def webhook_update(*, webhook: Webhook, values: dict[str, Any], as_curator: bool) -> Webhook:
    """Changes only `values`, which are those of `webhook_create`. A webhook that is switched on
    gets what ends from then on. When it is switched off, waiting deliveries are not sent. Raises
    ApplicationError, also 404."""
    stored = locked(webhook)
    changed = [name for name in EDITED if name in values and values[name] != getattr(stored, name)]
    for name in changed:
        setattr(stored, name, values[name])
    _check(stored, changed, as_curator=as_curator)
    if "is_active" in values and values["is_active"] != stored.is_active:
        (switch_on if values["is_active"] else switch_off)(stored)
    _save(stored, only=[*changed, *SWITCHED])
    stored.refresh_from_db()
    return copy_stored(stored, webhook)


@transaction.atomic
def webhook_rotate(*, webhook: Webhook) -> tuple[Webhook, str]:
    """Makes a new secret, shown only now. From now on deliveries are signed with it, and for
    `OVERLAP` also with the old one."""
    stored = locked(webhook)
    stored.salt, stored.old_salt = new_salt(), stored.salt
    stored.old_salt_until = timezone.now() + OVERLAP
    stored.save(update_fields=["salt", "old_salt", "old_salt_until"])
    return copy_stored(stored, webhook), secret_of(stored.id, stored.salt)


def webhook_delete(*, webhook: Webhook) -> None:
    """Deletes a webhook with its deliveries, also those that still wait."""
    webhook.delete()


def webhook_test(*, webhook: Webhook) -> tuple[Delivery, Reply]:
    """Sends an event `test` and waits for the response, at most about 10 s. Raises
    ApplicationError: 404, 429 after `TESTS` a minute, 503 if they cannot be counted."""
    too_many = _("You have sent %(limit)s tests within a minute, which is the limit.")
    _count(f"webhook-tests:{webhook.owner_id}", TESTS, too_many)
    return send_test(webhook=webhook)


@transaction.atomic
def delivery_resend(*, user: User, delivery: Delivery) -> Delivery:
    """Sends the delivery again within seconds, on request of `user`, then with the usual tries.
    Raises ApplicationError: 404; 409 for a test, for one that is being sent, and if the webhook is
    off; 429 after `RESENDS` a minute; 503 if they cannot be counted."""
    too_many = _("You have sent %(limit)s deliveries by hand within a minute, which is the limit.")
    _count(f"webhook-resends:{user.pk}", RESENDS, too_many)
    webhook = locked(delivery.webhook)
    if delivery.kind == Delivery.Kind.TEST:
        raise conflict("a_test", _("A test cannot be sent again."), _("Send another test."))
    if not webhook.is_active:
        raise conflict("webhook_off", _("The webhook is switched off."), _("Switch it on first."))
    if not delivery_renew(delivery):
        raise conflict(
            "on_its_way",
            _("It is being sent, or will be in a moment."),
            _("Look again in a minute."),
        )
    return copy_stored(locked(delivery), delivery)


def _count(key: str, limit: int, too_many: str) -> None:
    """Counts one more under `key`. Raises ApplicationError with `too_many` after `limit` within
    `WINDOW_SECONDS`."""
    try:
        tries = tries_counted(key, seconds=WINDOW_SECONDS)
    except RedisError as error:
        raise ApplicationError(
            code="tries_not_counted",
            message=_(
                "Nothing can be sent by hand now, because Redis, which counts this, does not "
                "answer."
            ),
            remedy=_("Try again when Redis is back."),
            status_code=status.HTTP_503_SERVICE_UNAVAILABLE,
            headers={"Retry-After": "10"},
        ) from error
    if tries > limit:
        raise ApplicationError(
            code="too_many_requests",
            message=too_many % {"limit": limit},
            remedy=_("Wait a minute, then try again."),
            status_code=status.HTTP_429_TOO_MANY_REQUESTS,
            headers={"Retry-After": str(WINDOW_SECONDS)},
        )


def _check(webhook: Webhook, changed: Collection[str], *, as_curator: bool) -> None:
    """Checks the `changed` fields. A person who may not allow private addresses cannot send a
    webhook with this permission to another address either."""
    reach = {"url", "allow_private_address"} & set(changed)
    if reach and webhook.allow_private_address and not as_curator:
        message = _("Only a curator may allow private addresses for a webhook.")
        raise ApplicationError(
            code="curator_only",
            message=message,
            remedy=_(
                "Use a public address without the permission, or ask an admin to add you to the "
                "group “curator”."
            ),
            status_code=status.HTTP_403_FORBIDDEN,
            fields=(FieldError("allow_private_address", "curator_only", message),),
        )
    errors = _name_errors(webhook) if "name" in changed else []
    errors += _url_errors(webhook) if reach else []
    if errors:
        raise ApplicationError.of_fields(errors)


def _name_errors(webhook: Webhook) -> list[FieldError]:
    name = webhook.name = webhook.name.strip()
    if name and len(name) <= NAME_CHARS and name.isprintable():
        return []
    return [
        FieldError(
            "name",
            "bad_name",
            _("Use 1 to %(at_most)s printable characters.") % {"at_most": NAME_CHARS},
        )
    ]


def _url_errors(webhook: Webhook) -> list[FieldError]:
    url = webhook.url
    if len(url) > URL_CHARS:
        message = _("Use at most %(at_most)s characters; this has %(length)s.") % {
            "at_most": f"{URL_CHARS:,}",
            "length": f"{len(url):,}",
        }
        return [FieldError("url", "too_long", message)]
    try:
        check_url(url, allow_private=webhook.allow_private_address)
    except AddressRefused as error:
        cause = reasons.refused(error)
        return [FieldError("url", cause.code, f"{cause.message} {cause.remedy}".strip())]
    return []


def _save(webhook: Webhook, *, only: list[str] | None = None) -> None:
    try:
        with transaction.atomic():
            webhook.save(force_insert=only is None, update_fields=only)
    except IntegrityError as error:
        message = _("You already have a webhook “%(name)s”.") % {"name": webhook.name}
        raise ApplicationError(
            code="name_taken",
            message=message,
            remedy=_("Choose another name, or change the existing webhook."),
            status_code=status.HTTP_409_CONFLICT,
            fields=(FieldError("name", "name_taken", message),),
        ) from error
