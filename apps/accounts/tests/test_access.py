"""What let somebody in holds no longer than it would let them in again."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from rest_framework.request import Request

from apps.accounts.access import Access
from apps.accounts.models import ApiToken, User
from apps.accounts.services import token_create, token_revoke

pytestmark = pytest.mark.django_db

PAST = timezone.now() - timedelta(days=1)
Change = Callable[[User], object]


def changed_password(user: User) -> None:
    user.set_password("another horse battery")
    user.save()


OF_ANYBODY: dict[str, Change] = {
    "deactivated": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "in no group": lambda user: user.groups.clear(),
    "deleted": lambda user: user.delete(),
}
OF_A_SESSION: dict[str, Change] = {
    "ended": lambda _: Session.objects.all().delete(),
    "expired": lambda _: Session.objects.update(expire_date=PAST),
    "another password": changed_password,
}
OF_A_TOKEN: dict[str, Change] = {
    "revoked": lambda user: token_revoke(user=user, token_id=user.api_tokens.get().pk),
    "expired": lambda user: user.api_tokens.update(expires_at=PAST),
}


@pytest.fixture
def viewer(cast: dict[str, User]) -> User:
    return cast["viewer"]


@pytest.fixture
def client(viewer: User) -> Client:
    client = Client()
    client.force_login(viewer)
    return client


def by_session(viewer: User, client: Client) -> Access:
    request = Request(HttpRequest())
    request.user, request.auth, request._request.session = viewer, None, client.session
    return Access.of(request)


def by_token(viewer: User) -> Access:
    ends = timezone.now() + timedelta(days=1)
    token, _ = token_create(user=viewer, name="t", scopes=[ApiToken.Scope.READ], expires_at=ends)
    request = Request(HttpRequest())
    request.user, request.auth = viewer, token
    return Access.of(request)


@pytest.mark.parametrize("change", OF_ANYBODY | OF_A_SESSION)
def test_a_session(viewer: User, client: Client, change: str) -> None:
    access = by_session(viewer, client)
    assert access.holds()
    (OF_ANYBODY | OF_A_SESSION)[change](viewer)
    assert not access.holds()


def test_a_logout(viewer: User, client: Client) -> None:
    access = by_session(viewer, client)
    other = Client()
    other.force_login(viewer)
    client.logout()
    assert not access.holds()
    assert by_session(viewer, other).holds()


@pytest.mark.parametrize("change", OF_ANYBODY | OF_A_TOKEN)
def test_a_token(viewer: User, change: str) -> None:
    access = by_token(viewer)
    assert access.holds()
    (OF_ANYBODY | OF_A_TOKEN)[change](viewer)
    assert not access.holds()


def test_a_token_outlives_a_logout(viewer: User, client: Client) -> None:
    access = by_token(viewer)
    client.logout()
    assert access.holds()


def test_nothing_lets_nobody_in(viewer: User, client: Client) -> None:
    assert not Access(viewer.pk).holds()
    assert not Access(uuid4(), session_key=client.session.session_key).holds()
