"""Django's own errors, outside of the API's views: JSON for programs, a page for the admin."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from apps.common.database_trouble import TROUBLES, trouble_of
from apps.common.errors import REMEDIES, error_body
from apps.common.health import disk_was_full

ADMIN = "/admin/"
BUSY_SECONDS = 10
"""Seconds after which a client may try again."""


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """For addresses that no view owns, and for things that do not exist."""
    return _answer(request, 404, "not_found", _("There is nothing at this address."))


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 403, "permission_denied", _("Your account may not do this."))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """E.g. for a Host header that is not allowed."""
    return _answer(request, 400, "bad_request", _("The request could not be understood."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _answer(request, 403, "csrf_failed", _("The request carries no valid CSRF token."))


def server_error(request: HttpRequest) -> HttpResponse:
    """For what a view, or the code before it, raised. If the database is the cause, the answer says
    what is wrong and when to try again."""
    raised = sys.exception()
    trouble = trouble_of(raised) if isinstance(raised, (OperationalError, InterfaceError)) else None
    if trouble is None:
        return _answer(request, 500, "server_error", _("The studio failed on this request."))
    if trouble == "database_full":
        disk_was_full()
    answer = _answer(request, 503, trouble, str(TROUBLES[trouble]))
    answer["Retry-After"] = str(BUSY_SECONDS)
    return answer


def _answer(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    remedy = REMEDIES[code]
    if not request.path.startswith(ADMIN):
        return JsonResponse(error_body(code=code, message=message, remedy=remedy), status=status)
    # Without the request: what failed may be what knows of the person and of the messages.
    page = render_to_string("common/error.html", {"message": message, "remedy": remedy})
    return HttpResponse(page, status=status)
