"""How roles did in all runs."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.runs.figures.roles import role_statistics


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


class AgentStatisticsView(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("endpoint", str)],
        responses=RoleStatisticsSerializer(many=True),
        summary="Figures of all roles that were used",
    )
    def get(self, request: Request) -> Response:
        endpoint = request.query_params.get("endpoint", "").replace("\x00", "")
        rows = role_statistics(endpoint=endpoint or None)
        return Response(RoleStatisticsSerializer(rows, many=True).data)
