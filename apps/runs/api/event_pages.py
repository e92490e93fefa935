"""A run's trace as JSON pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from apps.common.errors import bad_address, missing_is_404
from apps.runs import selectors
from apps.runs.models import TERMINAL, Run
from apps.runs.selectors import Position, StoredEvent

PAGE_SIZE = 1_000
MAX_PAGE_SIZE = 5_000
AFTER = OpenApiParameter("after", str, description="`attempt.seq`: only events after this one")


def page_size_parameter(most: int) -> OpenApiParameter:
    description = f"{min(PAGE_SIZE, most)} by default, at most {most}"
    return OpenApiParameter("page_size", int, description=description)


@dataclass(frozen=True, slots=True)
class PageAsked:
    after: Position
    size: int

    @classmethod
    def of(cls, request: Request, *, most: int = MAX_PAGE_SIZE) -> PageAsked:
        """Raises ApplicationError for an invalid place or page size; `most` is the largest size."""
        after = after_of(request.query_params.get("after"))
        return cls(after or Position(), _page_size(request, most))


def event_page(
    run_id: UUID,
    asked: PageAsked,
    *,
    shown: Callable[[StoredEvent], StoredEvent] = lambda event: event,
) -> HttpResponse:
    """Joins the stored JSON as bytes: thousands of events are never parsed here. `shown` converts
    each event. Raises Http404."""
    with missing_is_404(Run.DoesNotExist):
        status = Run.objects.values_list("status", flat=True).get(id=run_id)
    events = selectors.run_events(run_id, after=asked.after, limit=asked.size + 1)
    page = list(map(shown, events[: asked.size]))
    ended = status in TERMINAL and len(events) <= asked.size
    body = b'{"results":[%b],"next_after":%b,"ended":%b}' % (
        b",".join(event.envelope() for event in page),
        b'"%b"' % str(page[-1].position).encode() if page else b"null",
        b"true" if ended else b"false",
    )
    return HttpResponse(body, content_type="application/json")


def after_of(text: str | None) -> Position | None:
    if text is None:
        return None
    try:
        return Position.parse(text)
    except ValueError as error:
        raise bad_address("after", "bad_after", "Use the id of an event, such as 1.17.") from error


def _page_size(request: Request, most: int) -> int:
    text = request.query_params.get("page_size", str(min(PAGE_SIZE, most)))
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= most):
        raise bad_address("page_size", "bad_page_size", f"Use a number from 1 to {most}.")
    return int(text)
