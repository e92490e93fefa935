"""A run's trace: as JSON pages, and as a stream."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.http import Http404, HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.models import User
from apps.common.errors import ApplicationError, FieldError
from apps.common.renderers import OrjsonRenderer
from apps.runs import selectors
from apps.runs.api.serializers import EventPageSerializer
from apps.runs.api.stream import stream_response
from apps.runs.models import Run
from apps.runs.selectors import Position

PAGE_SIZE = 1_000
MAX_PAGE_SIZE = 5_000
MAX_RUNS_PER_STREAM = 100

AFTER = OpenApiParameter("after", str, description="`attempt.seq`: only events after this one")


class EventStreamRenderer(OrjsonRenderer):
    """Makes `Accept: text/event-stream` acceptable. It never renders: streams are made apart."""

    media_type = "text/event-stream"
    format = "sse"


class StreamingView(APIView):
    """Errors on the way to a stream are JSON, whatever was asked for."""

    def handle_exception(self, exc: Exception) -> Response:
        response = super().handle_exception(exc)
        self.request.accepted_renderer = OrjsonRenderer()
        self.request.accepted_media_type = OrjsonRenderer.media_type
        return response


class EventsView(StreamingView):
    renderer_classes = (OrjsonRenderer, EventStreamRenderer)

    @extend_schema(
        summary="A run's trace, as JSON or as server-sent events",
        description="With `Accept: text/event-stream`: `snapshot`, then `trace`, `delta`, `status` "
        "and, last, `end`. `Last-Event-ID` (or `after`) resumes after an event.",
        parameters=[
            AFTER,
            OpenApiParameter("page_size", int, description=f"at most {MAX_PAGE_SIZE}"),
            OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "application/json"): EventPageSerializer,
            (200, "text/event-stream"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, run_id: UUID) -> HttpResponse | StreamingHttpResponse:
        run = Run.objects.filter(id=run_id).values("status").first()
        if run is None:
            raise Http404
        after = _after(request.query_params.get("after"))
        if not _wants_stream(request):
            return _page(run_id, run["status"], after or Position(), _page_size(request))
        after = after or _last_event_id(request)
        return _stream(request, {str(run_id): after}, with_ids=True)


class MultiplexedEventsView(StreamingView):
    renderer_classes = (EventStreamRenderer, OrjsonRenderer)

    @extend_schema(
        summary="Several runs as one stream of server-sent events",
        description="The frames of `/api/runs/{run_id}/events`, each with its run's id. The stream "
        "closes when all its runs have ended.",
        parameters=[
            OpenApiParameter("runs", str, required=True, description="ids, separated by commas"),
            OpenApiParameter(
                "after", str, description="resume: `run:attempt.seq`, separated by commas"
            ),
        ],
        responses={(200, "text/event-stream"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        wanted = _run_ids(request.query_params.get("runs", ""))
        found = set(Run.objects.filter(id__in=wanted).values_list("id", flat=True))
        if missing := [run_id for run_id in wanted if run_id not in found]:
            raise _bad("runs", "not_found", f"There is no run {missing[0]}.", status_code=404)
        after = _resume(request.query_params.get("after", ""))
        runs = {str(run_id): after.get(run_id) for run_id in wanted}
        return _stream(request, runs, with_ids=False)


def _page(run_id: UUID, status: str, after: Position, size: int) -> HttpResponse:
    """The stored JSON is put together as bytes: thousands of events are never parsed here."""
    events = selectors.run_events(run_id, after=after, limit=size + 1)
    page = events[:size]
    ended = status in Run.Status.values[2:] and len(events) <= size
    body = b'{"results":[%b],"next_after":%b,"ended":%b}' % (
        b",".join(event.envelope() for event in page),
        b'"%b"' % str(page[-1].position).encode() if page else b"null",
        b"true" if ended else b"false",
    )
    return HttpResponse(body, content_type="application/json")


def _stream(
    request: Request, runs: dict[str, Position | None], *, with_ids: bool
) -> StreamingHttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  the permission demanded one
    response = stream_response(request.user.pk, runs, with_ids=with_ids)
    if not connection.in_atomic_block:
        connection.close()  # a stream lives long; its database connection must not
    return response


def _wants_stream(request: Request) -> bool:
    return isinstance(request.accepted_renderer, EventStreamRenderer)


def _last_event_id(request: Request) -> Position | None:
    """Browsers send the header by themselves: one that is not ours is passed over."""
    try:
        return Position.parse(request.headers.get("Last-Event-ID", ""))
    except ValueError:
        return None


def _after(text: str | None) -> Position | None:
    if text is None:
        return None
    try:
        return Position.parse(text)
    except ValueError as error:
        raise _bad("after", "bad_after", "Use the id of an event, such as 1.17.") from error


def _page_size(request: Request) -> int:
    text = request.query_params.get("page_size", str(PAGE_SIZE))
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= MAX_PAGE_SIZE):
        raise _bad("page_size", "bad_page_size", f"Use a number from 1 to {MAX_PAGE_SIZE}.")
    return int(text)


def _run_ids(text: str) -> list[UUID]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not 0 < len(parts) <= MAX_RUNS_PER_STREAM:
        raise _bad(
            "runs", "bad_runs", f"Name 1 to {MAX_RUNS_PER_STREAM} runs, with commas between."
        )
    try:
        return list(dict.fromkeys(UUID(part) for part in parts))
    except ValueError as error:
        raise _bad("runs", "bad_runs", "Every run is named by its id, a UUID.") from error


def _resume(text: str) -> dict[UUID, Position]:
    places = {}
    for part in filter(None, text.split(",")):
        run_id, _, position = part.partition(":")
        try:
            places[UUID(run_id)] = Position.parse(position)
        except ValueError as error:
            raise _bad("after", "bad_after", "Use run:attempt.seq, with commas between.") from error
    return places


def _bad(field: str, code: str, message: str, status_code: int = 400) -> ApplicationError:
    return ApplicationError(
        code=code,
        message=message,
        remedy="Correct the address and ask again.",
        status_code=status_code,
        fields=(FieldError(field, code, message),),
    )
