"""Publishing, discarding and restoring a pool's draft, and what differs between two versions."""

from typing import Any

from django.db.models import Case, F, Func, IntegerField, QuerySet, Value, When
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.permissions import CuratorWrites, user_of
from apps.accounts.views import CuratorView
from apps.common.pagination import NewestFirst
from apps.common.serializers import valid
from apps.roles import publishing
from apps.roles.api.pools import pools
from apps.roles.api.serializers import (
    PoolDiffSerializer,
    PoolPublishSerializer,
    PoolSerializer,
    PoolVersionDetailSerializer,
    PoolVersionSerializer,
    SeenDraftSerializer,
)
from apps.roles.drafts import version_roles
from apps.roles.history import role_json
from apps.roles.models import PoolVersion, RolePool


class NewestPublished(NewestFirst):
    ordering = ("-published_at", "-id")


def versions(pool: RolePool) -> QuerySet[PoolVersion]:
    """Versions without their roles, which may be megabytes: roles are counted in SQL."""
    return (
        PoolVersion.objects.filter(pool=pool)
        .select_related("published_by")
        .defer("spec", "disabled")
        .annotate(
            role_count=_length(F("spec__roles")),
            disabled_count=Case(
                When(disabled__isnull=True, then=Value(None)),
                default=_length(F("disabled")),
                output_field=IntegerField(),
            ),
        )
    )


def _length(array: Any) -> Func:
    return Func(array, function="jsonb_array_length", output_field=IntegerField())


def _pool(key: str) -> RolePool:
    return get_object_or_404(RolePool, key=key)


def _as_it_is(pool: RolePool) -> Response:
    return Response(PoolSerializer(pools().get(pk=pool.pk)).data)


class PoolPublishView(CuratorView):
    @extend_schema(
        request=PoolPublishSerializer,
        responses=PoolSerializer,
        summary="Publish the draft: runs take it from now on",
    )
    def post(self, request: Request, key: str) -> Response:
        asked = valid(PoolPublishSerializer(data=request.data or {}))
        pool = _pool(key)
        publishing.pool_publish(pool=pool, by=user_of(request), **asked.validated_data)
        return _as_it_is(pool)


class PoolDiscardView(CuratorView):
    @extend_schema(
        request=SeenDraftSerializer,
        responses=PoolSerializer,
        summary="Discard changes: make the draft equal to the published version",
    )
    def post(self, request: Request, key: str) -> Response:
        asked = valid(SeenDraftSerializer(data=request.data or {}))
        pool = _pool(key)
        publishing.pool_discard(pool=pool, by=user_of(request), **asked.validated_data)
        return _as_it_is(pool)


class PoolVersionsView(generics.ListAPIView[PoolVersion]):
    permission_classes = (CuratorWrites,)
    serializer_class = PoolVersionSerializer
    pagination_class = NewestPublished

    def get_queryset(self) -> QuerySet[PoolVersion]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return PoolVersion.objects.none()
        return versions(_pool(self.kwargs["key"]))


class PoolVersionView(CuratorView):
    @extend_schema(
        responses=PoolVersionDetailSerializer, summary="A published version with its roles"
    )
    def get(self, request: Request, key: str, version: int) -> Response:
        pool = _pool(key)
        stored = publishing.pool_version(pool, version)
        found = versions(pool).get(pk=stored.pk)
        roles = [role_json(role) for role in version_roles(stored)]
        return Response({**PoolVersionSerializer(found).data, "roles": roles})


class PoolRestoreView(CuratorView):
    @extend_schema(
        request=SeenDraftSerializer,
        responses=PoolSerializer,
        summary="Restore an earlier version to the draft; publishes nothing",
    )
    def post(self, request: Request, key: str, version: int) -> Response:
        asked = valid(SeenDraftSerializer(data=request.data or {}))
        pool = _pool(key)
        publishing.pool_restore(
            pool=pool,
            version=publishing.pool_version(pool, version),
            by=user_of(request),
            seen=asked.validated_data.get("version"),
        )
        return _as_it_is(pool)


class PoolDiffView(CuratorView):
    @extend_schema(
        parameters=[
            OpenApiParameter(
                "from", str, description="Number of a version, `draft` or `published`"
            ),
            OpenApiParameter("to", str, description="Number of a version, `draft` or `published`"),
        ],
        responses=PoolDiffSerializer,
        summary="What differs between two states of a pool; by default published and draft",
    )
    def get(self, request: Request, key: str) -> Response:
        before = request.query_params.get("from", "published")
        after = request.query_params.get("to", "draft")
        return Response(
            PoolDiffSerializer(publishing.versions_diff(_pool(key), before, after)).data
        )
