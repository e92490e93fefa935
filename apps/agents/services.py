"""Writes about agent profiles."""

from collections.abc import Iterable

from django.db import connection

from apps.agents.models import AgentProfile
from apps.llms.models import Endpoint
from apps.roles.models import Role


def profiles_ensure(*, pool_key: str, agents: Iterable[tuple[str, str]]) -> int:
    """Makes a profile for each (endpoint, role) of which both exist; returns how many are new."""
    wanted = set(agents)
    endpoints = {e.key: e for e in Endpoint.objects.filter(key__in={e for e, _ in wanted})}
    stored = Role.stored.filter(pool__key=pool_key, key__in={r for _, r in wanted})
    roles = {role.key: role for role in stored}
    there = AgentProfile.objects.filter(role__in=stored)
    wanted -= set(there.values_list("endpoint__key", "role__key"))
    profiles = [
        AgentProfile(endpoint=endpoints[e], role=role, tools=role.tools, embedding=role.embedding)
        for e, r in sorted(wanted)
        if e in endpoints and (role := roles.get(r))
    ]
    # Two workers may see the same role missing: the second insert is ignored.
    return len(AgentProfile.objects.bulk_create(profiles, ignore_conflicts=True))


def profiles_follow(*, pool_id: int) -> None:
    """Sets the tools and the embedding of every agent with a role of this pool to those of its role
    now. What the agent has learned stays."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE agents_agentprofile agent SET tools = role.tools, embedding = role.embedding,"
            " updated_at = now() FROM roles_role role"
            " WHERE role.id = agent.role_id AND role.pool_id = %s"
            " AND (agent.tools, agent.embedding::text)"
            " IS DISTINCT FROM (role.tools, role.embedding::text)",
            [pool_id],
        )
