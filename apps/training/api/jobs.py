"""Trainings: create, list, read, pause, resume, cancel, delete."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.common.docs import idempotency_key_parameter
from apps.common.errors import missing_is_404
from apps.common.filters import MineFilter
from apps.setups.learning import complete_config, learning_methods
from apps.training import selectors, services
from apps.training.api.serializers import (
    ResumeWantedSerializer,
    TrainableMethodSerializer,
    TrainingBudgetWantedSerializer,
    TrainingSerializer,
    TrainingWantedSerializer,
)
from apps.training.models import TrainingJob
from workers.core.methods.base import TellsMetrics


class JobFilter(MineFilter):
    status = filters.MultipleChoiceFilter(choices=TrainingJob.Status.choices)
    method = filters.CharFilter(max_length=63)
    dataset = filters.CharFilter(field_name="dataset__key", max_length=63)
    q = filters.CharFilter(field_name="name", lookup_expr="icontains", max_length=120)

    class Meta:
        model = TrainingJob
        fields: tuple[str, ...] = ()


class MethodsView(APIView):
    @extend_schema(
        summary="List the methods that learn, with their settings and presets",
        responses=TrainableMethodSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        rows: Any = [
            {
                "method": key,
                "name": method.name,
                "config_schema": method.training_schema.model_json_schema(),
                "presets": {name: complete_config(method, name, {}) for name in method.presets},
                "needs_pool": method.needs_pool,
                "metrics": method.metrics if isinstance(method, TellsMetrics) else (),
            }
            for key, method in learning_methods().items()
        ]
        return Response(TrainableMethodSerializer(rows, many=True).data)


class JobsView(generics.ListAPIView[Any]):
    permission_classes = (OperatorWrites,)
    serializer_class = TrainingSerializer
    filterset_class = JobFilter

    def get_queryset(self) -> QuerySet[TrainingJob]:
        return selectors.job_list()

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        return page and [selectors.job_values(job) for job in page]

    @extend_schema(
        summary="Train a method on the tasks of a split",
        request=TrainingWantedSerializer,
        responses={
            201: TrainingSerializer,
            200: OpenApiResponse(
                TrainingSerializer, "The training that was already made with this key."
            ),
        },
        parameters=[idempotency_key_parameter("training")],
        filters=False,
    )
    def post(self, request: Request) -> Response:
        wanted = TrainingWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        creation = services.training_create(
            user=user_of(request),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        code = status.HTTP_201_CREATED if creation.created else status.HTTP_200_OK
        return Response(job_json(creation.row.id), status=code)


class JobView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(summary="Read a training", responses=TrainingSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        return Response(job_json(job_id))

    @extend_schema(
        summary="Delete an ended training (the owner or an admin)",
        description="Also deletes its checkpoints, except those that are promoted or in use.",
        responses={204: None},
    )
    def delete(self, request: Request, job_id: UUID) -> Response:
        with missing_is_404(TrainingJob.DoesNotExist):
            services.training_delete(**_asked(request, job_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class JobPauseView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Pause a training after the current step (the owner or an admin)",
        request=None,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        with missing_is_404(TrainingJob.DoesNotExist):
            services.training_pause(**_asked(request, job_id))
        return Response(job_json(job_id))


class JobResumeView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Resume a training that was paused, failed, or spent its budget (the owner or an "
        "admin)",
        request=ResumeWantedSerializer,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        wanted = ResumeWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        given = wanted.validated_data.get("budget")
        budget = TrainingBudgetWantedSerializer.of(given) if given is not None else None
        with missing_is_404(TrainingJob.DoesNotExist):
            services.training_resume(**_asked(request, job_id), budget=budget)
        return Response(job_json(job_id))


class JobCancelView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Cancel a training for good (the owner or an admin); saved checkpoints stay",
        request=None,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        with missing_is_404(TrainingJob.DoesNotExist):
            services.training_cancel(**_asked(request, job_id))
        return Response(job_json(job_id))


def job_json(job_id: UUID) -> dict[str, object]:
    with missing_is_404(TrainingJob.DoesNotExist):
        return TrainingSerializer(selectors.job_row(job_id)).data


def _asked(request: Request, job_id: UUID) -> dict[str, Any]:
    return {"user": user_of(request), "job_id": job_id, "as_admin": may(request, "admin")}
