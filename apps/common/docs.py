"""The API's description: the OpenAPI document, and the page that shows it."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponseBase
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotAuthenticated
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.common.api_reference import Reference, api_reference
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


class DocsView(ErrorsInJson, APIView):
    renderer_classes = (TemplateHTMLRenderer,)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        address = request.build_absolute_uri("/api")
        return Response(
            {"reference": _reference(), "address": address}, template_name="common/docs.html"
        )

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]
        if isinstance(exc, NotAuthenticated):
            return redirect_to_login(self.request.get_full_path())
        return super().handle_exception(exc)


@cache
def _reference() -> Reference:
    """As long as the process lives, as nothing in it depends on who asks."""
    return api_reference(SchemaGenerator().get_schema(request=None, public=True))
