"""The API's description: the OpenAPI document, and the page that shows it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.renderers import OrjsonRenderer


def idempotency_key_parameter(made: str) -> OpenApiParameter:
    """The header of requests that make a `made`."""
    return OpenApiParameter(
        "Idempotency-Key",
        str,
        OpenApiParameter.HEADER,
        description=f"The same key with the same body gives the same {made}, however often sent.",
    )


class ErrorsInJson(APIView):
    """Mixin: whatever the view renders, its errors have the shape of all others."""

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        if getattr(response, "exception", False):
            request.accepted_renderer = OrjsonRenderer()
            request.accepted_media_type = OrjsonRenderer.media_type
        return super().finalize_response(request, response, *args, **kwargs)


class SchemaView(ErrorsInJson, SpectacularAPIView):
    pass


class DocsView(ErrorsInJson, SpectacularSwaggerSplitView):
    """Its script and its styles have addresses of their own: the page needs no weaker policy."""

    template_name = "common/docs.html"

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]
        if isinstance(exc, NotAuthenticated):
            return redirect_to_login(self.request.get_full_path())
        return super().handle_exception(exc)
