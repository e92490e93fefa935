"""Pools as files: import and export."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import user_of
from apps.accounts.views import CuratorView
from apps.common.errors import ApplicationError, FieldError, unknown_choice
from apps.common.parsers import read_limited
from apps.common.renderers import IgnoresFormat
from apps.common.serializers import SlugKeyField, query_of
from apps.roles import imports
from apps.roles.api.serializers import ImportReportSerializer
from apps.roles.models import RolePool
from apps.roles.services import pool_file
from workers.core.pools.csv import dump_pool_csv
from workers.core.pools.dump import dump_pool_yaml

FORMATS = {
    "yaml": (dump_pool_yaml, "application/yaml"),
    "csv": (dump_pool_csv, "text/csv"),
}

NO_KEY = gettext_lazy("A CSV file contains only roles. Give the pool's key in the address.")


class YamlParser(BaseParser):
    """Returns the body as text, which the pool parser reads safely."""

    media_type = "application/yaml"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_limited(stream).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ApplicationError(
                code="not_text",
                message=_("The file is not UTF-8 text."),
                remedy=_("Save it as UTF-8 and import it again."),
            ) from error


class CsvParser(YamlParser):
    media_type = "text/csv"


class ImportQuery(serializers.Serializer[dict[str, Any]]):
    """The parameters in the address of an import."""

    dry_run = serializers.BooleanField(default=False, help_text="Only report what would change")
    publish = serializers.BooleanField(default=False, help_text="Publish the draft as well")
    version = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="Version of the draft that a dry run reported; 0 if the pool did not exist. If "
        "the version is another one now, the answer is 409.",
    )
    key = SlugKeyField(
        required=False, help_text="CSV: key of the pool, which the file does not contain"
    )
    name = serializers.CharField(
        default="",
        max_length=120,
        help_text="CSV: name of the pool; if left out, an existing pool keeps its name",
    )


class PoolImportView(CuratorView):
    parser_classes = (YamlParser, CsvParser)
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        request={"application/yaml": OpenApiTypes.STR, "text/csv": OpenApiTypes.STR},
        parameters=[ImportQuery],
        responses=ImportReportSerializer,
        summary="Import a pool's draft from YAML or CSV; equal roles stay as they are",
        description="A role without `enabled` stays enabled or disabled as it is. Roles that the "
        "file does not name are removed. If no role of the file has `enabled`, "
        "disabled roles stay.",
    )
    def post(self, request: Request) -> Response:
        text = request.data if isinstance(request.data, str) else ""
        asked = query_of(ImportQuery, request)
        is_csv = (request.content_type or "").startswith("text/csv")
        if is_csv and "key" not in asked:
            raise ApplicationError.of_fields([FieldError("key", "missing", str(NO_KEY))])
        file = (
            imports.pool_parse_csv(text=text, key=asked["key"], name=asked["name"])
            if is_csv
            else imports.pool_parse(text=text)
        )
        report = imports.pool_import(
            spec=file.spec,
            switches=file.switches,
            by=user_of(request),
            dry_run=asked["dry_run"],
            publish=asked["publish"],
            seen=imports.Seen(asked["version"] or None) if "version" in asked else None,
        )
        return Response(ImportReportSerializer(report).data)


class PoolExportView(CuratorView):
    content_negotiation_class = IgnoresFormat

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=list(FORMATS), default="yaml")],
        responses={
            (200, "application/yaml"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
        },
        summary="Export the draft as YAML or CSV, with the disabled roles",
    )
    def get(self, request: Request, key: str) -> HttpResponse:
        form = request.query_params.get("format", "yaml")
        if form not in FORMATS:
            raise unknown_choice("format", form, list(FORMATS))
        dump, media_type = FORMATS[form]
        pool = get_object_or_404(RolePool, key=key)
        file = pool_file(pool=pool)
        headers = {"Content-Disposition": f'attachment; filename="{pool.key}.{form}"'}
        return HttpResponse(
            dump(file.spec, switches=file.switches),
            content_type=f"{media_type}; charset=utf-8",
            headers=headers,
        )
