"""Filters that several lists share."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters


class MineFilter(filters.FilterSet):
    """For rows with `created_by`."""

    mine = filters.BooleanFilter(method="only_mine", label="Only what you created.")

    def only_mine(self, rows: QuerySet[Any, Any], name: str, value: bool) -> QuerySet[Any, Any]:
        return rows.filter(created_by=self.request.user) if value else rows
