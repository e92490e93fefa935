"""Who may do what: four groups, each including the ones before, narrowed by a token's scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from apps.accounts.models import GROUPS, ApiToken, User
from apps.accounts.selectors import user_rank
from apps.common.errors import ApplicationError

if TYPE_CHECKING:
    from rest_framework.views import APIView

SCOPE_OF_GROUP = {
    "viewer": None,
    "operator": ApiToken.Scope.RUN,
    "curator": ApiToken.Scope.CURATE,
    "admin": None,
}
"""The scope that a token needs for what a group may do. None for viewer: any scope may read. None
for admin: no token may administer."""


def acts_as(user: AbstractBaseUser | AnonymousUser, group: str) -> bool:
    """Whether the user is in `group` or in one above it."""
    return user_rank(user) >= GROUPS.index(group)


def may(request: Request, group: str) -> bool:
    """Whether the request's user, through the request's token if there is one, acts as `group`."""
    if not request.user or not request.user.is_authenticated:
        return False
    if not acts_as(request.user, group):
        return False
    if not isinstance(request.auth, ApiToken):
        return True
    scope = SCOPE_OF_GROUP[group]
    return group == "viewer" if scope is None else scope in request.auth.scopes


def user_of(request: Request) -> User:
    """The user of a request that a `GroupPermission` accepted, so never an anonymous one."""
    assert isinstance(request.user, User)  # noqa: S101  the permission demanded one
    return request.user


class GroupPermission(BasePermission):
    """`read` guards GET, HEAD and OPTIONS; `write` guards the rest."""

    read: ClassVar[str] = "viewer"
    write: ClassVar[str] = "viewer"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return may(request, self.read if request.method in SAFE_METHODS else self.write)


class IsViewer(GroupPermission):
    pass


class OwnThings(IsViewer):
    """Each person has things of their own, but a token that may only read changes nothing."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        if request.method not in SAFE_METHODS and _only_reads(request):
            raise ApplicationError(
                code="forbidden",
                message=_("This token may only read."),
                remedy=_("Use a token with another scope, or log in with a browser."),
                status_code=status.HTTP_403_FORBIDDEN,
            )
        return True


class IsOperator(GroupPermission):
    """Guards reading, too, because what is read opens something."""

    read = write = "operator"


class OperatorWrites(GroupPermission):
    write = "operator"


class CuratorWrites(GroupPermission):
    write = "curator"


class IsCurator(GroupPermission):
    """Guards reading, too, because what is read is a curator's own work."""

    read = write = "curator"


def _only_reads(request: Request) -> bool:
    return isinstance(request.auth, ApiToken) and set(request.auth.scopes) <= {ApiToken.Scope.READ}
