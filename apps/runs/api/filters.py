"""Filters of the runs list."""

from __future__ import annotations

import re
from decimal import Decimal
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Exists, OuterRef, Subquery
from django_filters import rest_framework as filters

from apps.common.filters import MineFilter
from apps.runs.annotations import SCORES
from apps.runs.models import Annotation, Run, RunAgent
from apps.runs.selectors import RunRows

WORDS = re.compile(r"\w+")
MAX_WORDS = 20
_NOTES = Annotation.objects.filter(run=OuterRef("pk"))


class RunFilter(MineFilter):
    status = filters.MultipleChoiceFilter(choices=Run.Status.choices)
    method = filters.CharFilter(max_length=63)
    endpoint = filters.CharFilter(field_name="endpoint_key", max_length=63)
    pool = filters.CharFilter(field_name="pool_version__key", max_length=63)
    role = filters.CharFilter(
        method="only_with_role", max_length=63, label="An agent of this role, by its key, took part"
    )
    checkpoint = filters.CharFilter(max_length=120)
    min_cost = filters.NumberFilter(
        field_name="cost",
        lookup_expr="gte",
        min_value=0,
        label="US dollars; unknown costs are none",
    )
    max_cost = filters.NumberFilter(
        field_name="cost",
        lookup_expr="lte",
        min_value=0,
        label="US dollars; unknown costs are none",
    )
    correct = filters.BooleanFilter(label="Judged right, or judged wrong")
    q = filters.CharFilter(
        method="search",
        max_length=500,
        label="Words of the query, the answer and the notes, or their beginnings",
    )
    evaluation = filters.UUIDFilter(
        field_name="evaluation_id", label="Runs of this evaluation; without it, runs of people"
    )
    answers = filters.BooleanFilter(
        method="with_answers", label="Beside the runs of people those of all evaluations, too"
    )
    same_query = filters.UUIDFilter(
        method="only_same_query", label="Other runs of the question that this run was asked"
    )
    label = filters.CharFilter(method="only_labelled", max_length=60, label="Somebody noted this")
    annotated = filters.BooleanFilter(method="only_annotated", label="Somebody noted something")
    min_score = filters.NumberFilter(
        method="only_scored",
        min_value=SCORES[0],
        max_value=SCORES[-1],
        label="Somebody gave this score, or a better one",
    )
    created_after = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="gte")
    created_before = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="lt")

    class Meta:
        model = Run
        fields: tuple[str, ...] = ()

    def filter_queryset(self, runs: RunRows) -> RunRows:
        """Thousands of cells of an evaluation would bury what people asked."""
        asked = self.form.cleaned_data
        if asked.get("evaluation") is None and not asked.get("answers"):
            runs = runs.filter(evaluation__isnull=True)
        found: RunRows = super().filter_queryset(runs)
        return found

    def with_answers(self, runs: RunRows, name: str, value: bool) -> RunRows:
        """Said to all filters at once, above."""
        return runs

    def only_same_query(self, runs: RunRows, name: str, value: UUID) -> RunRows:
        asked = Run.objects.filter(id=value).values("query")
        return runs.filter(query=Subquery(asked)).exclude(id=value)

    def only_with_role(self, runs: RunRows, name: str, value: str) -> RunRows:
        agents = RunAgent.objects.filter(run=OuterRef("pk"), role_key=value)
        return runs.filter(Exists(agents))

    def only_labelled(self, runs: RunRows, name: str, value: str) -> RunRows:
        return runs.filter(Exists(_NOTES.filter(label__iexact=value)))

    def only_annotated(self, runs: RunRows, name: str, value: bool) -> RunRows:
        return runs.filter(Exists(_NOTES) if value else ~Exists(_NOTES))

    def only_scored(self, runs: RunRows, name: str, value: Decimal) -> RunRows:
        return runs.filter(Exists(_NOTES.filter(score__gte=value)))

    def search(self, runs: RunRows, name: str, value: str) -> RunRows:
        """Every word must occur, at least as the beginning of a word of the query, of the answer or
        of what somebody noted."""
        words = WORDS.findall(value.lower())[:MAX_WORDS]
        if not words:
            return runs.none()
        expression = SearchQuery(
            " & ".join(f"'{word}':*" for word in words), search_type="raw", config="simple"
        )
        return runs.filter(words=expression)
