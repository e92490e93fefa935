"""Role pools: list, make, rename, delete, clone."""

from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from apps.accounts.permissions import CuratorWrites, user_of
from apps.accounts.views import CuratorView
from apps.common.pagination import ByKey
from apps.common.serializers import valid
from apps.roles import services
from apps.roles.api.serializers import PoolCloneSerializer, PoolDetailSerializer, PoolSerializer
from apps.roles.models import RolePool


def pools() -> QuerySet[RolePool]:
    rows = RolePool.objects.select_related("published").defer(
        "published__spec", "published__disabled"
    )
    enabled = Q(roles__enabled=True, roles__removed=False)
    return rows.annotate(role_count=Count("roles", filter=enabled))


class PoolsView(generics.ListCreateAPIView[RolePool]):
    permission_classes = (CuratorWrites,)
    serializer_class = PoolSerializer
    pagination_class = ByKey
    queryset = pools()

    def perform_create(self, serializer: BaseSerializer[RolePool]) -> None:
        values = dict(serializer.validated_data)
        pool = services.pool_create(values=values, by=user_of(self.request))
        serializer.instance = pools().get(pk=pool.pk)


class PoolView(generics.RetrieveUpdateDestroyAPIView[RolePool]):
    permission_classes = (CuratorWrites,)
    serializer_class = PoolDetailSerializer
    lookup_field = "key"
    http_method_names = ("get", "patch", "delete", "head", "options")
    queryset = pools().prefetch_related("roles")

    def perform_update(self, serializer: BaseSerializer[RolePool]) -> None:
        assert serializer.instance  # noqa: S101  an update always has one
        services.pool_update(
            pool=serializer.instance,
            values=dict(serializer.validated_data),
            by=user_of(self.request),
        )

    def perform_destroy(self, instance: RolePool) -> None:
        services.pool_delete(pool=instance, by=user_of(self.request))


class PoolCloneView(CuratorView):
    @extend_schema(
        request=PoolCloneSerializer,
        responses={201: PoolSerializer},
        summary="Clone a pool: make a separate, unpublished pool with the roles of the draft",
    )
    def post(self, request: Request, key: str) -> Response:
        asked = valid(PoolCloneSerializer(data=request.data))
        pool = services.pool_clone(
            pool=get_object_or_404(RolePool, key=key), **asked.validated_data, by=user_of(request)
        )
        made = PoolSerializer(pools().get(pk=pool.pk))
        return Response(made.data, status=status.HTTP_201_CREATED)
