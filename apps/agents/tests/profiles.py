"""Agents for tests."""

from __future__ import annotations

from collections.abc import Iterable

from apps.agents.models import AgentProfile
from apps.agents.services import profiles_ensure
from apps.llms.models import Endpoint
from apps.roles.services import pool_create, role_create


def make_profiles(roles: Iterable[str]) -> list[AgentProfile]:
    """Agents of these roles of the pool `p`, the first made first."""
    Endpoint.objects.create(
        key="e", name="The endpoint", base_url="https://x.example/v1", model="m"
    )
    pool = pool_create(values={"key": "p", "name": "P"})
    about = {"family": "code", "description": "d", "prompt": "p"}
    for key in roles:
        role_create(pool=pool, values={"key": key, "name": f"Role {key}", **about})
        assert profiles_ensure(pool_key="p", agents=[("e", key), ("e", "gone")]) == 1
    return list(AgentProfile.objects.order_by("id"))


def make_profile() -> AgentProfile:
    return make_profiles("r")[0]
