"""What agents saw of the pages that they opened."""

from uuid import UUID

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.common.renderers import IgnoresFormat
from apps.runs.models import RunPicture

MEDIA_TYPE = "image/jpeg"
READ_PICTURE = {(200, MEDIA_TYPE): OpenApiResponse(OpenApiTypes.BINARY)}
HEADERS = {
    # It was made by foreign pages: nothing may read it as anything else than a picture.
    "Content-Disposition": 'inline; filename="page.jpg"',
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
}


class PictureView(APIView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        summary="Read a picture of a page that an agent saw",
        description="The event `tool_returned` names it. It is deleted with its run.",
        responses=READ_PICTURE,
    )
    def get(self, request: Request, run_id: UUID, picture_id: UUID) -> HttpResponse:
        return picture_response(run_id, picture_id)


def picture_response(run_id: UUID, picture_id: UUID) -> HttpResponse:
    """Raises Http404, also for a picture of another run."""
    found = RunPicture.objects.filter(run=run_id, id=picture_id).values_list("jpeg", flat=True)
    jpeg = found.first()
    if jpeg is None:
        raise Http404
    return HttpResponse(bytes(jpeg), content_type=MEDIA_TYPE, headers=HEADERS)
