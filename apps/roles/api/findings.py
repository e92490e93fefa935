"""What the studio knows about the roles of a pool: near-duplicates and figures of their use."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.views import CuratorView
from apps.common.serializers import query_of
from apps.roles.duplicates import Duplicates, Pair, pool_duplicates
from apps.roles.models import RolePool
from apps.roles.usage import DAYS_MAX, USAGE_DAYS, Figures, PoolUsage, pool_usage_kept


class SimilarRolesSerializer(serializers.Serializer[Pair]):
    left = serializers.CharField()
    right = serializers.CharField()
    similarity = serializers.FloatField(help_text="Cosine similarity of their profiles")


class DuplicatesSerializer(serializers.Serializer[Duplicates]):
    threshold = serializers.FloatField()
    pairs = SimilarRolesSerializer(many=True)
    count = serializers.IntegerField(help_text="Number of all pairs; at most 200 are listed")
    waiting = serializers.IntegerField(help_text="Number of roles that are not embedded yet")


class PoolDuplicatesView(CuratorView):
    @extend_schema(responses=DuplicatesSerializer, summary="Enabled roles that are nearly the same")
    def get(self, request: Request, key: str) -> Response:
        found = pool_duplicates(get_object_or_404(RolePool, key=key))
        return Response(DuplicatesSerializer(found).data)


class FiguresSerializer(serializers.Serializer[Any]):
    runs = serializers.IntegerField(
        help_text="Runs that ended and had such an agent in their graph"
    )
    agents = serializers.IntegerField()
    refusal_share = serializers.FloatField(allow_null=True)
    judged = serializers.IntegerField(help_text="Runs with a verdict")
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)
    interval = serializers.SerializerMethodField(help_text="Wilson interval at 95%: [low, high]")
    tokens = serializers.FloatField(allow_null=True, help_text="Mean per agent")
    cost = serializers.FloatField(allow_null=True, help_text="Mean per agent, in USD")

    def get_interval(self, found: Figures) -> list[float] | None:
        return [found.interval.low, found.interval.high] if found.interval else None


class RoleUsageSerializer(FiguresSerializer):
    key = serializers.CharField()


class PoolUsageSerializer(serializers.Serializer[PoolUsage]):
    days = serializers.IntegerField()
    runs = serializers.IntegerField(help_text="Runs that ended and took the pool")
    roles = RoleUsageSerializer(many=True)


class UsageQuery(serializers.Serializer[dict[str, int]]):
    days = serializers.IntegerField(
        default=USAGE_DAYS,
        min_value=1,
        max_value=DAYS_MAX,
        help_text="How many days back to count the runs that started",
    )


class PoolUsageView(CuratorView):
    @extend_schema(
        parameters=[UsageQuery],
        responses=PoolUsageSerializer,
        summary="How often each role was used, and how those runs did; up to a minute old",
    )
    def get(self, request: Request, key: str) -> Response:
        days = query_of(UsageQuery, request)["days"]
        found = pool_usage_kept(get_object_or_404(RolePool, key=key), days=days)
        return Response(PoolUsageSerializer(found).data)
