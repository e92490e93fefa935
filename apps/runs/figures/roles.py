"""Figures of every role that was ever used."""

from __future__ import annotations

from typing import TypedDict

from django.db.models import Avg, Count, Max, Q, Sum

from apps.runs.models import RunAgent


class RoleStatistics(TypedDict):
    """`prompt_tokens` and `completion_tokens` are sums over the agents whose usage is known."""

    role_key: str
    role_name: str
    family: str
    uses: int
    refusals: int
    failures: int
    prompt_tokens: int | None
    completion_tokens: int | None
    mean_seconds: float | None


def role_statistics(*, endpoint: str | None = None) -> list[RoleStatistics]:
    """Figures of every role that was ever used, most used first."""
    agents = RunAgent.objects.all()
    if endpoint:
        agents = agents.filter(endpoint_key=endpoint)
    rows = (
        agents.values("role_key", "family")
        .annotate(
            role_name=Max("role_name"),
            uses=Count("id"),
            refusals=Count("id", filter=Q(outcome=RunAgent.Outcome.REFUSED)),
            failures=Count("id", filter=Q(outcome=RunAgent.Outcome.FAILED)),
            prompt_tokens=Sum("prompt_tokens"),
            completion_tokens=Sum("completion_tokens"),
            mean_seconds=Avg("seconds"),
        )
        .order_by("-uses", "role_key")
    )
    return [RoleStatistics(**row) for row in rows]
