"""Reads the places in a training that an address names."""

from uuid import UUID

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.request import Request

from apps.common.errors import bad_address
from apps.training.models import TrainingJob

STEP_LIMIT = 2**31


def require_job(job_id: UUID) -> None:
    if not TrainingJob.objects.filter(id=job_id).exists():
        raise Http404


def whole_number(
    request: Request, name: str, default: int | None, least: int, most: int
) -> int | None:
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
