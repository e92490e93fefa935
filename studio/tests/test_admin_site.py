"""Who enters the admin, to what, and under which content policy."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import reverse
from rest_framework.test import APIClient

from apps.accounts import services
from apps.accounts.models import User

pytestmark = pytest.mark.django_db

CURATED = {"roles.RolePool", "roles.Role", "llms.Endpoint", "tasks.Dataset"}
HISTORY = {
    "roles.RoleVersion",
    "roles.PoolVersion",
    "roles.PoolChange",
    "llms.EndpointChange",
    "tasks.Task",
    "training.Checkpoint",
}
PEOPLE = {"accounts.User"}
TOKENS = {"accounts.ApiToken"}
READ = {
    "auth.Group",
    "agents.AgentProfile",
    "runs.Run",
    "evaluations.Evaluation",
    "training.TrainingJob",
    "webhooks.Webhook",
    "webhooks.Delivery",
}
CURATOR = CURATED | HISTORY
EVERYTHING = CURATOR | PEOPLE | TOKENS | READ
OF_GROUP: dict[str, set[str]] = {"curator": CURATOR, "admin": EVERYTHING}
OUT = ("outsider", "viewer", "operator")


def page(model: str, view: str = "changelist") -> str:
    app, name = model.lower().split(".")
    return reverse(f"admin:{app}_{name}_{view}")


@pytest.fixture
def superuser(db: None) -> Client:
    client = Client()
    client.force_login(services.admin_ensure()[0])
    return client


def test_every_model_of_the_admin_is_sorted_into_groups_here() -> None:
    registered = {model._meta.label for model in admin.site._registry}
    assert registered == EVERYTHING


@pytest.mark.parametrize("model", sorted(EVERYTHING))
@pytest.mark.parametrize("who", [*OUT, *OF_GROUP])
def test_each_group_sees_what_it_may(
    as_user: Callable[[str], APIClient], who: str, model: str
) -> None:
    answer = as_user(who).get(page(model), follow=True)
    assert answer.status_code == (200 if model in OF_GROUP.get(who, set()) else 403)


@pytest.mark.parametrize("model", sorted(EVERYTHING))
@pytest.mark.parametrize("who", [*OUT, *OF_GROUP])
def test_each_group_adds_what_it_may(
    as_user: Callable[[str], APIClient], who: str, model: str
) -> None:
    may = {"curator": CURATED, "admin": CURATED | PEOPLE}.get(who, set())
    answer = as_user(who).get(page(model, "add"), follow=True)
    assert answer.status_code == (200 if model in may else 403)


@pytest.mark.parametrize(("who", "sees"), OF_GROUP.items())
def test_change_and_delete_follow_the_group_too(
    cast: dict[str, User], rf: RequestFactory, who: str, sees: set[str]
) -> None:
    request = rf.get("/admin/")
    request.user = cast[who]
    pages = {model._meta.label: page for model, page in admin.site._registry.items()}
    changed = {label for label, page in pages.items() if page.has_change_permission(request)}
    deleted = {label for label, page in pages.items() if page.has_delete_permission(request)}
    assert changed == deleted == sees - READ - HISTORY


@pytest.mark.parametrize("flag", [True, False])
def test_staff_without_a_group_stays_outside(make_user: Callable[..., User], flag: bool) -> None:
    user = make_user("staff")
    User.objects.filter(pk=user.pk).update(is_staff=flag)
    client = Client()
    client.force_login(user)
    assert client.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize("model", sorted(EVERYTHING))
def test_a_superuser_sees_everything(superuser: Client, model: str) -> None:
    assert superuser.get(page(model)).status_code == 200


def test_every_page_says_whose_admin_it_is(superuser: Client) -> None:
    boss = User.objects.get(is_superuser=True)
    paths = ["/admin/", "/admin/password_change/", "/admin/accounts/", page("accounts.User", "add")]
    paths += [
        f"/admin/accounts/user/{boss.pk}/{name}/" for name in ("change", "history", "password")
    ]
    answers = [superuser.get(path) for path in [*paths, page("accounts.User")]]
    for answer in [*answers, superuser.post("/admin/logout/")]:
        said = answer.content.decode()
        assert answer.status_code == 200
        assert "Django" not in said, answer.request["PATH_INFO"]
        title = re.search(r"<title>(.*?)</title>", said, re.DOTALL)
        assert title
        assert "MAS Studio" in title[1], answer.request["PATH_INFO"]


def test_groups_stand_with_the_people(superuser: Client) -> None:
    apps = {app["app_label"]: app for app in superuser.get("/admin/").context["app_list"]}
    assert "auth" not in apps
    names = [model["object_name"] for model in apps["accounts"]["models"]]
    assert sorted(names) == ["ApiToken", "Group", "User"]


def test_strangers_are_led_to_the_login_that_limits_tries(
    as_user: Callable[..., APIClient],
) -> None:
    answer = as_user("anonymous").get("/admin/roles/role/", follow=False)
    asked = as_user("anonymous").get(answer.headers["Location"])
    assert asked.headers["Location"] == "/login?next=/admin/roles/role/"
    posted = as_user("anonymous").post("/admin/login/", {"username": "admin", "password": "x"})
    assert posted.status_code == 302


def test_only_the_admins_own_pages_have_the_weaker_policy(
    as_user: Callable[[str], APIClient],
) -> None:
    curator = as_user("curator")
    weaker = curator.get("/admin/").headers["Content-Security-Policy"]
    parts = dict(part.split(" ", 1) for part in weaker.split("; "))
    assert parts["script-src"] == "'self' 'unsafe-eval'"
    assert parts["style-src"] == "'self' 'unsafe-inline'"
    strict = curator.get("/").headers["Content-Security-Policy"]
    rest = dict(part.split(" ", 1) for part in strict.split("; "))
    assert {key: value for key, value in parts.items() if "unsafe" not in value} == {
        key: value for key, value in rest.items() if key not in {"script-src", "style-src"}
    }
    for path in ("/", "/roles", "/api/me", "/api/docs", "/admin", "/administration"):
        assert "unsafe" not in curator.get(path).headers["Content-Security-Policy"], path
