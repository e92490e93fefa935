"""Decides who may send a large body, before it is received."""

from io import BytesIO

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.accounts.permissions import may
from apps.common.body_limit import Scope
from apps.common.in_thread import in_thread


async def may_upload(scope: Scope, group: str) -> bool:
    """Whether a person of the group sends this, judged by the request's head alone."""
    return await in_thread(is_of_group, scope, group)


def is_of_group(scope: Scope, group: str) -> bool:
    # Asked as a GET: a forged request is the view's to refuse, by the same rules as any other.
    head = ASGIRequest({**scope, "method": "GET"}, BytesIO())
    SessionMiddleware(_unused).process_request(head)
    AuthenticationMiddleware(_unused).process_request(head)
    request = Request(head, authenticators=APIView().get_authenticators())
    try:
        return may(request, group)
    except APIException:
        return False


def _unused(request: HttpRequest) -> HttpResponse:
    """Stands in for what a middleware calls next: only its check of the request is needed."""
    return HttpResponse()
