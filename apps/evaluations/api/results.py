"""Results of an evaluation: summary, cells, comparison of two arms, and files."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import user_of
from apps.common.errors import missing_is_404, unknown_choice
from apps.common.file_stream import FileStream
from apps.common.pagination import NewestFirst
from apps.common.renderers import IgnoresFormat
from apps.evaluations import selectors
from apps.evaluations.api.rationality import RationalitySerializer
from apps.evaluations.api.serializers import ComparedSerializer, ResultSerializer, SummarySerializer
from apps.evaluations.models import Evaluation, EvaluationArm, EvaluationResult
from apps.evaluations.rationality import evaluation_rationality
from apps.evaluations.selectors import OUTCOMES
from apps.evaluations.statistics import evaluation_file, evaluation_summary
from workers.core.evaluation.export import FORMATS, MEDIA_TYPES, Format
from workers.core.evaluation.rationality_report import CATEGORIES

TABLES = ("cells", "arms")


class ByPosition(NewestFirst):
    ordering = ("position",)


class ResultFilter(filters.FilterSet):
    arm = filters.CharFilter(field_name="arm__label", max_length=120)
    correct = filters.BooleanFilter(label="Judged right (true) or wrong (false)")
    failed = filters.BooleanFilter(label="Answers that an error prevented")
    task = filters.NumberFilter(field_name="task__index", label="Place of the task in the split")
    q = filters.CharFilter(
        field_name="task__query",
        lookup_expr="icontains",
        max_length=300,
        label="Text in the question",
    )
    category = filters.ChoiceFilter(
        choices=[(name, name) for name in (*CATEGORIES, selectors.UNDECIDED)],
        method="only_category",
        label="Category of the failure",
    )

    def only_category(
        self, found: QuerySet[EvaluationResult], name: str, value: str
    ) -> QuerySet[EvaluationResult]:
        return selectors.of_category(found, value)


class CompareFilter(filters.FilterSet):
    task = filters.NumberFilter(field_name="task__index", label="Place of the task in the split")
    repeat = filters.NumberFilter(label="Number of the repeat, from 0")


class SummaryView(APIView):
    @extend_schema(
        summary="Accuracy, tokens and time of each arm, with intervals and paired tests",
        responses=SummarySerializer,
    )
    def get(self, request: Request, evaluation_id: UUID) -> Response:
        return Response(SummarySerializer(evaluation_summary(found(evaluation_id))).data)


class RationalityView(APIView):
    @extend_schema(
        summary="How well the roles match, and why wrong answers are wrong",
        description=(
            "A worker reads this from the traces of the runs. The status is `pending`, with the "
            "findings so far, until all answers are checked."
        ),
        responses=RationalitySerializer,
    )
    def get(self, request: Request, evaluation_id: UUID) -> Response:
        return Response(RationalitySerializer(evaluation_rationality(found(evaluation_id))).data)


class ResultsView(generics.ListAPIView[Any]):
    serializer_class = ResultSerializer
    pagination_class = ByPosition
    filterset_class = ResultFilter

    def get_queryset(self) -> QuerySet[EvaluationResult]:
        if getattr(self, "swagger_fake_view", False):
            return EvaluationResult.objects.none()
        return selectors.result_list(found(self.kwargs["evaluation_id"]).id)

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return selectors.result_rows(super().filter_queryset(queryset))

    @extend_schema(summary="Recorded answers, cell by cell")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class CompareView(generics.ListAPIView[Any]):
    serializer_class = ComparedSerializer
    pagination_class = ByPosition
    filterset_class = CompareFilter

    def get_queryset(self) -> QuerySet[EvaluationResult]:
        if getattr(self, "swagger_fake_view", False):
            return EvaluationResult.objects.none()
        evaluation = found(self.kwargs["evaluation_id"])
        left, right = (self._arm(evaluation, side) for side in ("left", "right"))
        outcome = self.request.query_params.get("outcome") or None
        if outcome is not None and outcome not in OUTCOMES:
            raise unknown_choice("outcome", outcome, tuple(OUTCOMES))
        return selectors.compared_list(left, right, outcome)

    def paginate_queryset(self, queryset: Any) -> Any:
        return _side_by_side(super().paginate_queryset(queryset) or [])

    def _arm(self, evaluation: Evaluation, side: str) -> EvaluationArm:
        label = self.request.query_params.get(side, "").replace("\x00", "")
        arms = {arm.label: arm for arm in evaluation.arms.all()}
        if label not in arms:
            raise unknown_choice(side, label, tuple(arms))
        return arms[label]

    @extend_schema(
        summary="Compare two arms, task by task",
        parameters=[
            OpenApiParameter("left", str, required=True, description="Label of an arm"),
            OpenApiParameter("right", str, required=True, description="Label of an arm"),
            OpenApiParameter("outcome", str, enum=list(OUTCOMES)),
        ],
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class ExportView(APIView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        summary="Download the results as a file",
        parameters=[
            OpenApiParameter(
                "format", str, enum=list(FORMATS), description="Format of the file; json by default"
            ),
            OpenApiParameter(
                "table",
                str,
                enum=list(TABLES),
                description="Table for CSV and Parquet; cells by default",
            ),
        ],
        responses={
            (200, media_type.split(";")[0]): OpenApiResponse(OpenApiTypes.BINARY)
            for media_type in MEDIA_TYPES.values()
        },
    )
    def get(self, request: Request, evaluation_id: UUID) -> FileStream:
        form, table = (request.query_params.get(name) for name in ("format", "table"))
        form, table = form or "json", table or "cells"
        if form not in FORMATS:
            raise unknown_choice("format", form, FORMATS)
        if table not in TABLES:
            raise unknown_choice("table", table, TABLES)
        evaluation = found(evaluation_id)
        chosen: Format = form
        pieces = evaluation_file(evaluation, chosen, "arms" if table == "arms" else "cells")
        name = f"evaluation-{evaluation.id}-{table}.{form}"
        return FileStream(
            pieces,
            user_id=user_of(request).pk,
            content_type=MEDIA_TYPES[chosen],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def found(evaluation_id: UUID) -> Evaluation:
    with missing_is_404(Evaluation.DoesNotExist):
        return Evaluation.objects.get(id=evaluation_id)


def _side_by_side(cells: Sequence[Any]) -> list[dict[str, Any]]:
    rows = selectors.rows_by_pk([pk for cell in cells for pk in (cell.pk, cell.right_pk)])
    return [
        {
            "task": rows[cell.pk],
            "repeat": cell.repeat,
            "outcome": selectors.outcome_of(cell.correct, cell.right_correct),
            "left": rows[cell.pk],
            "right": rows[cell.right_pk],
        }
        for cell in cells
    ]
