"""Agent profiles and what is known of them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.agents import selectors
from apps.agents.models import AgentProfile
from apps.common.pagination import NewestFirst
from apps.common.permissions import IsViewer


class AgentSerializer(serializers.ModelSerializer[AgentProfile]):
    endpoint = serializers.SlugRelatedField[AgentProfile](slug_field="key", read_only=True)
    pool = serializers.CharField(source="role.pool.key", read_only=True)
    role_key = serializers.CharField(source="role.key", read_only=True)
    role_name = serializers.CharField(source="role.name", read_only=True)
    family = serializers.CharField(source="role.family", read_only=True)

    class Meta:
        model = AgentProfile
        fields = (
            "id",
            "endpoint",
            "pool",
            "role_key",
            "role_name",
            "family",
            "tools",
            "reward",
            "cost",
            "count",
            "created_at",
            "updated_at",
        )


class RoleStatisticsSerializer(serializers.Serializer[Any]):
    role_key = serializers.CharField()
    role_name = serializers.CharField()
    family = serializers.CharField()
    uses = serializers.IntegerField()
    refusals = serializers.IntegerField()
    failures = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    mean_seconds = serializers.FloatField(allow_null=True)


class AgentsView(generics.ListAPIView[AgentProfile]):
    permission_classes = (IsViewer,)
    serializer_class = AgentSerializer
    pagination_class = NewestFirst
    filterset_fields: ClassVar[dict[str, list[str]]] = {
        "endpoint__key": ["exact"],
        "role__key": ["exact"],
    }

    def get_queryset(self) -> QuerySet[AgentProfile]:
        return selectors.agent_list()


class AgentView(generics.RetrieveAPIView[AgentProfile]):
    permission_classes = (IsViewer,)
    serializer_class = AgentSerializer

    def get_queryset(self) -> QuerySet[AgentProfile]:
        return selectors.agent_list()


class AgentStatisticsView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(
        parameters=[OpenApiParameter("endpoint", str)],
        responses=RoleStatisticsSerializer(many=True),
        summary="How every role that was used did",
    )
    def get(self, request: Request) -> Response:
        endpoint = request.query_params.get("endpoint", "").replace("\x00", "")
        rows = selectors.role_statistics(endpoint=endpoint or None)
        return Response(RoleStatisticsSerializer(rows, many=True).data)
