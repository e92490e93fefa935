"""Runs: create, list, read, delete, cancel, retry, continue, fork."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.admission import Creation
from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.common.docs import idempotency_key_parameter
from apps.common.errors import missing_is_404
from apps.runs import selectors, services
from apps.runs.api.filters import RunFilter
from apps.runs.api.serializers import (
    ContinuationSerializer,
    ForkWantedSerializer,
    RunSerializer,
    RunSummarySerializer,
    RunWantedSerializer,
)
from apps.runs.control import run_continue
from apps.runs.forks import run_fork
from apps.runs.models import Run

CREATED = {
    201: RunSerializer,
    200: OpenApiResponse(RunSerializer, "The run that was already made with this key."),
}


class RunsView(generics.ListAPIView[Any]):
    permission_classes = (OperatorWrites,)
    serializer_class = RunSummarySerializer
    filterset_class = RunFilter

    def get_queryset(self) -> QuerySet[Any, Any]:
        return selectors.run_rows()

    @extend_schema(
        summary="Ask a question",
        request=RunWantedSerializer,
        responses=CREATED,
        parameters=[idempotency_key_parameter("run")],
        filters=False,
    )
    def post(self, request: Request) -> Response:
        wanted = RunWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        creation = services.run_create(
            user=user_of(request),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return _creation_response(creation)


class RunView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(summary="Read a run", responses=RunSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        return Response(run_json(run_id))

    @extend_schema(
        summary="Delete an ended run with its trace (the owner or an admin)",
        responses={204: None},
    )
    def delete(self, request: Request, run_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            services.run_delete(
                user=user_of(request), run_id=run_id, as_admin=may(request, "admin")
            )
        return Response(status=status.HTTP_204_NO_CONTENT)


class RunCancelView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Cancel a run (the owner or an admin)", request=None, responses=RunSerializer
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            services.run_cancel(
                user=user_of(request), run_id=run_id, as_admin=may(request, "admin")
            )
        return Response(run_json(run_id))


class RunRetryView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Run the same question again, as a new run",
        request=None,
        responses=CREATED,
        parameters=[idempotency_key_parameter("run")],
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        creation = services.run_retry(
            user=user_of(request),
            run=_run(run_id),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return _creation_response(creation)


class RunContinueView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Continue a waiting run (the owner or an admin)",
        request=ContinuationSerializer,
        responses=RunSerializer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        wanted = ContinuationSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        with missing_is_404(Run.DoesNotExist):
            run_continue(
                user=user_of(request),
                run_id=run_id,
                wanted=wanted.continuation(),
                as_admin=may(request, "admin"),
            )
        return Response(run_json(run_id))


class RunForkView(APIView):
    permission_classes = (OperatorWrites,)

    @extend_schema(
        summary="Fork a run: change what agents said, and continue from there as a new run",
        request=ForkWantedSerializer,
        responses=CREATED,
        parameters=[idempotency_key_parameter("run")],
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        wanted = ForkWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        creation = run_fork(
            user=user_of(request),
            run=_run(run_id),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return _creation_response(creation)


def _run(run_id: UUID) -> Run:
    related = ("endpoint", "pool_version", "design", "fork_of")
    with missing_is_404(Run.DoesNotExist):
        return Run.objects.select_related(*related).get(id=run_id)


def run_json(run_id: UUID | str) -> dict[str, object]:
    with missing_is_404(Run.DoesNotExist):
        return RunSerializer(selectors.run_with_endpoint(run_id)).data


def _creation_response(creation: Creation[Run]) -> Response:
    code = status.HTTP_201_CREATED if creation.created else status.HTTP_200_OK
    return Response(run_json(creation.row.id), status=code)
