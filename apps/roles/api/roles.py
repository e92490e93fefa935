"""The roles of a pool's draft, and the tools that a role may have."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, user_of
from apps.common.pagination import ByKey
from apps.roles import services
from apps.roles.api.serializers import RolePatchSerializer, RoleSerializer
from apps.roles.models import Role, RolePool
from workers.core.tools.registry import TOOLS


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
            pool=self._pool(), values=dict(serializer.validated_data), by=user_of(self.request)
        )

    def _pool(self) -> RolePool:
        return get_object_or_404(RolePool, key=self.kwargs.get("key"))


class RoleView(generics.RetrieveUpdateDestroyAPIView[Role]):
    permission_classes = (CuratorWrites,)
    serializer_class = RolePatchSerializer
    http_method_names = ("get", "patch", "delete", "head", "options")
    queryset = Role.objects.all()

    def get_object(self) -> Role:
        role = get_object_or_404(
            Role.objects.select_related("pool"),
            pool__key=self.kwargs["key"],
            key=self.kwargs["role"],
        )
        self.check_object_permissions(self.request, role)
        return role

    def perform_update(self, serializer: BaseSerializer[Role]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.role_update(
            role=serializer.instance,
            values=dict(serializer.validated_data),
            by=user_of(self.request),
        )

    def perform_destroy(self, instance: Role) -> None:
        services.role_delete(role=instance, by=user_of(self.request))


class ToolSerializer(serializers.Serializer[dict[str, str]]):
    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()


class ToolsView(APIView):
    @extend_schema(summary="The tools that a role may have", responses=ToolSerializer(many=True))
    def get(self, request: Request) -> Response:
        fields = ("key", "name", "description")
        return Response([{f: getattr(tool, f) for f in fields} for tool in TOOLS.values()])
