"""Filters of the runs list."""

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
        method="only_with_role",
        max_length=63,
        label="Runs with an agent of this role; the key of the role",
    )
    checkpoint = filters.CharFilter(max_length=120)
    min_cost = filters.NumberFilter(
        field_name="cost",
        lookup_expr="gte",
        min_value=0,
        label="In US dollars; runs with unknown cost are left out",
    )
    max_cost = filters.NumberFilter(
        field_name="cost",
        lookup_expr="lte",
        min_value=0,
        label="In US dollars; runs with unknown cost are left out",
    )
    correct = filters.BooleanFilter(label="Judged right (true) or wrong (false)")
    q = filters.CharFilter(
        method="search",
        max_length=500,
        label="Words, or first letters of words, of the question, the answer and the notes",
    )
    evaluation = filters.UUIDFilter(
        field_name="evaluation_id", label="Runs of this evaluation; if left out, runs of people"
    )
    answers = filters.BooleanFilter(
        method="with_answers", label="Also show the runs of all evaluations"
    )
    same_query = filters.UUIDFilter(
        method="only_same_query", label="Other runs of the same question as this run"
    )
    label = filters.CharFilter(
        method="only_labelled", max_length=60, label="Runs with a note that has this label"
    )
    annotated = filters.BooleanFilter(
        method="only_annotated", label="Runs with a note (true) or without one (false)"
    )
    min_score = filters.NumberFilter(
        method="only_scored",
        min_value=SCORES[0],
        max_value=SCORES[-1],
        label="Runs with a note that has this score or a higher one",
    )
    created_after = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="gte")
    created_before = filters.IsoDateTimeFilter(field_name="created_at", lookup_expr="lt")

    def filter_queryset(self, runs: RunRows) -> RunRows:
        """Leaves out the thousands of runs of evaluations, unless the request asks for them."""
        asked = self.form.cleaned_data
        if asked.get("evaluation") is None and not asked.get("answers"):
            runs = runs.filter(evaluation__isnull=True)
        found: RunRows = super().filter_queryset(runs)
        return found

    def with_answers(self, runs: RunRows, name: str, value: bool) -> RunRows:
        """`filter_queryset` above does this for all filters at once."""
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
        """Every word must occur in the question, the answer or a note, at least as the beginning of
        a word."""
        words = WORDS.findall(value.lower())[:MAX_WORDS]
        if not words:
            return runs.none()
        expression = SearchQuery(
            " & ".join(f"'{word}':*" for word in words), search_type="raw", config="simple"
        )
        return runs.filter(words=expression)
