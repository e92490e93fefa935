"""Writes about agent profiles."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection

from apps.agents.models import AgentProfile
from apps.llms.models import Endpoint
from apps.roles.models import Role


def profiles_ensure(*, endpoint_key: str, role_keys: Iterable[str], pool_key: str) -> int:
    """A profile for every (endpoint, role) named here that exists; returns how many are new."""
    endpoint = Endpoint.objects.filter(key=endpoint_key).first()
    if endpoint is None:
        return 0
    roles = Role.stored.filter(pool__key=pool_key, key__in=set(role_keys)).exclude(
        agents__endpoint=endpoint
    )
    profiles = [
        AgentProfile(endpoint=endpoint, role=role, tools=role.tools, embedding=role.embedding)
        for role in roles
    ]
    # Two workers may see the same role missing: the second insert is ignored.
    return len(AgentProfile.objects.bulk_create(profiles, ignore_conflicts=True))


def profiles_follow(*, pool_id: int) -> None:
    """Tools and embedding of every agent that plays a role of this pool, as its role has them now.
    What the agent has learned stays."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_agentprofile agent SET tools = role.tools, embedding = role.embedding,"
            " updated_at = now() FROM roles_role role"
            " WHERE role.id = agent.role_id AND role.pool_id = %s"
            " AND (agent.tools, agent.embedding::text)"
            " IS DISTINCT FROM (role.tools, role.embedding::text)",
            [pool_id],
        )
