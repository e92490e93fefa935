"""Evaluations: create, list, read, cancel, resume, delete."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.accounts.views import OperatorView
from apps.common.docs import creates
from apps.common.errors import missing_is_404
from apps.common.filters import MineFilter
from apps.common.serializers import valid
from apps.evaluations import selectors, services
from apps.evaluations.api.serializers import (
    EvaluationListedSerializer,
    EvaluationSerializer,
    EvaluationWantedSerializer,
)
from apps.evaluations.leaders import best_arms
from apps.evaluations.models import Evaluation


class EvaluationFilter(MineFilter):
    status = filters.MultipleChoiceFilter(choices=Evaluation.Status.choices)
    dataset = filters.CharFilter(field_name="dataset_key", max_length=63)
    q = filters.CharFilter(field_name="name", lookup_expr="icontains", max_length=120)


class EvaluationsView(generics.ListAPIView[Any]):
    permission_classes = (OperatorWrites,)
    serializer_class = EvaluationListedSerializer
    filterset_class = EvaluationFilter
    queryset = selectors.evaluation_list()

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        best = best_arms(page or [])
        return page and [{**selectors.evaluation_values(one), "best": best[one.id]} for one in page]

    @creates(
        "evaluation",
        EvaluationSerializer,
        summary="Evaluate arms on the tasks of a split",
        request=EvaluationWantedSerializer,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(EvaluationWantedSerializer(data=request.data))
        creation = services.evaluation_create(
            user=user_of(request),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return Response(evaluation_json(creation.row.id), status=creation.status_code)


class EvaluationView(OperatorView):
    @extend_schema(summary="Read an evaluation", responses=EvaluationSerializer)
    def get(self, request: Request, evaluation_id: UUID) -> Response:
        return Response(evaluation_json(evaluation_id))

    @extend_schema(
        summary="Delete an evaluation with its runs (the owner or an admin)", responses={204: None}
    )
    def delete(self, request: Request, evaluation_id: UUID) -> Response:
        _do(services.evaluation_delete, request, evaluation_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class EvaluationCancelView(OperatorView):
    @extend_schema(
        summary="Cancel an evaluation (the owner or an admin); recorded answers stay",
        request=None,
        responses=EvaluationSerializer,
    )
    def post(self, request: Request, evaluation_id: UUID) -> Response:
        _do(services.evaluation_cancel, request, evaluation_id)
        return Response(evaluation_json(evaluation_id))


class EvaluationResumeView(OperatorView):
    @extend_schema(
        summary="Resume an evaluation that failed or was cancelled (the owner or an admin)",
        request=None,
        responses=EvaluationSerializer,
    )
    def post(self, request: Request, evaluation_id: UUID) -> Response:
        _do(services.evaluation_resume, request, evaluation_id)
        return Response(evaluation_json(evaluation_id))


def evaluation_json(evaluation_id: UUID) -> dict[str, object]:
    with missing_is_404(Evaluation.DoesNotExist):
        return EvaluationSerializer(selectors.evaluation_row(evaluation_id)).data


def _do(service: Callable[..., object], request: Request, evaluation_id: UUID) -> None:
    with missing_is_404(Evaluation.DoesNotExist):
        service(user=user_of(request), evaluation_id=evaluation_id, as_admin=may(request, "admin"))
