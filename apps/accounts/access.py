"""The access of a live stream, which is checked again while it runs: a stream of hours must not
outlive its user's rights."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.http import HttpRequest
from rest_framework.request import Request

from apps.accounts.models import ApiToken, User
from apps.accounts.permissions import acts_as, user_of
from apps.accounts.selectors import tokens_of


@dataclass(frozen=True, slots=True)
class Access:
    """Access by a token, or by a browser's session."""

    user_id: UUID
    token_id: UUID | None = None
    session_key: str | None = None

    @classmethod
    def of(cls, request: Request) -> Access:
        """The access of a request that authentication accepted."""
        if isinstance(request.auth, ApiToken):
            return cls(user_of(request).pk, token_id=request.auth.pk)
        return cls(user_of(request).pk, session_key=request.session.session_key)

    def holds(self) -> bool:
        """Whether the same request would be accepted now: the session, token and password still
        hold, nothing has expired, and the user is active and in a group."""
        user = self._of_session() if self.token_id is None else self._of_token(self.token_id)
        return user.pk == self.user_id and acts_as(user, "viewer")

    def _of_session(self) -> AbstractBaseUser | AnonymousUser:
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(self.session_key)
        return get_user(request)

    def _of_token(self, token_id: UUID) -> User | AnonymousUser:
        user = User.objects.filter(pk=self.user_id).first()
        works = user is not None and tokens_of(user).filter(pk=token_id).exists()
        return user if user is not None and works else AnonymousUser()
