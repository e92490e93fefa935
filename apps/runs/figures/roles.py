"""Figures of every role that was ever used."""

from django.db.models import Avg, Count, Max, Q, Sum

from apps.common.serializers import Row
from apps.runs.models import RunAgent


def role_statistics(*, endpoint: str | None = None) -> list[Row]:
    """Most used first. Tokens are sums over the agents whose usage is known."""
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
    return [dict(row) for row in rows]
