"""Export designs to files, and import them from files."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import user_of
from apps.accounts.views import OperatorView
from apps.common.errors import missing_is_404, unknown_choice
from apps.common.renderers import IgnoresFormat
from apps.common.serializers import query_of, valid
from apps.designs.api.serializers import DesignImportSerializer, DesignSerializer
from apps.designs.api.views import answer
from apps.designs.files import FORMATS, LEFT_OUT, design_file, design_import
from apps.designs.models import Design, DesignVersion
from apps.designs.selectors import version_spec
from workers.core.designs.spec import DesignSpec


class WhichVersion(serializers.Serializer[None]):
    version = serializers.IntegerField(
        required=False, min_value=1, help_text="By default the draft as it is now"
    )


class DesignExportView(APIView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        summary="Export a design as a file",
        parameters=[
            OpenApiParameter(
                "format", str, enum=list(FORMATS), description="Format of the file; json by default"
            ),
            WhichVersion,
        ],
        responses={
            (200, form.media_type): OpenApiResponse(OpenApiTypes.BINARY)
            for form in FORMATS.values()
        },
    )
    def get(self, request: Request, design_id: UUID) -> HttpResponse:
        form = request.query_params.get("format") or "json"
        if form not in FORMATS:
            raise unknown_choice("format", form, tuple(FORMATS))
        design, spec = _wanted(request, design_id)
        file = design_file(design=design, spec=spec, form=form)
        return HttpResponse(
            file.content,
            content_type=file.media_type
            if isinstance(file.content, bytes)
            else f"{file.media_type}; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{file.name}"'},
        )


class LeftOutSerializer(serializers.Serializer[None]):
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="One sentence for each thing"
    )


class DesignLeftOutView(APIView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        summary="What the program of a design leaves out or does otherwise",
        parameters=[
            OpenApiParameter(
                "format", str, enum=list(LEFT_OUT), description="The program; python by default"
            ),
            WhichVersion,
        ],
        responses=LeftOutSerializer,
    )
    def get(self, request: Request, design_id: UUID) -> Response:
        form = request.query_params.get("format") or "python"
        if form not in LEFT_OUT:
            raise unknown_choice("format", form, tuple(LEFT_OUT))
        return Response({"left_out": LEFT_OUT[form](_wanted(request, design_id)[1])})


def _wanted(request: Request, design_id: UUID) -> tuple[Design, DesignSpec]:
    version = query_of(WhichVersion, request).get("version")
    with missing_is_404(Design.DoesNotExist, DesignVersion.DoesNotExist):
        design = Design.objects.get(id=design_id)
        return design, version_spec(design, version)


class DesignImportView(OperatorView):
    @extend_schema(
        summary="Import a design from a file",
        request=DesignImportSerializer,
        responses={201: DesignSerializer},
    )
    def post(self, request: Request) -> Response:
        wanted = valid(DesignImportSerializer(data=request.data))
        design = design_import(user=user_of(request), **wanted.validated_data)
        return answer(design.id, code=status.HTTP_201_CREATED)
