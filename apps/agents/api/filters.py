"""Filters and orders of the list of agents."""

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters

from apps.agents.models import AgentProfile

ORDERS = {"created": "created_at", "count": "count", "reward": "reward", "cost": "cost"}
SORTS = [name for order in ORDERS for name in (order, f"-{order}")]


class AgentFilter(filters.FilterSet):
    pool = filters.CharFilter(field_name="role__pool__key", max_length=63)
    endpoint = filters.CharFilter(field_name="endpoint__key", max_length=63)
    role = filters.CharFilter(field_name="role__key", max_length=63)
    endpoint__key = filters.CharFilter(max_length=63, label="The same as `endpoint`")
    role__key = filters.CharFilter(max_length=63, label="The same as `role`")
    q = filters.CharFilter(
        method="search", max_length=200, label="Text in the name or key of the role or endpoint"
    )
    sort = filters.ChoiceFilter(
        choices=[(name, name) for name in SORTS],
        method="ordered",
        label="Largest first with `-`; newest first if left out",
    )

    def search(
        self, agents: QuerySet[AgentProfile], name: str, value: str
    ) -> QuerySet[AgentProfile]:
        return agents.filter(
            Q(role__name__icontains=value)
            | Q(role__key__icontains=value)
            | Q(endpoint__name__icontains=value)
            | Q(endpoint__key__icontains=value)
        )

    def ordered(
        self, agents: QuerySet[AgentProfile], name: str, value: str
    ) -> QuerySet[AgentProfile]:
        sign = "-" if value.startswith("-") else ""
        return agents.order_by(f"{sign}{ORDERS[value.lstrip('-')]}", f"{sign}id")
