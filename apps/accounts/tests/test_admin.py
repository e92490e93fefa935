"""People in the admin: who manages whom, and the one-time link that a login error promises."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from apps.accounts import services
from apps.accounts.models import LoginLink, User
from apps.accounts.tests.cast import AsUser

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
    visitor, late = Client(), Client()
    assert visitor.get(link[1]).headers["Location"] == "/"
    assert visitor.get("/api/me").json()["username"] == "viewer"
    assert late.get(link[1]).headers["Location"] == "/login?link=spent"
    assert late.get("/api/me").status_code == 401


def test_a_curator_makes_no_link(cast: dict[str, User]) -> None:
    assert make_links(logged_in(cast["curator"]), cast["viewer"]).status_code == 403
    assert not LoginLink.objects.exists()


def test_an_account_that_is_not_active_gets_no_link_and_a_superuser_s_none_from_others(
    cast: dict[str, User], boss: User
) -> None:
    User.objects.filter(username="viewer").update(is_active=False)
    refused = make_links(logged_in(cast["admin"]), boss, cast["viewer"]).content.decode()
    assert "Only a superuser" in refused
    assert "is not active" in refused
    assert not LoginLink.objects.exists()
    assert "/login/once/" in make_links(logged_in(boss), boss).content.decode()


def test_an_admin_adds_a_person_and_chooses_the_groups(as_user: AsUser) -> None:
    client = as_user("admin")
    password = "a long walk by the river"
    person = {"username": "new", "usable_password": "true"}
    person |= {"password1": password, "password2": password}
    added = client.post(f"{USERS}add/", person, format="multipart", follow=True)
    assert added.status_code == 200
    user = User.objects.get(username="new")
    rights = dict.fromkeys(("is_active", "is_superuser", "is_staff"), "on")
    values = {"username": "new", **rights, "groups": [Group.objects.get(name="operator").pk]}
    client.post(f"{USERS}{user.pk}/change/", values, format="multipart")
    user.refresh_from_db()
    assert [group.name for group in user.groups.all()] == ["operator"]
    assert not user.is_superuser
    assert not user.is_staff


@pytest.mark.parametrize("page", ["change", "delete", "password"])
def test_an_admin_cannot_take_over_a_superuser(as_user: AsUser, boss: User, page: str) -> None:
    values = {"username": "mine", "post": "yes", "password1": "x" * 20, "password2": "x" * 20}
    address = f"{USERS}{boss.pk}/{page}/"
    assert as_user("admin").post(address, values, format="multipart").status_code == 403
    before = boss.password
    boss.refresh_from_db()
    assert (boss.username, boss.password) == ("boss", before)


def test_an_admin_cannot_delete_a_superuser_among_others(
    as_user: AsUser, cast: dict[str, User], boss: User
) -> None:
    chosen = [str(boss.pk), str(cast["viewer"].pk)]
    values = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
    assert as_user("admin").post(USERS, values, format="multipart").status_code == 403
    assert User.objects.filter(pk__in=chosen).count() == 2
