"""Agents for tests."""

from collections.abc import Iterable
from typing import Any

from apps.agents.history import profile_record_reward
from apps.agents.models import AgentProfile
from apps.agents.services import profiles_ensure
from apps.llms.models import Endpoint
from apps.roles.services import pool_create, role_create


def make_endpoint(key: str, **values: Any) -> Endpoint:
    known = {"name": key.upper(), "base_url": "https://x.example/v1", "model": "m", **values}
    return Endpoint.objects.create(key=key, **known)


def make_profiles(roles: Iterable[str]) -> list[AgentProfile]:
    """Agents of these roles of the pool `p`, the first made first."""
    make_endpoint("e", name="The endpoint")
    pool = pool_create(values={"key": "p", "name": "P"})
    about = {"family": "code", "description": "d", "prompt": "p"}
    for key in roles:
        role_create(pool=pool, values={"key": key, "name": f"Role {key}", **about})
        assert profiles_ensure(pool_key="p", agents=[("e", key), ("e", "gone")]) == 1
    return list(AgentProfile.objects.order_by("id"))


def make_profile() -> AgentProfile:
    return make_profiles("r")[0]


def record(profile: AgentProfile, *rewards: float) -> None:
    """A reward of 1 costs 10."""
    for reward in rewards:
        assert profile_record_reward(profile_id=profile.pk, reward=reward, cost=10 * reward)
