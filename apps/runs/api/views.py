"""Runs: create, list, read, delete, cancel, retry, continue, fork."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.admission import Creation
from apps.accounts.permissions import OperatorWrites, may, user_of
from apps.accounts.views import OperatorView
from apps.common.docs import creates
from apps.common.errors import missing_is_404
from apps.common.serializers import valid
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


class RunsView(generics.ListAPIView[Any]):
    permission_classes = (OperatorWrites,)
    serializer_class = RunSummarySerializer
    filterset_class = RunFilter
    queryset = selectors.run_rows()

    @creates("run", RunSerializer, summary="Ask a question", request=RunWantedSerializer)
    def post(self, request: Request) -> Response:
        wanted = valid(RunWantedSerializer(data=request.data))
        creation = services.run_create(
            user=user_of(request),
            request=wanted.request(),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return _creation_response(creation)


class RunView(OperatorView):
    @extend_schema(summary="Read a run", responses=RunSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        return Response(run_json(run_id))

    @extend_schema(
        summary="Delete an ended run with its trace (the owner or an admin)", responses={204: None}
    )
    def delete(self, request: Request, run_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            services.run_delete(**asked(request, run_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class RunCancelView(OperatorView):
    @extend_schema(
        summary="Cancel a run (the owner or an admin)", request=None, responses=RunSerializer
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        with missing_is_404(Run.DoesNotExist):
            services.run_cancel(**asked(request, run_id))
        return Response(run_json(run_id))


class RunRetryView(OperatorView):
    @creates(
        "run", RunSerializer, summary="Run the same question again, as a new run", request=None
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        creation = services.run_retry(
            user=user_of(request),
            run=_run(run_id),
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return _creation_response(creation)


class RunContinueView(OperatorView):
    @extend_schema(
        summary="Continue a waiting run (the owner or an admin)",
        request=ContinuationSerializer,
        responses=RunSerializer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        wanted = valid(ContinuationSerializer(data=request.data))
        with missing_is_404(Run.DoesNotExist):
            run_continue(**asked(request, run_id), wanted=wanted.continuation())
        return Response(run_json(run_id))


class RunForkView(OperatorView):
    @creates(
        "run",
        RunSerializer,
        summary="Fork a run: change what agents said, and continue from there as a new run",
        request=ForkWantedSerializer,
    )
    def post(self, request: Request, run_id: UUID) -> Response:
        wanted = valid(ForkWantedSerializer(data=request.data))
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


def asked(request: Request, run_id: UUID) -> dict[str, Any]:
    """Who asks for a change of which run."""
    return {"user": user_of(request), "run_id": run_id, "as_admin": may(request, "admin")}


def run_json(run_id: UUID | str) -> dict[str, object]:
    with missing_is_404(Run.DoesNotExist):
        return RunSerializer(selectors.run_with_endpoint(run_id)).data


def _creation_response(creation: Creation[Run]) -> Response:
    return Response(run_json(creation.row.id), status=creation.status_code)
