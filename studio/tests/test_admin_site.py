"""Who enters the admin, to what, and under which content policy."""

import re
from collections.abc import Callable, Iterable, Iterator

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, reverse
from django.urls.resolvers import RoutePattern
from rest_framework.test import APIClient

from apps.accounts import services
from apps.accounts.models import User

pytestmark = pytest.mark.django_db

CURATED = {"roles.RolePool", "roles.Role", "llms.Endpoint", "tasks.Dataset"}
LOADED = {"corpora.Corpus"}
"""Made by a command, and deleted here."""
HISTORY = {
    "roles.RoleVersion",
    "roles.PoolVersion",
    "roles.PoolChange",
    "llms.EndpointChange",
    "tasks.Task",
    "checkpoints.Checkpoint",
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
CURATOR = CURATED | HISTORY | LOADED
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


@pytest.mark.parametrize("who", [*OUT, *OF_GROUP])
def test_each_group_sees_and_adds_what_it_may(
    as_user: Callable[[str], APIClient], who: str
) -> None:
    client = as_user(who)
    adds = {"curator": CURATED, "admin": CURATED | PEOPLE}
    for view, may in (("changelist", OF_GROUP), ("add", adds)):
        statuses = {m: client.get(page(m, view), follow=True).status_code for m in EVERYTHING}
        assert statuses == {m: 200 if m in may.get(who, ()) else 403 for m in EVERYTHING}, view


@pytest.mark.parametrize(("who", "sees"), OF_GROUP.items())
def test_change_and_delete_follow_the_group_too(
    cast: dict[str, User], rf: RequestFactory, who: str, sees: set[str]
) -> None:
    request = rf.get("/admin/")
    request.user = cast[who]
    pages = {model._meta.label: page for model, page in admin.site._registry.items()}
    changed = {label for label, page in pages.items() if page.has_change_permission(request)}
    deleted = {label for label, page in pages.items() if page.has_delete_permission(request)}
    assert deleted == sees - READ - HISTORY
    assert changed == deleted - LOADED


@pytest.mark.parametrize("flag", [True, False])
def test_staff_without_a_group_stays_outside(make_user: Callable[..., User], flag: bool) -> None:
    user = make_user("staff")
    User.objects.filter(pk=user.pk).update(is_staff=flag)
    client = Client()
    client.force_login(user)
    assert client.get("/admin/", follow=True).status_code == 403


def addresses(patterns: Iterable[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """Of all pages of the admin, also those of single apps."""
    for each in patterns:
        if isinstance(each.pattern, RoutePattern):  # no list of an app, nor what is nowhere else
            at = before + re.sub(r"<[^>]+>", "1", str(each.pattern))
            yield from addresses(each.url_patterns, at) if isinstance(each, URLResolver) else [at]


@pytest.mark.parametrize("who", ["anonymous", *OUT])
def test_no_page_lets_in_who_is_no_curator(as_user: Callable[[str], APIClient], who: str) -> None:
    client = as_user(who)
    found = set(addresses(admin.site.get_urls())) - {"login/", "logout/", "jsi18n/"}
    assert {"roles/role/1/try_role/", "tasks/dataset/1/import_tasks/"} < found
    for path in found:
        for ask in (client.get, client.post):
            answer = ask(f"/admin/{path}")
            assert answer.status_code == 302, path
            assert answer.headers["Location"] == f"/admin/login/?next=/admin/{path}"


def test_a_superuser_sees_everything(superuser: Client) -> None:
    assert {superuser.get(page(model)).status_code for model in EVERYTHING} == {200}


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


def test_an_address_of_before_leads_to_the_page(superuser: Client) -> None:
    answer = superuser.get("/admin/training/checkpoint/?q=real")
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{page('checkpoints.Checkpoint')}?q=real",
    )
