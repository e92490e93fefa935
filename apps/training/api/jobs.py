"""Trainings: create, list, read, pause, resume, cancel, delete."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import Http404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.accounts.views import OperatorView
from apps.common.docs import creates
from apps.common.errors import missing_is_404
from apps.common.filters import MineFilter
from apps.common.serializers import valid
from apps.setups.learning import asks_endpoint, complete_config, learning_methods
from apps.training import selectors, services
from apps.training.api.serializers import (
    MemoryTakenSerializer,
    MemoryWantedSerializer,
    ResumeWantedSerializer,
    TrainableDatasetSerializer,
    TrainableMethodSerializer,
    TrainableModelSerializer,
    TrainingSerializer,
    TrainingWantedSerializer,
)
from apps.training.memory import training_memory
from apps.training.models import TrainingJob
from apps.training.teams import trainable_datasets
from workers.core.methods.base import SelectsRoles, TellsMetrics
from workers.core.specs import TrainingBudget
from workers.core.weights.local import local_models


class JobFilter(MineFilter):
    status = filters.MultipleChoiceFilter(choices=TrainingJob.Status.choices)
    method = filters.CharFilter(max_length=63)
    dataset = filters.CharFilter(field_name="dataset__key", max_length=63)
    q = filters.CharFilter(field_name="name", lookup_expr="icontains", max_length=120)


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
                "asks_endpoint": asks_endpoint(method),
                "selects_roles": isinstance(method, SelectsRoles),
                "metrics": method.metrics if isinstance(method, TellsMetrics) else (),
            }
            for key, method in learning_methods().items()
        ]
        return Response(TrainableMethodSerializer(rows, many=True).data)


class ModelsView(APIView):
    @extend_schema(
        summary="List the local language models that a training can begin with",
        responses=TrainableModelSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        rows: Any = local_models()
        return Response(TrainableModelSerializer(rows, many=True).data)


class TeamsView(APIView):
    @extend_schema(
        operation_id="training_methods_datasets_list",
        summary="List the datasets, each with the team that the method can train on it, or why not",
        responses=TrainableDatasetSerializer(many=True),
    )
    def get(self, request: Request, method: str) -> Response:
        rows: Any = trainable_datasets(method)
        if rows is None:
            raise Http404
        return Response(TrainableDatasetSerializer(rows, many=True).data)


class MemoryView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Estimate the memory that a training takes",
        request=MemoryWantedSerializer,
        responses=MemoryTakenSerializer,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(MemoryWantedSerializer(data=request.data))
        memory = training_memory(**wanted.validated_data)
        return Response(MemoryTakenSerializer({"memory": memory}).data)


class JobsView(generics.ListAPIView[Any]):
    permission_classes = (OperatorWrites,)
    serializer_class = TrainingSerializer
    filterset_class = JobFilter
    queryset = selectors.job_list()

    def paginate_queryset(self, queryset: Any) -> Any:
        page = super().paginate_queryset(queryset)
        return page and [selectors.job_values(job) for job in page]

    @creates(
        "training",
        TrainingSerializer,
        summary="Train a method on the tasks of a split",
        request=TrainingWantedSerializer,
    )
    def post(self, request: Request) -> Response:
        wanted = valid(TrainingWantedSerializer(data=request.data))
        creation = services.training_create(
            user=user_of(request),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return Response(job_json(creation.row.id), status=creation.status_code)


class JobView(OperatorView):
    @extend_schema(summary="Read a training", responses=TrainingSerializer)
    def get(self, request: Request, job_id: UUID) -> Response:
        return Response(job_json(job_id))

    @extend_schema(
        summary="Delete an ended training (the owner or an admin)",
        description="Also deletes its checkpoints, except those that are promoted or in use.",
        responses={204: None},
    )
    def delete(self, request: Request, job_id: UUID) -> Response:
        _do(services.training_delete, request, job_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class JobPauseView(OperatorView):
    @extend_schema(
        summary="Pause a training (the owner or an admin)",
        description=(
            "It pauses after its current step. A training of language models themselves pauses "
            "within seconds: a longer step is broken off, and repeated when it is resumed."
        ),
        request=None,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        _do(services.training_pause, request, job_id)
        return Response(job_json(job_id))


class JobResumeView(OperatorView):
    @extend_schema(
        summary="Resume a training that was paused, failed, or spent its budget (the owner or an "
        "admin)",
        request=ResumeWantedSerializer,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        wanted = valid(ResumeWantedSerializer(data=request.data))
        given = wanted.validated_data.get("budget")
        budget = TrainingBudget(**given) if given is not None else None
        _do(services.training_resume, request, job_id, budget=budget)
        return Response(job_json(job_id))


class JobCancelView(OperatorView):
    @extend_schema(
        summary="Cancel a training for good (the owner or an admin); saved checkpoints stay",
        request=None,
        responses=TrainingSerializer,
    )
    def post(self, request: Request, job_id: UUID) -> Response:
        _do(services.training_cancel, request, job_id)
        return Response(job_json(job_id))


def job_json(job_id: UUID) -> dict[str, object]:
    with missing_is_404(TrainingJob.DoesNotExist):
        return TrainingSerializer(selectors.job_row(job_id)).data


def _do(service: Callable[..., object], request: Request, job_id: UUID, **more: object) -> None:
    with missing_is_404(TrainingJob.DoesNotExist):
        service(user=user_of(request), job_id=job_id, as_admin=may(request, "admin"), **more)
