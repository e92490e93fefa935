"""An agent for each role of a pool on each endpoint, in one action."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from apps.agents import filling
from apps.agents.filling import agents_fill
from apps.agents.history import profile_record_reward
from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_profiles
from apps.common.errors import ApplicationError
from apps.llms.models import Endpoint
from apps.roles.models import Role, RolePool
from apps.roles.publishing import pool_publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def pool() -> RolePool:
    """Three published roles, of which one is on `e` already; `f` is enabled and `off` is not."""
    profiles = make_profiles("abc")
    AgentProfile.objects.exclude(pk=profiles[0].pk).delete()
    Endpoint.objects.create(key="f", name="F", base_url="https://x.example/v1", model="m")
    Endpoint.objects.create(
        key="off", name="Off", base_url="https://x.example/v1", model="m", enabled=False
    )
    pool = RolePool.objects.get(key="p")
    pool_publish(pool=pool, by=None)
    return pool


def test_every_role_is_on_every_enabled_endpoint_and_what_is_known_stays(pool: RolePool) -> None:
    Role.objects.filter(key="b").update(embedding=[1.0] + [0.0] * 383)
    [known] = AgentProfile.objects.all()
    profile_record_reward(profile_id=known.pk, reward=1.0, cost=2.0)
    filled = agents_fill(pool_key="p")
    assert (filled.roles, filled.endpoints, filled.agents, filled.new) == (3, 2, 6, 5)
    assert filled.waiting == 4
    known.refresh_from_db()
    assert (known.count, known.reward) == (1, 1.0)
    agent = AgentProfile.objects.get(role__key="b", endpoint__key="f")
    assert agent.embedding is not None
    assert agents_fill(pool_key="p").new == 0
    assert agents_fill(pool_key="p", endpoints=["f", "f"]).agents == 3


def test_what_would_be_made_is_counted_and_not_made(pool: RolePool) -> None:
    counted = agents_fill(pool_key="p", dry_run=True)
    assert (counted.agents, counted.new) == (6, 5)
    assert AgentProfile.objects.count() == 1
    assert agents_fill(pool_key="p").new == 5
    assert agents_fill(pool_key="p", dry_run=True).new == 0


def test_sixty_three_agents_of_the_paper(pool: RolePool) -> None:
    for key in "ghij":
        Role.objects.create(
            pool=pool, key=key, name=key, family="code", description=key, prompt=key
        )
    pool_publish(pool=pool, by=None)
    for n in range(7):
        Endpoint.objects.create(key=f"m{n}", name="M", base_url="https://x.example/v1", model="m")
    assert agents_fill(pool_key="p").new == 62
    assert AgentProfile.objects.count() == 7 * 9 == 63


def test_a_draft_is_no_agent_yet(pool: RolePool) -> None:
    Role.objects.create(pool=pool, key="d", name="D", family="code", description="d", prompt="p")
    assert agents_fill(pool_key="p", endpoints=["e"]).agents == 3


@pytest.mark.parametrize(
    ("key", "endpoints", "field", "code"),
    [
        ("none", None, "pool", "unknown_pool"),
        ("draft", None, "pool", "pool_unpublished"),
        ("p", ["off"], "endpoints", "unknown_endpoint"),
        ("p", ["x"], "endpoints", "unknown_endpoint"),
        ("p", [], "endpoints", "no_endpoint"),
    ],
)
def test_what_cannot_be_filled(
    pool: RolePool, key: str, endpoints: list[str] | None, field: str, code: str
) -> None:
    RolePool.objects.create(key="draft", name="Draft")
    with pytest.raises(ApplicationError) as refused:
        agents_fill(pool_key=key, endpoints=endpoints)
    [wrong] = refused.value.fields
    assert (wrong.field, wrong.code) == (field, code)
    assert AgentProfile.objects.count() == 1


def test_too_many_at_once(pool: RolePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "MOST_AGENTS", 5)
    with pytest.raises(ApplicationError, match="would make 6 agents"):
        agents_fill(pool_key="p")


@pytest.mark.parametrize(
    ("who", "status"),
    [
        ("anonymous", 401),
        ("outsider", 403),
        ("viewer", 403),
        ("operator", 403),
        ("curator", 200),
        ("admin", 200),
    ],
)
def test_curators_fill(
    pool: RolePool, as_user: Callable[[str], APIClient], who: str, status: int
) -> None:
    answer = as_user(who).post("/api/agents/fill", {"pool": "p"}, format="json")
    assert answer.status_code == status, answer.content
    if status == 200:
        assert answer.json() == {"roles": 3, "endpoints": 2, "agents": 6, "new": 5, "waiting": 6}
    else:
        assert AgentProfile.objects.count() == 1


def test_the_command(pool: RolePool) -> None:
    told = StringIO()
    call_command("fill_agents", "p", "--endpoint", "f", stdout=told)
    assert told.getvalue() == "3 roles on 1 endpoint: 3 agents, 3 of them new.\n"
    with pytest.raises(CommandError, match="There is no pool “x”"):
        call_command("fill_agents", "x")
