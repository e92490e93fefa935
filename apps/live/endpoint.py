"""A run's trace as JSON pages and as a stream, and one stream for everything that a page
watches."""

from uuid import UUID

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.access import Access
from apps.common.connections import connection_release
from apps.common.errors import bad_address
from apps.common.renderers import OrjsonRenderer
from apps.evaluations.models import Evaluation
from apps.live.stream import Wanted, stream_response
from apps.runs.api.event_pages import (
    AFTER,
    MAX_PAGE_SIZE,
    PageAsked,
    after_of,
    event_page,
    page_size_parameter,
)
from apps.runs.api.serializers import EventPageSerializer
from apps.runs.models import Run
from apps.runs.selectors import Position
from apps.training.models import TrainingJob

MAX_PER_STREAM = 100


class EventStreamRenderer(OrjsonRenderer):
    """Makes `Accept: text/event-stream` acceptable. It never renders, because streams are made
    elsewhere."""

    media_type = "text/event-stream"
    format = "sse"


class StreamingView(APIView):
    """Errors before a stream starts are JSON, whatever the request accepts."""

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        self.request.accepted_renderer = OrjsonRenderer()
        self.request.accepted_media_type = OrjsonRenderer.media_type
        return response


class EventsView(StreamingView):
    renderer_classes = (OrjsonRenderer, EventStreamRenderer)

    @extend_schema(
        summary="Read a run's trace, as JSON or as server-sent events",
        description="With `Accept: text/event-stream`, the frames are `snapshot`, then `trace`, "
        "`delta` and `status`, and last `end`. `Last-Event-ID` (or `after`) resumes "
        "after an event.",
        parameters=[
            AFTER,
            page_size_parameter(MAX_PAGE_SIZE),
            OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "application/json"): EventPageSerializer,
            (200, "text/event-stream"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, run_id: UUID) -> HttpResponse | StreamingHttpResponse:
        if not _wants_stream(request):
            return event_page(run_id, PageAsked.of(request))
        if not Run.objects.filter(id=run_id).exists():
            raise Http404
        after = after_of(request.query_params.get("after")) or _last_event_id(request)
        return _stream(request, Wanted(runs={str(run_id): after}), with_ids=True)


class MultiplexedEventsView(StreamingView):
    renderer_classes = (EventStreamRenderer, OrjsonRenderer)

    @extend_schema(
        summary="Watch runs, trainings and evaluations in one stream of server-sent events",
        description="For runs, the frames of `/api/runs/{run_id}/events`, each with its run's "
        "id. For trainings, `metric` (`{job, step, at, values}`) for each step and "
        "`job` (the job) when it changed. For evaluations, `evaluation` when it "
        f"changed. The stream closes when all have ended. At most {MAX_PER_STREAM} "
        "together.",
        parameters=[
            OpenApiParameter("runs", str, description="Ids of runs, separated by commas"),
            OpenApiParameter("jobs", str, description="Ids of training jobs, separated by commas"),
            OpenApiParameter(
                "evaluations", str, description="Ids of evaluations, separated by commas"
            ),
            OpenApiParameter(
                "after",
                str,
                description="Where to resume: `run:attempt.seq` or `job:step`, separated by commas",
            ),
        ],
        responses={(200, "text/event-stream"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        ids = {name: _ids(name, request.query_params.get(name, "")) for name in WATCHED}
        if not 0 < sum(map(len, ids.values())) <= MAX_PER_STREAM:
            message = _(
                "Name 1 to %(at_most)s runs, jobs and evaluations, separated by commas."
            ) % {"at_most": MAX_PER_STREAM}
            raise bad_address("runs", "bad_runs", message)
        for name, wanted in ids.items():
            _require(name, wanted)
        runs, jobs = _resume(request.query_params.get("after", ""))
        wanted_here = Wanted(
            runs={str(run_id): runs.get(run_id) for run_id in ids["runs"]},
            jobs={str(job_id): jobs.get(job_id) for job_id in ids["jobs"]},
            evaluations=[str(evaluation_id) for evaluation_id in ids["evaluations"]],
        )
        return _stream(request, wanted_here, with_ids=False)


WATCHED: dict[str, tuple[str, type[Run | TrainingJob | Evaluation]]] = {
    "runs": ("run", Run),
    "jobs": ("training", TrainingJob),
    "evaluations": ("evaluation", Evaluation),
}


def _stream(request: Request, wanted: Wanted, *, with_ids: bool) -> StreamingHttpResponse:
    response = stream_response(Access.of(request), wanted, with_ids=with_ids)
    connection_release()  # a stream lives long; its database connection must not
    return response


def _wants_stream(request: Request) -> bool:
    return isinstance(request.accepted_renderer, EventStreamRenderer)


def _last_event_id(request: Request) -> Position | None:
    """Browsers send the header themselves; a value that is not ours is ignored."""
    try:
        return Position.parse(request.headers.get("Last-Event-ID", ""))
    except ValueError:
        return None


def _ids(name: str, text: str) -> list[UUID]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        return list(dict.fromkeys(UUID(part) for part in parts))
    except ValueError as error:
        message = _("Name %(name)s by their ids (UUIDs), separated by commas.") % {"name": name}
        raise bad_address(name, f"bad_{name}", message) from error


def _require(name: str, wanted: list[UUID]) -> None:
    noun, model = WATCHED[name]
    found = set(model._default_manager.filter(pk__in=wanted).values_list("pk", flat=True))
    if missing := [id for id in wanted if id not in found]:
        raise bad_address(name, "not_found", f"There is no {noun} {missing[0]}.", status_code=404)


def _resume(text: str) -> tuple[dict[UUID, Position], dict[UUID, int]]:
    """For runs `run:attempt.seq`, for trainings `job:step`."""
    runs, jobs = {}, {}
    for part in filter(None, text.split(",")):
        id, _colon, place = part.partition(":")
        try:
            if "." in place:
                runs[UUID(id)] = Position.parse(place)
            else:
                jobs[UUID(id)] = _step(place)
        except ValueError as error:
            message = _("Use run:attempt.seq and job:step, separated by commas.")
            raise bad_address("after", "bad_after", message) from error
    return runs, jobs


def _step(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError("not a step")
    return int(text)
