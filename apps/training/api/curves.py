"""What a training did, step by step: its metrics, and the systems it sampled."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.pagination import LIST_CHARS
from apps.training import selectors
from apps.training.api.places import STEP_LIMIT, require_job, whole_number
from apps.training.api.serializers import (
    MetricPageSerializer,
    SampleSerializer,
    SampleSummarySerializer,
)
from apps.training.models import TrainingSample

PAGE_SIZE = 1_000
MAX_PAGE_SIZE = 5_000
MAX_SAMPLES = 1_000


class MetricsView(APIView):
    @extend_schema(
        summary="All metrics of a training, step by step",
        parameters=[
            OpenApiParameter("after", int, description="Only steps after this one"),
            OpenApiParameter("page_size", int, description=f"At most {MAX_PAGE_SIZE}"),
        ],
        responses=MetricPageSerializer,
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        after = whole_number(request, "after", 0, 0, STEP_LIMIT - 1)
        size = whole_number(request, "page_size", PAGE_SIZE, 1, MAX_PAGE_SIZE)
        rows = selectors.job_metrics(job_id, after=after or 0, limit=size or PAGE_SIZE)
        page = {"results": rows, "next_after": rows[-1]["step"] if rows else None}
        return Response(page)


class SamplesView(APIView):
    @extend_schema(
        summary="Systems that a training sampled, without their traces",
        description=(
            f"Newest step first, at most {MAX_SAMPLES:,}. `query` and `reference` are cut at "
            f"{LIST_CHARS} characters; a single sample has them in full."
        ),
        parameters=[OpenApiParameter("step", int, description="Only systems of this step")],
        responses=SampleSummarySerializer(many=True),
    )
    def get(self, request: Request, job_id: UUID) -> Response:
        require_job(job_id)
        step = whole_number(request, "step", None, 0, STEP_LIMIT - 1)
        return Response(selectors.job_samples(job_id, step, limit=MAX_SAMPLES))


class SampleView(APIView):
    @extend_schema(summary="A sampled system with its trace", responses=SampleSerializer)
    def get(self, request: Request, job_id: UUID, sample_id: int) -> Response:
        found = TrainingSample.objects.filter(job_id=job_id)
        return Response(_sample(get_object_or_404(found, id=sample_id)))


def _sample(sample: TrainingSample) -> dict[str, Any]:
    payload = sample.payload
    names = ("id", "step", "index", "query", "reference", "correct", "reward", "tokens", "agents")
    return {name: getattr(sample, name) for name in names} | {
        "answer": payload["answer"],
        "graph": payload["graph"],
        "details": payload.get("details", {}),
        "events": payload["trace"],
        "reward_parts": {
            "group": sample.reward,
            "action": payload["action_rewards"],
            "advantage": payload["advantages"],
        },
    }
