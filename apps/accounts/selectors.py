"""Reads about users."""

from datetime import timedelta

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import GROUPS, ApiToken, User


def user_groups(user: User) -> list[str]:
    """The known groups the user is in, lowest first; without a query where they were prefetched."""
    names = {group.name for group in user.groups.all()}
    if user.is_superuser:
        names.add("admin")
    return [group for group in GROUPS if group in names]


def user_rank(user: AbstractBaseUser | AnonymousUser) -> int:
    """Index into `GROUPS` of the user's highest group; -1 for none. Read once per user object."""
    if not isinstance(user, User) or not user.is_active:
        return -1
    cached: int | None = getattr(user, "_studio_rank", None)
    if cached is None:
        groups = user_groups(user)
        cached = GROUPS.index(groups[-1]) if groups else -1
        vars(user)["_studio_rank"] = cached  # a per-request memo, not a field
    return cached


TOKEN_STATES = {
    "works": _("Works"),
    "unused": _("Works, never used"),
    "idle": _("Works, not used for 90 days"),
    "expired": _("Expired"),
    "revoked": _("Revoked"),
    "owner": _("Owner not active"),
}
IDLE = timedelta(days=90)


def working(prefix: str = "") -> Q:
    """Working tokens, or rows that `prefix` leads from to working tokens. Does not check whether
    the owner may log in."""
    now = timezone.now()
    return Q(**{f"{prefix}revoked_at__isnull": True, f"{prefix}expires_at__gt": now})


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The user's tokens that still work."""
    return user.api_tokens.filter(working())


def token_state(token: ApiToken) -> str:
    if token.revoked_at:
        return "revoked"
    if token.expires_at <= timezone.now():
        return "expired"
    return "works" if token.user.is_active else "owner not active"


def tokens_in_state(tokens: QuerySet[ApiToken], state: str) -> QuerySet[ApiToken]:
    """`state`: a key of `TOKEN_STATES`."""
    now = timezone.now()
    if state == "revoked":
        return tokens.filter(revoked_at__isnull=False)
    if state == "expired":
        return tokens.filter(revoked_at__isnull=True, expires_at__lte=now)
    unrevoked = tokens.filter(working())
    if state == "owner":
        return unrevoked.filter(user__is_active=False)
    works = unrevoked.filter(user__is_active=True)
    if state == "unused":
        return works.filter(last_used_at__isnull=True)
    return works.filter(last_used_at__lt=now - IDLE) if state == "idle" else works
