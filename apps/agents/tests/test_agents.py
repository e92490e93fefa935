"""Agent profiles: made once, listed in pages and orders, and read by viewers."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from apps.accounts.tests.cast import AsUser
from apps.agents import services
from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_endpoint, make_profile, make_profiles
from apps.roles.services import role_update

pytestmark = pytest.mark.django_db


def test_profiles_are_made_once() -> None:
    make_profile()
    make_endpoint("f")
    assert services.profiles_ensure(pool_key="p", agents=[("e", "r"), ("none", "r")]) == 0
    assert services.profiles_ensure(pool_key="other", agents=[("e", "r")]) == 0
    assert services.profiles_ensure(pool_key="p", agents=[("e", "r"), ("f", "r")]) == 1
    assert set(AgentProfile.objects.values_list("endpoint__key", flat=True)) == {"e", "f"}


def listed(client: APIClient, query: str = "") -> list[str]:
    """The roles of all pages of two."""
    path: str | None = f"/api/agents?page_size=2{query}"
    found: list[str] = []
    while path:
        answer = client.get(path)
        assert answer.status_code == 200, answer.content
        found += [row["role_key"] for row in answer.json()["results"]]
        path = answer.json()["next"]
    return found


def test_a_list_in_any_order_has_each_agent_once_also_where_many_are_equal(as_user: AsUser) -> None:
    client = as_user("viewer")
    make_profiles("abcde")
    for role, reward in (("b", 0.5), ("d", 0.75)):
        AgentProfile.objects.filter(role__key=role).update(reward=reward, count=3)
    assert listed(client, "&sort=-reward") == ["d", "b", "e", "c", "a"]
    assert listed(client, "&sort=reward") == ["a", "c", "e", "b", "d"]
    assert listed(client, "&sort=-count") == ["d", "b", "e", "c", "a"]
    assert listed(client, "&sort=cost") == listed(client)[::-1] == list("abcde")
    assert client.get("/api/agents?sort=embedding").status_code == 400
    for cursor in ("x", "cD0x", "cD0xIDI=", "cD0yMDI2LTEzLTQwIDI="):
        assert client.get(f"/api/agents?cursor={cursor}").status_code == 404


def test_a_list_is_filtered(as_user: AsUser) -> None:
    client = as_user("viewer")
    make_profiles("abc")
    for query in ("&role=b", "&role__key=b", "&q=rOLE%20b"):
        assert listed(client, query) == ["b"]
    for query in ("&pool=p", "&endpoint=e", "&endpoint__key=e", "&q=the%20endpoint"):
        assert len(listed(client, query)) == 3
    for query in ("&pool=other", "&endpoint=other", "&q=nobody"):
        assert listed(client, query) == []


def test_a_page_takes_as_many_statements_for_one_agent_as_for_many(as_user: AsUser) -> None:
    def statements(path: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(path).status_code == 200
        return len(asked)

    client = as_user("viewer")
    make_profiles("abcd")
    assert statements("/api/agents?page_size=1") == statements("/api/agents?page_size=4")


def test_an_agent_says_what_its_role_and_its_endpoint_are_now(as_user: AsUser) -> None:
    profile = make_profile()
    path = f"/api/agents/{profile.pk}"
    role_update(role=profile.role, values={"prompt": "Look again."})
    found = as_user("viewer").get(path).json()
    assert (found["prompt"], found["has_own_prompt"], found["model"]) == ("Look again.", False, "m")
    assert (found["embedded"], found["role_removed"], found["prompt_price"]) == (False, False, None)
    AgentProfile.objects.filter(pk=profile.pk).update(prompt="My own.")
    found = as_user("viewer").get(path).json()
    assert (found["prompt"], found["has_own_prompt"]) == ("My own.", True)
    assert as_user("viewer").get(f"/api/agents/{profile.pk + 1}").status_code == 404


OF_ONE = ("/{id}", "/{id}/usage", "/{id}/history", "/{id}/history/curve")


def test_a_member_may_read(as_user: AsUser) -> None:
    profile, client = make_profile(), as_user("viewer")
    for path in ("", "/statistics", "/curves", *OF_ONE):
        assert client.get(f"/api/agents{path.format(id=profile.pk)}").status_code == 200
