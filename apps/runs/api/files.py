"""The files of a question, as downloads: nothing that a browser would open."""

from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.common.errors import ApplicationError, missing_is_404
from apps.runs.api.shares import PublicView, shared_run
from apps.runs.models import Run
from workers.core.tools.attachments import FileMissing, attached_files

DOWNLOAD = {(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY)}


class RunFileView(APIView):
    @extend_schema(summary="Download a file of a run's question", responses=DOWNLOAD)
    def get(self, request: Request, run_id: UUID, place: int) -> HttpResponse:
        return run_file(run_id, place)


class SharedFileView(PublicView):
    @extend_schema(summary="Download a file of a shared run", responses=DOWNLOAD, auth=[])
    def get(self, request: Request, token: str, place: int) -> HttpResponse:
        return run_file(shared_run(request, token), place)


def run_file(run_id: UUID, place: int) -> HttpResponse:
    """Raises Http404, or ApplicationError (404) for a file that is no longer stored."""
    rows = Run.objects.values_list("task_details__metadata__files", flat=True)
    with missing_is_404(Run.DoesNotExist):
        files = tuple(attached_files({"files": rows.get(id=run_id)}).values())
    if place >= len(files):
        raise Http404
    file = files[place]
    try:
        data = file.data(settings.DATA_DIR / "files")
    except FileMissing as error:
        raise ApplicationError(
            code="file_gone",
            message=str(error),
            remedy=_("Restore it from a backup of the studio."),
            status_code=404,
        ) from error
    shown = content_disposition_header(True, file.name)
    headers = {"Content-Disposition": shown, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(data, content_type="application/octet-stream", headers=headers)
