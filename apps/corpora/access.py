"""Who may search and read: every person of a group, and the studio's own workers.

A worker has no session. It sends `Authorization: Bearer` with `settings.CORPUS_TOKEN`, which every
process of the studio derives from `SECRET_KEY`. So neither a place in the network nor a header
that a proxy sets opens a corpus, and the addresses of pages hold no secret.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.crypto import constant_time_compare
from rest_framework.authentication import get_authorization_header
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.accounts.authentication import TokenAuthentication
from apps.accounts.permissions import IsViewer

WORKER = "worker of the studio"


class WorkerOrToken(TokenAuthentication):
    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        expected = f"Bearer {settings.CORPUS_TOKEN}".encode()
        if constant_time_compare(get_authorization_header(request), expected):
            return AnonymousUser(), WORKER
        return super().authenticate(request)


class ReadsCorpora(IsViewer):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.auth == WORKER or super().has_permission(request, view)
