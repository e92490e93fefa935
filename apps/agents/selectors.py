"""Reads about agents."""

from django.db.models import Q, QuerySet

from apps.agents.models import AgentProfile


def agent_list() -> QuerySet[AgentProfile]:
    """Newest first, without columns that a list does not show: an embedding is 1.5 KB a row."""
    return (
        AgentProfile.objects.select_related("endpoint", "role__pool")
        .defer("embedding", "role__embedding")
        .order_by("-created_at", "-id")
    )


def agent_details() -> QuerySet[AgentProfile]:
    return agent_list().annotate(embedded=Q(embedding__isnull=False))
