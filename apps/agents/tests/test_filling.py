"""An agent for each role of a pool on each endpoint, in one action."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from apps.accounts.tests.cast import AsUser
from apps.agents import filling
from apps.agents.filling import agents_fill
from apps.agents.models import AgentProfile
from apps.agents.tests.profiles import make_endpoint, make_profiles, record
from apps.common.errors import ApplicationError
from apps.roles.models import Role, RolePool
from apps.roles.publishing import pool_publish
from apps.roles.tests.conftest import role_values

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("pool")]


@pytest.fixture
def pool() -> RolePool:
    """Three published roles, of which one is on `e` already; `f` is enabled and `off` is not."""
    profiles = make_profiles("abc")
    AgentProfile.objects.exclude(pk=profiles[0].pk).delete()
    make_endpoint("f")
    make_endpoint("off", enabled=False)
    pool = RolePool.objects.get(key="p")
    pool_publish(pool=pool, by=None)
    return pool


def test_every_role_is_on_every_enabled_endpoint_and_what_is_known_stays() -> None:
    Role.objects.filter(key="b").update(embedding=[1.0] + [0.0] * 383)
    [known] = AgentProfile.objects.all()
    record(known, 1.0)
    filled = agents_fill(pool_key="p")
    assert (filled.roles, filled.endpoints, filled.agents, filled.new) == (3, 2, 6, 5)
    assert filled.waiting == 4
    known.refresh_from_db()
    assert (known.count, known.reward) == (1, 1.0)
    agent = AgentProfile.objects.get(role__key="b", endpoint__key="f")
    assert agent.embedding is not None
    assert agents_fill(pool_key="p").new == 0
    assert agents_fill(pool_key="p", endpoints=["f", "f"]).agents == 3


def test_what_would_be_made_is_counted_and_not_made() -> None:
    counted = agents_fill(pool_key="p", dry_run=True)
    assert (counted.agents, counted.new) == (6, 5)
    assert AgentProfile.objects.count() == 1
    assert agents_fill(pool_key="p").new == 5
    assert agents_fill(pool_key="p", dry_run=True).new == 0


def test_a_draft_is_no_agent_yet(pool: RolePool) -> None:
    Role.objects.create(pool=pool, **role_values("d"))
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
    key: str, endpoints: list[str] | None, field: str, code: str
) -> None:
    RolePool.objects.create(key="draft", name="Draft")
    with pytest.raises(ApplicationError) as refused:
        agents_fill(pool_key=key, endpoints=endpoints)
    [wrong] = refused.value.fields
    assert (wrong.field, wrong.code) == (field, code)
    assert AgentProfile.objects.count() == 1


def test_too_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "MOST_AGENTS", 5)
    with pytest.raises(ApplicationError, match="would make 6 agents"):
        agents_fill(pool_key="p")


def test_curators_fill(as_user: AsUser) -> None:
    answer = as_user("curator").post("/api/agents/fill", {"pool": "p"}, format="json")
    assert answer.json() == {"roles": 3, "endpoints": 2, "agents": 6, "new": 5, "waiting": 6}


def test_the_command() -> None:
    told = StringIO()
    call_command("fill_agents", "p", "--endpoint", "f", stdout=told)
    assert told.getvalue() == "3 roles on 1 endpoint: 3 agents, 3 of them new.\n"
    with pytest.raises(CommandError, match="There is no pool “x”"):
        call_command("fill_agents", "x")
