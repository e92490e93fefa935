"""People in the admin: who manages whom, and the one-time link that a login error promises."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts import services
from apps.accounts.models import LoginLink, User

pytestmark = pytest.mark.django_db

USERS = "/admin/accounts/user/"


@pytest.fixture
def boss(db: None) -> User:
    return services.admin_ensure(username="boss")[0]


def make_links(client: Client, *users: User) -> Any:
    chosen = {"action": "make_login_link", "_selected_action": [str(user.pk) for user in users]}
    return client.post(USERS, chosen, follow=True)


def logged_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_an_admin_makes_a_link_that_is_shown_once_and_works_once(cast: dict[str, User]) -> None:
    client = logged_in(cast["admin"])
    shown = make_links(client, cast["viewer"]).content.decode()
    link = re.search(r"http://testserver(/login/once/[\w-]+)", shown)
    assert link
    assert link[1] not in client.get(USERS).content.decode()
    visitor = Client()
    assert visitor.get(link[1]).headers["Location"] == "/"
    assert visitor.get("/api/me").json()["username"] == "viewer"
    assert Client().get(link[1]).headers["Location"] == "/login?link=spent"


@pytest.mark.parametrize("who", ["outsider", "viewer", "operator", "curator"])
def test_others_make_no_link(cast: dict[str, User], who: str) -> None:
    assert make_links(logged_in(cast[who]), cast["viewer"]).status_code == 403
    assert not LoginLink.objects.exists()


def test_only_a_superuser_makes_a_link_for_a_superuser(cast: dict[str, User], boss: User) -> None:
    refused = make_links(logged_in(cast["admin"]), boss).content.decode()
    assert "Only a superuser" in refused
    assert not LoginLink.objects.exists()
    assert "/login/once/" in make_links(logged_in(boss), boss).content.decode()


def test_an_account_that_is_not_active_gets_no_link(cast: dict[str, User]) -> None:
    User.objects.filter(username="viewer").update(is_active=False)
    assert "is not active" in make_links(logged_in(cast["admin"]), cast["viewer"]).content.decode()
    assert not LoginLink.objects.exists()


def test_an_admin_adds_a_person_and_chooses_the_groups(as_user: Callable[[str], APIClient]) -> None:
    client = as_user("admin")
    password = "a long walk by the river"
    added = client.post(
        f"{USERS}add/",
        {
            "username": "new",
            "usable_password": "true",
            "password1": password,
            "password2": password,
        },
        format="multipart",
        follow=True,
    )
    assert added.status_code == 200
    user = User.objects.get(username="new")
    values = {
        "username": "new",
        "is_active": "on",
        "is_superuser": "on",
        "is_staff": "on",
        "groups": [Group.objects.get(name="operator").pk],
    }
    client.post(f"{USERS}{user.pk}/change/", values, format="multipart")
    user.refresh_from_db()
    assert [group.name for group in user.groups.all()] == ["operator"]
    assert not user.is_superuser
    assert not user.is_staff


@pytest.mark.parametrize("page", ["change", "delete", "password"])
def test_an_admin_cannot_take_over_a_superuser(
    as_user: Callable[[str], APIClient], boss: User, page: str
) -> None:
    values = {"username": "mine", "post": "yes", "password1": "x" * 20, "password2": "x" * 20}
    address = f"{USERS}{boss.pk}/{page}/"
    assert as_user("admin").post(address, values, format="multipart").status_code == 403
    before = boss.password
    boss.refresh_from_db()
    assert (boss.username, boss.password) == ("boss", before)


def test_an_admin_cannot_delete_a_superuser_among_others(
    as_user: Callable[[str], APIClient], cast: dict[str, User], boss: User
) -> None:
    chosen = [str(boss.pk), str(cast["viewer"].pk)]
    values = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    assert as_user("admin").post(USERS, values, format="multipart").status_code == 403
    assert User.objects.filter(pk__in=chosen).count() == 2


def test_an_admin_revokes_a_token_for_good(cast: dict[str, User]) -> None:
    expires = timezone.now() + timedelta(days=1)
    token, secret = services.token_create(
        user=cast["operator"], name="batch", scopes=["read"], expires_at=expires
    )
    client = logged_in(cast["admin"])
    tokens = "/admin/accounts/apitoken/"
    client.post(tokens, {"action": "revoke", "_selected_action": [str(token.pk)]})
    assert services.token_authenticate(secret=secret) is None
    client.post(f"{tokens}{token.pk}/change/", {"revoked_at_0": "", "revoked_at_1": ""})
    token.refresh_from_db()
    assert token.revoked_at is not None
