"""The API's description: the OpenAPI document, and the page that shows it."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponseBase
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotAuthenticated
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from apps.common.api_reference import Reference, api_reference
from apps.common.renderers import OrjsonRenderer

Post = TypeVar("Post", bound=Callable[..., Response])


def idempotency_key_parameter(made: str) -> OpenApiParameter:
    """The header for requests that make a `made` and may be repeated."""
    return OpenApiParameter(
        "Idempotency-Key",
        str,
        OpenApiParameter.HEADER,
        description=f"Requests with the same key and the same body return the same {made}.",
    )


def creates(made: str, shown: type[BaseSerializer[Any]], **more: Any) -> Callable[[Post], Post]:
    """Describes a POST that makes a `made`, or finds it where the same request made it before."""
    decorated: Callable[[Post], Post] = extend_schema(
        responses={
            201: shown,
            200: OpenApiResponse(shown, f"The {made} that was already made with this key."),
        },
        parameters=[idempotency_key_parameter(made)],
        filters=False,
        **more,
    )
    return decorated


class ErrorsInJson(APIView):
    """Mixin: errors have the common shape, whatever the view renders."""

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

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]  # or a redirect
        if isinstance(exc, NotAuthenticated):
            return redirect_to_login(self.request.get_full_path())
        return super().handle_exception(exc)


@cache
def _reference() -> Reference:
    """Kept while the process lives, because it is the same for all users."""
    return api_reference(SchemaGenerator().get_schema(request=None, public=True))
