"""Tokens, groups and what people have, in the admin: told whole, and no secret with it."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts import services
from apps.accounts.admin.tokens import ApiTokenAdmin
from apps.accounts.models import ApiToken, User
from apps.accounts.owned import owned_by
from apps.accounts.selectors import TOKEN_STATES, token_state, tokens_in_state
from apps.accounts.tests.cast import AsUser
from apps.runs.models import Run

pytestmark = pytest.mark.django_db

TOKENS = "/admin/accounts/apitoken/"
USERS = "/admin/accounts/user/"


def make(user: User, name: str, **values: object) -> tuple[ApiToken, str]:
    expires = timezone.now() + timedelta(days=1)
    token, secret = services.token_create(
        user=user, name=name, scopes=["read", "curate"], expires_at=expires
    )
    ApiToken.objects.filter(pk=token.pk).update(**values)
    return token, secret


def act(client: APIClient, address: str, action: str, *things: User | ApiToken) -> str:
    chosen = {"action": action, "_selected_action": [str(thing.pk) for thing in things]}
    answer = client.post(address, chosen, format="multipart", follow=True)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_token_is_shown_with_its_use_and_never_with_its_secret(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    token, secret = make(cast["operator"], "nightly")
    token.refresh_from_db()
    client = as_user("admin")
    page = client.get(f"{TOKENS}{token.pk}/change/").content.decode()
    for said in ("nightly", "never", "works", "curate, read", token.prefix):
        assert said in page
    assert 'name="_save"' not in page
    for shown in (page, client.get(TOKENS).content.decode()):
        assert secret not in shown
        assert token.digest not in shown


def test_a_token_may_what_its_scopes_and_its_owner_s_group_allow(cast: dict[str, User]) -> None:
    tokens = {who: make(cast[who], "t")[0] for who in ("curator", "operator", "outsider")}
    shown = ApiTokenAdmin(ApiToken, admin.site)
    found = {who: shown.may_now(token) for who, token in tokens.items()}
    assert found == {"curator": "read, curate", "operator": "read", "outsider": "nothing"}


def test_each_state_of_a_token_is_found(cast: dict[str, User], as_user: AsUser) -> None:
    now = timezone.now()
    viewer, gone = cast["viewer"], cast["outsider"]
    make(viewer, "unused")
    make(viewer, "busy", last_used_at=now)
    make(viewer, "idle", last_used_at=now - timedelta(days=91))
    make(viewer, "expired", expires_at=now - timedelta(seconds=1))
    make(viewer, "revoked", revoked_at=now)
    make(gone, "owner")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    tokens = ApiToken.objects.select_related("user").order_by("name")
    found = {key: [token.name for token in tokens_in_state(tokens, key)] for key in TOKEN_STATES}
    assert found == {
        "works": ["busy", "idle", "unused"],
        **{key: [key] for key in ("unused", "idle", "expired", "revoked", "owner")},
    }
    states = ["works", "expired", "works", "owner not active", "revoked", "works"]
    assert [token_state(token) for token in tokens] == states
    listed = as_user("admin").get(f"{TOKENS}?state=idle")
    assert [token.name for token in listed.context["cl"].result_list] == ["idle"]


def test_many_tokens_are_revoked_at_once_or_one_on_its_page(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    (one, first), (two, second), (three, third) = (make(cast["viewer"], name) for name in "abc")
    client = as_user("admin")
    assert "2 tokens revoked." in act(client, TOKENS, "revoke", one, two)
    page = f"{TOKENS}{three.pk}/revoke_now/"
    assert "cannot be undone" in client.get(page).content.decode()
    assert services.token_authenticate(secret=third)
    assert "no longer works" in client.post(page, follow=True).content.decode()
    client.post(f"{TOKENS}{three.pk}/change/", {"revoked_at_0": "", "revoked_at_1": ""})
    for secret in (first, second, third):
        assert services.token_authenticate(secret=secret) is None
    assert LogEntry.objects.filter(change_message="Revoked.").count() == 3
    for who in ("viewer", "curator"):
        assert as_user(who).post(page, follow=True).status_code == 403


def test_all_tokens_of_people_are_revoked_and_counted(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    for name in "ab":
        make(cast["viewer"], name)
    make(cast["operator"], "c", revoked_at=timezone.now())
    client = as_user("admin")
    listed = {user.username: user for user in client.get(USERS).context["cl"].result_list}
    counts = {name: user.token_count for name, user in listed.items()}
    assert (counts["viewer"], counts["operator"]) == (2, 0)
    said = act(client, USERS, "revoke_tokens", cast["viewer"], cast["operator"])
    assert "2 tokens revoked." in said


def test_people_are_switched_off_and_on_but_not_oneself_nor_a_superuser(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    boss = services.admin_ensure(username="boss")[0]
    _, secret = make(cast["viewer"], "t")
    viewer = as_user("viewer")
    chosen = (cast["viewer"], cast["admin"], boss)
    said = act(as_user("admin"), USERS, "deactivate", *chosen)
    assert "Deactivated: viewer. They and their tokens are refused from now on." in said
    assert "activate or deactivate your own account" in said
    assert "Only a superuser can activate or deactivate this account" in said
    off = set(User.objects.filter(is_active=False).values_list("username", flat=True))
    assert off == {"viewer"}
    assert viewer.get("/api/me").status_code == 401
    assert services.token_authenticate(secret=secret) is None
    act(as_user("admin"), USERS, "activate", cast["viewer"])
    assert as_user("viewer").get("/api/me").status_code == 200


def test_a_person_s_page_tells_what_they_have_and_what_goes_with_them(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    viewer = cast["viewer"]
    make(viewer, "t")
    Run.objects.create(
        method="direct", endpoint_key="e", endpoint_spec={}, query="?", created_by=viewer
    )
    found = {owned.name: (owned.count, owned.goes) for owned in owned_by(viewer)}
    assert found == {"API tokens": (1, True), "runs": (1, False)}
    client = as_user("admin")
    page = client.get(f"{USERS}{viewer.pk}/change/").content.decode()
    address = f"/admin/runs/run/?created_by__id__exact={viewer.pk}"
    assert address in page
    assert "stays without an owner" in page
    assert client.get(address).context["cl"].result_count == 1


def test_groups_say_what_they_may_and_who_is_in_them(
    as_user: AsUser, cast: dict[str, User]
) -> None:
    client = as_user("admin")
    listed = client.get("/admin/auth/group/").content.decode()
    assert "also edits role pools, endpoints and datasets" in listed
    group = Group.objects.get(name="curator")
    page = client.get(f"/admin/auth/group/{group.pk}/change/").content.decode()
    assert f"{USERS}{cast['curator'].pk}/change/" in page
    assert cast["viewer"].username not in page.split("Members</h2>")[1].split("All members")[0]
    assert "curator" in client.get(USERS).content.decode()
