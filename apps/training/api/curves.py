"""What a training did, step by step: its metrics, and the systems it sampled."""

from typing import Any
from uuid import UUID

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.errors import bad_address
from apps.common.pagination import LIST_CHARS
from apps.training import selectors
from apps.training.api.serializers import (
    MetricPageSerializer,
    SampleSerializer,
    SampleSummarySerializer,
)
from apps.training.models import TrainingJob, TrainingSample

PAGE_SIZE = 1_000
MAX_PAGE_SIZE = 5_000
MAX_SAMPLES = 1_000
STEP_LIMIT = 2**31


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
        _require_job(job_id)
        after = _number(request, "after", 0, 0, STEP_LIMIT - 1)
        size = _number(request, "page_size", PAGE_SIZE, 1, MAX_PAGE_SIZE)
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
        _require_job(job_id)
        step = _number(request, "step", None, 0, STEP_LIMIT - 1)
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


def _require_job(job_id: UUID) -> None:
    if not TrainingJob.objects.filter(id=job_id).exists():
        raise Http404


def _number(request: Request, name: str, default: int | None, least: int, most: int) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return default
    if text.isascii() and text.isdigit() and len(text) <= 12 and least <= int(text) <= most:
        return int(text)
    message = _("Use a whole number from %(least)s to %(most)s.") % {
        "least": f"{least:,}",
        "most": f"{most:,}",
    }
    raise bad_address(name, f"bad_{name}", message)
