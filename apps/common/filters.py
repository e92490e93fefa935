"""Filters that several lists have."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters


class MineFilter(filters.FilterSet):  # type: ignore[misc]  # django-filter has no types
    """Of rows with `created_by`."""

    mine = filters.BooleanFilter(method="only_mine", label="Only those of the one who asks")

    def only_mine(self, rows: QuerySet[Any, Any], name: str, value: bool) -> QuerySet[Any, Any]:
        return rows.filter(created_by=self.request.user) if value else rows
