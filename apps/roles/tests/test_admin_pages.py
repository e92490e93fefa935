"""The admin's own pages of a pool: who enters, what they show, what they do. Texts are hostile."""

from html.parser import HTMLParser
from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.agents.models import AgentProfile
from apps.llms.models import Endpoint
from apps.roles import services
from apps.roles.models import PoolChange, PoolVersion, RolePool, RoleVersion
from apps.roles.publishing import pool_publish

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>{{ 7|add:7 }}{% csrf_token %}\"'><img src=x onerror=alert(1)>"
PAGES = ("publish", "discard", "versions", "clone", "fill_agents")


class Tags(HTMLParser):
    """What a browser would run, or load, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.images: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "script" and not given.get("src") and given.get("type") != "application/json":
            self.inline.append(str(given))
        if tag == "img" and given.get("src") == "x":
            self.images.append(str(given))
        self.inline += [name for name in given if name.startswith("on")]


def address(pool: RolePool, name: str) -> str:
    return f"/admin/roles/rolepool/{pool.pk}/{name}/"


def make_endpoints(*keys: str, name: str = "E") -> None:
    """All are enabled but `off`."""
    for key in keys:
        where = {"name": name, "base_url": "https://x.example", "model": "m"}
        Endpoint.objects.create(key=key, enabled=key != "off", **where)


def post(client: APIClient, path: str, values: dict[str, Any] | None = None) -> Any:
    return client.post(path, values or {}, format="multipart", follow=True)


def test_pages_are_of_pools_that_there_are(as_user: AsUser, published: RolePool) -> None:
    curator = as_user("curator")
    for name in PAGES:
        assert curator.get(address(published, name)).status_code == 200, name
        for pk in ("999", "x"):
            assert curator.get(f"/admin/roles/rolepool/{pk}/{name}/").status_code == 404, name


def test_publishing_shows_the_changes_and_then_makes_them(
    as_user: AsUser, published: RolePool
) -> None:
    client = as_user("curator")
    services.role_update(role=published.roles.get(key="solver"), values={"prompt": "New line."})
    shown = client.get(address(published, "publish")).content.decode()
    assert "0 added, 0 removed, 1 changed" in shown
    assert "+ New line." in shown
    assert "− You are solver." in shown
    values = {"version": published.version, "note": "Newer"}
    said = post(client, address(published, "publish"), values).content.decode()
    assert "From now on, runs take version" in said
    published.refresh_from_db()
    assert published.published is not None
    assert (published.published.note, published.has_changes) == ("Newer", False)
    assert published.published.published_by is not None


def test_agents_are_counted_before_they_are_made(as_user: AsUser, published: RolePool) -> None:
    make_endpoints("e", "f", "off", name=HOSTILE[:50])
    client, path = as_user("curator"), address(published, "fill_agents")
    shown = client.get(path).content.decode()
    assert shown.count('type="checkbox" name="endpoints"') == shown.count('" checked') == 2
    assert Tags(shown).images == []
    counted = post(client, path, {"endpoints": ["e", "f"]}).content.decode()
    assert "2 × 3 = 6 agents, 6 new. On: e, f." in counted
    assert not AgentProfile.objects.exists()
    agreed = {"endpoints": ["e", "f"], "confirmed": "True"}
    assert "6 agents, 6 new" in post(client, path, agreed).content.decode()
    assert AgentProfile.objects.count() == 6
    again = post(client, path, {"endpoints": ["e"]}).content.decode()
    assert "1 × 3 = 3 agents, 0 new" in again


@pytest.mark.parametrize("endpoints", [[], ["off"], ["e", "gone"]])
def test_agents_are_put_on_no_endpoint_that_is_not_enabled(
    as_user: AsUser, published: RolePool, endpoints: list[str]
) -> None:
    make_endpoints("e", "off")
    sent = {"endpoints": endpoints, "confirmed": "True"}
    post(as_user("curator"), address(published, "fill_agents"), sent)
    assert not AgentProfile.objects.exists()


def test_a_pool_of_which_nothing_is_published_gives_no_agents(
    as_user: AsUser, draft: RolePool
) -> None:
    make_endpoints("e")
    said = post(as_user("curator"), address(draft, "fill_agents"), {"endpoints": ["e"]})
    assert "Ask a curator to publish it" in said.content.decode()


def test_a_draft_that_changed_meanwhile_is_told(as_user: AsUser, published: RolePool) -> None:
    client, seen = as_user("curator"), published.version
    services.role_update(role=published.roles.get(key="solver"), values={"prompt": "New."})
    for name in ("publish", "discard", "versions"):
        values = {"version": seen, "restore": seen} if name == "versions" else {"version": seen}
        said = post(client, address(published, name), values).content.decode()
        assert "was changed since you opened it" in said
    assert published.roles.get(key="solver").prompt == "New."


def test_what_is_not_published_has_nothing_to_discard(as_user: AsUser, draft: RolePool) -> None:
    shown = as_user("curator").get(address(draft, "discard"), follow=True).content.decode()
    assert "has no published version yet" in shown
    assert 'data-diff="summary"' not in shown


def test_changes_are_discarded(as_user: AsUser, published: RolePool) -> None:
    services.role_update(role=published.roles.get(key="solver"), values={"prompt": "New."})
    published.refresh_from_db()
    post(as_user("curator"), address(published, "discard"), {"version": published.version})
    assert published.roles.get(key="solver").prompt == "You are solver.\nCheck it."


def test_a_version_is_compared_and_restored(as_user: AsUser, published: RolePool) -> None:
    client, first = as_user("curator"), published.version
    services.role_update(role=published.roles.get(key="solver"), values={"prompt": "Second."})
    published.refresh_from_db()
    pool_publish(pool=published, by=None, note="The second one")
    shown = client.get(f"{address(published, 'versions')}?before={first}&after=draft")
    assert "+ Second." in shown.content.decode()
    assert "The second one" in shown.content.decode()
    asked = client.get(f"{address(published, 'versions')}?restore={first}").content.decode()
    assert "This publishes nothing." in asked
    assert published.roles.get(key="solver").prompt == "Second."
    post(client, address(published, "versions"), {"restore": first})
    assert published.roles.get(key="solver").prompt == "Second."
    values = {"restore": first, "version": published.version}
    post(client, address(published, "versions"), values)
    assert published.roles.get(key="solver").prompt == "You are solver.\nCheck it."
    for query in ("restore=99", "before=99", "restore=x", f"restore={'9' * 4_301}", "after=%00"):
        answer = client.get(f"{address(published, 'versions')}?{query}", follow=True)
        assert "no such published version" in answer.content.decode()


def test_a_pool_is_cloned(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    post(client, address(published, "clone"), {"key": "copy", "name": "Copy"})
    assert RolePool.objects.get(key="copy").roles.count() == 3
    again = post(client, address(published, "clone"), {"key": "copy", "name": "Copy"})
    assert "There is already a pool" in again.content.decode()


def test_hostile_texts_are_shown_as_they_are_and_run_nothing(
    as_user: AsUser, published: RolePool
) -> None:
    client = as_user("curator")
    role = published.roles.get(key="solver")
    texts = dict.fromkeys(("description", "prompt", "output_form"), HOSTILE)
    lists = {"name": HOSTILE[:120], "capabilities": [HOSTILE]}
    services.role_update(role=role, values={**texts, **lists})
    services.pool_update(pool=published, values={"name": HOSTILE[:120], "description": HOSTILE})
    pool_publish(pool=published, by=None, note=HOSTILE)
    services.role_update(role=role, values={"prompt": f"{HOSTILE} again"})
    version = PoolVersion.objects.latest("id")
    change = PoolChange.objects.filter(kind="role_updated").latest("id")
    said = RoleVersion.objects.latest("id")
    pages = [
        "/admin/roles/rolepool/",
        f"/admin/roles/rolepool/{published.pk}/change/",
        *(address(published, name) for name in PAGES),
        f"{address(published, 'versions')}?restore={version.version}",
        "/admin/roles/role/",
        f"/admin/roles/role/{role.pk}/change/",
        f"/admin/roles/roleversion/{said.pk}/change/",
        f"/admin/roles/poolversion/{version.pk}/change/",
        "/admin/roles/poolchange/",
        f"/admin/roles/poolchange/{change.pk}/change/",
    ]
    for path in pages:
        answer = client.get(path)
        assert answer.status_code == 200, path
        tags = Tags(answer.content.decode())
        assert (tags.inline, tags.images) == ([], []), path
        policy = answer.headers["Content-Security-Policy"].split("style-src")[0]
        assert "'unsafe-inline'" not in policy, path
    moved = {"action": "move_to_family", "_selected_action": [role.pk]}
    assert Tags(post(client, "/admin/roles/role/", moved).content.decode()).images == []


def test_the_history_of_a_role_is_read_by_version(as_user: AsUser, published: RolePool) -> None:
    client = as_user("curator")
    role = published.roles.get(key="solver")
    services.role_update(role=role, values={"prompt": "You are solver.\nThink."})
    shown = client.get(f"/admin/roles/role/{role.pk}/change/").content.decode()
    assert "Who changed what" in shown
    assert "+ Think." in shown
    assert "− Check it." in shown
    first, second = RoleVersion.objects.filter(role=role).order_by("version")
    older = client.get(f"/admin/roles/roleversion/{first.pk}/change/").content.decode()
    assert "The role as it was added." in older
    newer = client.get(f"/admin/roles/roleversion/{second.pk}/change/").content.decode()
    assert "+ Think." in newer
