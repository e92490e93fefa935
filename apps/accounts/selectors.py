"""Reads about users."""

from __future__ import annotations

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

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
        user._studio_rank = cached  # type: ignore[attr-defined]  # a per-request memo, not a field
    return cached


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The user's tokens that still work."""
    return user.api_tokens.filter(revoked_at__isnull=True, expires_at__gt=timezone.now())
