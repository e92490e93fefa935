"""Writes about users: groups, tokens, one-time links, logins."""

import hashlib
import secrets
import threading
import uuid
from contextlib import suppress
from datetime import datetime, timedelta

from django.contrib.auth import authenticate
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from redis import RedisError
from rest_framework import status

from apps.accounts.models import GROUPS, ApiToken, LoginLink, User
from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.tries import tries_counted

TOKEN_PREFIX = "mas_"  # noqa: S105  a public marker, so that secret scanners know our tokens
TOKEN_MAX_DAYS = 365
TOKENS_PER_USER = 50
LOGIN_TRIES = 10
"""The limit for one name from one address. The limits for a name from all addresses and for an
address with all names are wider, so a stranger's ten tries lock no one out."""
LOGIN_TRIES_NAME = 50
LOGIN_TRIES_ADDRESS = 100
LOGIN_WAIT_SECONDS = 3.0

_hashing = threading.BoundedSemaphore(4)
"""Hashing a password is slow on purpose; logins of strangers must not take every thread."""
LOGIN_WINDOW_SECONDS = 15 * 60


def digest_of(secret: str) -> str:
    """Secrets are random and long, so one round of SHA-256 is enough to store them."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def admin_ensure(*, username: str = "admin") -> tuple[User, str | None]:
    """The first admin: the user, and the new password if it was made now. Safe to repeat."""
    for name in GROUPS:
        Group.objects.get_or_create(name=name)
    existing = User.objects.filter(is_superuser=True).order_by("date_joined").first()
    if existing:
        return existing, None
    password = secrets.token_urlsafe(15)
    user = User.objects.create_superuser(username=username, password=password)
    user.groups.add(Group.objects.get(name="admin"))
    return user, password


def login_link_create(*, user: User, minutes: int = 30) -> str:
    """The path of a link that logs `user` in once."""
    secret = secrets.token_urlsafe(32)
    LoginLink.objects.create(
        user=user, digest=digest_of(secret), expires_at=timezone.now() + timedelta(minutes=minutes)
    )
    return f"/login/once/{secret}"


def login_link_use(*, secret: str) -> User | None:
    """The user of an unused, unexpired link, else None. This call uses the link up."""
    now = timezone.now()
    spent = LoginLink.objects.filter(
        digest=digest_of(secret), used_at__isnull=True, expires_at__gt=now, user__is_active=True
    ).update(used_at=now)
    if not spent:
        return None
    return LoginLink.objects.select_related("user").get(digest=digest_of(secret)).user


def login_check(*, request: HttpRequest, username: str, password: str, address: str) -> User:
    """The user with these credentials. Too many tries, by name or by address, are refused. All
    tries are refused while Redis is away, because they cannot be counted."""
    name = username.lower()
    limits = {
        f"login:{digest_of(f'{name} at {address}')}": LOGIN_TRIES,
        f"login:{digest_of(f'name {name}')}": LOGIN_TRIES_NAME,
        f"login:{digest_of(f'address {address}')}": LOGIN_TRIES_ADDRESS,
    }
    # Counted before the password is looked at: many tries at the same moment are many tries.
    try:
        tries = {key: tries_counted(key, seconds=LOGIN_WINDOW_SECONDS) for key in limits}
    except RedisError as error:
        raise ApplicationError(
            code="tries_not_counted",
            message=_(
                "Password login is off because Redis, which counts the tries, does not answer."
            ),
            remedy=_("Start Redis, or use a one-time link."),
            status_code=status.HTTP_503_SERVICE_UNAVAILABLE,
            headers={"Retry-After": "10"},
        ) from error
    if any(tries[key] > limit for key, limit in limits.items()):
        raise ApplicationError(
            code="too_many_tries",
            message=_("Too many failed logins."),
            remedy=_("Wait %(minutes)s minutes, or use a one-time link.")
            % {"minutes": LOGIN_WINDOW_SECONDS // 60},
            status_code=status.HTTP_429_TOO_MANY_REQUESTS,
            headers={"Retry-After": str(LOGIN_WINDOW_SECONDS)},
        )
    if not _hashing.acquire(timeout=LOGIN_WAIT_SECONDS):
        raise ApplicationError(
            code="login_busy",
            message=_("Too many people are logging in at this moment."),
            remedy=_("Try again in a few seconds."),
            status_code=status.HTTP_429_TOO_MANY_REQUESTS,
            headers={"Retry-After": "5"},
        )
    try:
        user = authenticate(request, username=username, password=password)
    finally:
        _hashing.release()
    if not isinstance(user, User):
        raise ApplicationError(
            code="wrong_credentials",
            message=_("The name or the password is wrong."),
            remedy=_("Try again, or ask an admin for a one-time link."),
            status_code=status.HTTP_401_UNAUTHORIZED,
        )
    pair, name_key, address_key = limits
    with suppress(RedisError, ValueError):  # ValueError: the window ended just now
        cache.delete_many([pair, name_key])
        cache.decr(address_key)  # this try alone: one's own name must not reset an address
    return user


def token_create(
    *, user: User, name: str, scopes: list[str], expires_at: datetime
) -> tuple[ApiToken, str]:
    """A new token and its secret, which is shown only now and never stored."""
    now = timezone.now()
    if not now < expires_at <= now + timedelta(days=TOKEN_MAX_DAYS):
        message = _("A token must expire in the future, within %(at_most)s days.") % {
            "at_most": TOKEN_MAX_DAYS
        }
        raise ApplicationError(
            code="invalid",
            message=message,
            remedy=_("Choose another date."),
            fields=(FieldError("expires_at", "out_of_range", message),),
        )
    if user.api_tokens.filter(revoked_at__isnull=True).count() >= TOKENS_PER_USER:
        raise conflict(
            "too_many_tokens",
            _("You have %(at_most)s tokens, which is the limit.") % {"at_most": TOKENS_PER_USER},
            _("Revoke one you no longer use."),
        )
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=secret[:10],
        digest=digest_of(secret),
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    return token, secret


def token_revoke(*, user: User, token_id: uuid.UUID) -> bool:
    """Whether this call revoked a working token of this user."""
    return bool(
        ApiToken.objects.filter(id=token_id, user=user, revoked_at__isnull=True).update(
            revoked_at=timezone.now()
        )
    )


def tokens_revoke(*, user: User) -> int:
    """Revokes all working tokens of this user, and returns how many."""
    return user.api_tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())


def user_switch(*, user: User, active: bool) -> bool:
    """Whether this call changed the user. Sessions and tokens of a user who is not active are
    refused at their next request."""
    switched = User.objects.filter(pk=user.pk, is_active=not active).update(is_active=active)
    user.is_active = active
    return bool(switched)


def token_authenticate(*, secret: str) -> ApiToken | None:
    """The working token with this secret. Notes its use, at most once a minute."""
    now = timezone.now()
    token = (
        ApiToken.objects.select_related("user")
        .filter(
            digest=digest_of(secret),
            revoked_at__isnull=True,
            expires_at__gt=now,
            user__is_active=True,
        )
        .first()
    )
    if token and (not token.last_used_at or now - token.last_used_at > timedelta(minutes=1)):
        ApiToken.objects.filter(id=token.id).update(last_used_at=now)
    return token
