"""Health, and the page itself."""

from contextlib import suppress
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import may
from apps.common.health import health


class HealthPartSerializer(serializers.Serializer[dict[str, object]]):
    name = serializers.ChoiceField(
        choices=("database", "redis", "workers", "scheduler", "disk", "sandbox")
    )
    ok = serializers.BooleanField()
    detail = serializers.CharField(allow_blank=True)


class HealthSerializer(serializers.Serializer[dict[str, object]]):
    status = serializers.ChoiceField(choices=("ok", "degraded", "down"))
    version = serializers.CharField()
    parts = HealthPartSerializer(many=True)


class HealthView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        responses={200: HealthSerializer, 503: HealthSerializer},
        summary="State of every part of the studio; 503 without the database",
    )
    def get(self, request: Request) -> Response:
        found = health(with_detail=may(request, "viewer"))
        return Response(found, status=503 if found["status"] == "down" else 200)


MISSING_PAGE = (
    "The web pages are not built. Run bin/studio up, or: cd frontend && npm ci && npm run build"
)


@never_cache
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """The single page for every address outside the API. The browser's router does the rest."""
    try:
        content = _built(settings.BASE_DIR)
    except FileNotFoundError:
        return HttpResponse(MISSING_PAGE, status=503, content_type="text/plain")
    # Nothing here is for a search engine, least of all a page whose address is its key.
    return HttpResponse(
        content,
        content_type="text/html; charset=utf-8",
        headers={"X-Robots-Tag": "noindex, nofollow"},
    )


@cache
def _built(root: Path) -> bytes:
    """The page as it was when this process started. A page built since then names files that this
    process does not serve."""
    return (root / "frontend" / "dist" / "index.html").read_bytes()


with suppress(FileNotFoundError):
    _built(settings.BASE_DIR)
