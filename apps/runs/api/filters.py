"""Filters of the runs list."""

from __future__ import annotations

import re

from django.contrib.postgres.search import SearchQuery
from django_filters import rest_framework as filters

from apps.runs.models import Run
from apps.runs.selectors import RunRows

WORDS = re.compile(r"\w+")
MAX_WORDS = 20


class RunFilter(filters.FilterSet):  # type: ignore[misc]  # django-filter has no types
    status = filters.MultipleChoiceFilter(choices=Run.Status.choices)
    method = filters.CharFilter(max_length=63)
    endpoint = filters.CharFilter(field_name="endpoint_key", max_length=63)
    pool = filters.CharFilter(field_name="pool_version__key", max_length=63)
    correct = filters.BooleanFilter(label="Judged right, or judged wrong")
    mine = filters.BooleanFilter(method="only_mine", label="Only runs of the one who asks")
    q = filters.CharFilter(
        method="search", max_length=500, label="Words of the query, or beginnings"
    )
    created_after = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="gte")
    created_before = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="lt")

    class Meta:
        model = Run
        fields: tuple[str, ...] = ()

    def only_mine(self, runs: RunRows, name: str, value: bool) -> RunRows:
        return runs.filter(created_by=self.request.user) if value else runs

    def search(self, runs: RunRows, name: str, value: str) -> RunRows:
        """Every word must occur, at least as the beginning of a word of the query."""
        words = WORDS.findall(value.lower())[:MAX_WORDS]
        if not words:
            return runs.none()
        expression = SearchQuery(
            " & ".join(f"'{word}':*" for word in words), search_type="raw", config="simple"
        )
        return runs.filter(query_words=expression)
