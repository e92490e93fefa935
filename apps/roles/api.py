"""Role pools and roles: list, edit, import and export."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from apps.common.errors import ApplicationError
from apps.common.pagination import ByKey
from apps.common.parsers import read_limited
from apps.common.permissions import CuratorWrites, user_of
from apps.common.serializers import SlugKeyField
from apps.roles import services
from apps.roles.models import Role, RolePool
from workers.core.pools.dump import dump_pool_yaml
from workers.core.tools.registry import TOOLS


class RoleSerializer(serializers.ModelSerializer[Role]):
    key = SlugKeyField()
    family = SlugKeyField()
    capabilities = serializers.ListField(
        child=serializers.CharField(max_length=200), max_length=50, required=False
    )
    tools = serializers.ListField(child=SlugKeyField(), max_length=50, required=False)

    class Meta:
        model = Role
        fields = (
            "key",
            "name",
            "family",
            "description",
            "capabilities",
            "prompt",
            "tools",
            "output_form",
            "refuse_condition",
            "version",
            "enabled",
            "updated_at",
        )
        read_only_fields = ("version", "updated_at")


class PoolSerializer(serializers.ModelSerializer[RolePool]):
    key = SlugKeyField()
    is_default = serializers.BooleanField(required=False)
    role_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = RolePool
        fields: tuple[str, ...] = (
            "key",
            "name",
            "description",
            "version",
            "is_default",
            "role_count",
            "updated_at",
        )
        read_only_fields = ("version", "updated_at")


class PoolDetailSerializer(PoolSerializer):
    key = SlugKeyField(read_only=True)
    roles = RoleSerializer(many=True, read_only=True)

    class Meta(PoolSerializer.Meta):
        fields = (*PoolSerializer.Meta.fields, "roles")


class ImportReportSerializer(serializers.Serializer[services.ImportReport]):
    pool = serializers.CharField()
    created = serializers.ListField(child=serializers.CharField())
    updated = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField())
    dry_run = serializers.BooleanField()


def pools() -> QuerySet[RolePool]:
    return RolePool.objects.annotate(role_count=Count("roles", filter=Q(roles__enabled=True)))


class PoolsView(generics.ListCreateAPIView[RolePool]):
    permission_classes = (CuratorWrites,)
    serializer_class = PoolSerializer
    pagination_class = ByKey

    def get_queryset(self) -> QuerySet[RolePool]:
        return pools()

    def perform_create(self, serializer: BaseSerializer[RolePool]) -> None:
        pool = services.pool_create(values=dict(serializer.validated_data))
        serializer.instance = pools().get(pk=pool.pk)


class PoolView(generics.RetrieveUpdateDestroyAPIView[RolePool]):
    permission_classes = (CuratorWrites,)
    serializer_class = PoolDetailSerializer
    lookup_field = "key"
    http_method_names = ("get", "patch", "delete", "head", "options")

    def get_queryset(self) -> QuerySet[RolePool]:
        return pools().prefetch_related("roles")

    def perform_update(self, serializer: BaseSerializer[RolePool]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.pool_update(pool=serializer.instance, values=dict(serializer.validated_data))

    def perform_destroy(self, instance: RolePool) -> None:
        services.pool_delete(pool=instance)


class YamlParser(BaseParser):
    """Hands the body on as text; the pool parser reads it safely."""

    media_type = "application/yaml"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_limited(stream).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ApplicationError(
                code="not_text",
                message="The file is not UTF-8 text.",
                remedy="Save it as UTF-8 and import it again.",
            ) from error


class PoolImportView(APIView):
    permission_classes = (CuratorWrites,)
    parser_classes = (YamlParser,)

    @extend_schema(
        request={"application/yaml": OpenApiTypes.STR},
        parameters=[OpenApiParameter("dry_run", bool, description="Only tell what would change")],
        responses=ImportReportSerializer,
        summary="Import a pool from YAML; equal roles are left alone",
    )
    def post(self, request: Request) -> Response:
        text = request.data if isinstance(request.data, str) else ""
        spec = services.pool_parse(text=text)
        dry_run = request.query_params.get("dry_run", "").lower() in {"1", "true", "yes"}
        report = services.pool_import(spec=spec, by=user_of(request), dry_run=dry_run)
        return Response(ImportReportSerializer(report).data)


class PoolExportView(APIView):
    permission_classes = (CuratorWrites,)

    @extend_schema(
        responses={(200, "application/yaml"): OpenApiTypes.STR}, summary="The pool as YAML"
    )
    def get(self, request: Request, key: str) -> HttpResponse:
        pool = get_object_or_404(RolePool, key=key)
        text = dump_pool_yaml(services.pool_spec(pool=pool))
        headers = {"Content-Disposition": f'attachment; filename="{pool.key}.yaml"'}
        return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


class RolesView(generics.ListCreateAPIView[Role]):
    permission_classes = (CuratorWrites,)
    serializer_class = RoleSerializer
    pagination_class = ByKey

    def get_queryset(self) -> QuerySet[Role]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return Role.objects.none()
        return Role.objects.filter(pool=self._pool())

    def perform_create(self, serializer: BaseSerializer[Role]) -> None:
        serializer.instance = services.role_create(
            pool=self._pool(),
            values=dict(serializer.validated_data),
            by=user_of(self.request),
        )

    def _pool(self) -> RolePool:
        return get_object_or_404(RolePool, key=self.kwargs.get("key"))


class RolePatchSerializer(RoleSerializer):
    key = SlugKeyField(read_only=True)


class RoleView(generics.RetrieveUpdateDestroyAPIView[Role]):
    permission_classes = (CuratorWrites,)
    serializer_class = RolePatchSerializer
    http_method_names = ("get", "patch", "delete", "head", "options")

    def get_object(self) -> Role:
        role = get_object_or_404(
            Role.objects.select_related("pool"),
            pool__key=self.kwargs["key"],
            key=self.kwargs["role"],
        )
        self.check_object_permissions(self.request, role)
        return role

    def get_queryset(self) -> QuerySet[Role]:
        return Role.objects.all()

    def perform_update(self, serializer: BaseSerializer[Role]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.role_update(
            role=serializer.instance,
            values=dict(serializer.validated_data),
            by=user_of(self.request),
        )

    def perform_destroy(self, instance: Role) -> None:
        services.role_delete(role=instance)


class ToolSerializer(serializers.Serializer[dict[str, str]]):
    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()


class ToolsView(APIView):
    @extend_schema(summary="The tools that a role may have", responses=ToolSerializer(many=True))
    def get(self, request: Request) -> Response:
        fields = ("key", "name", "description")
        return Response([{f: getattr(tool, f) for f in fields} for tool in TOOLS.values()])
