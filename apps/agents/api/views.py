"""Agent profiles, what they learned and what they did."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, IsCurator, IsViewer, user_of
from apps.agents import selectors
from apps.agents.api.filters import AgentFilter
from apps.agents.api.serializers import (
    AgentCurveSerializer,
    AgentDetailSerializer,
    AgentListedSerializer,
    AgentRewardSerializer,
    AgentUsageSerializer,
    FilledSerializer,
    FillWantedSerializer,
    OwnProfileSerializer,
)
from apps.agents.curves import AGENTS, MOST_AGENTS, job_curves, live_curves
from apps.agents.filling import agents_fill
from apps.agents.history import CURVE_POINTS, MOST_POINTS, reward_curve, rewards
from apps.agents.models import AgentProfile, AgentReward
from apps.agents.own import profile_update
from apps.agents.usage import agent_usage_kept, agents_figures_kept
from apps.common.pagination import AfterPlace, NewestFirst
from apps.roles.api.findings import UsageQuery
from apps.roles.usage import USAGE_DAYS

DAYS = OpenApiParameter(
    "days", int, default=USAGE_DAYS, description="How many days back to count the runs that started"
)


def _days(request: Request) -> int:
    query = UsageQuery(data=request.query_params.dict())
    query.is_valid(raise_exception=True)
    days: int = query.validated_data["days"]
    return days


class AgentsView(generics.ListAPIView[AgentProfile]):
    permission_classes = (IsViewer,)
    serializer_class = AgentListedSerializer
    pagination_class = AfterPlace
    filterset_class = AgentFilter

    def get_queryset(self) -> QuerySet[AgentProfile]:
        return selectors.agent_list()

    @extend_schema(
        parameters=[DAYS], summary="List agents with their usage, which is up to a minute old"
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        days = _days(request)
        agents = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        usage = agents_figures_kept([agent.pk for agent in agents], days=days)
        rows = self.get_serializer(agents, many=True, context={"usage": usage})
        return self.get_paginated_response(rows.data)


class AgentView(generics.RetrieveAPIView[AgentProfile]):
    permission_classes = (CuratorWrites,)
    serializer_class = AgentDetailSerializer

    def get_queryset(self) -> QuerySet[AgentProfile]:
        return selectors.agent_details()

    @extend_schema(
        request=OwnProfileSerializer,
        responses=AgentDetailSerializer,
        summary="Set the agent's own prompt or memory, for what starts from now on",
    )
    def patch(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        wanted = OwnProfileSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        agent = self.get_object()
        profile_update(agent=agent, values=dict(wanted.validated_data), by=user_of(request))
        return Response(self.get_serializer(agent).data)


class AgentUsageView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(
        parameters=[DAYS],
        responses=AgentUsageSerializer,
        summary="What the agent did in runs, in total and over time; up to a minute old",
    )
    def get(self, request: Request, pk: int) -> Response:
        days = _days(request)
        agent = get_object_or_404(AgentProfile.objects.only("pk"), pk=pk)
        return Response(AgentUsageSerializer(agent_usage_kept(agent.pk, days=days)).data)


class NewestReward(NewestFirst):
    ordering = ("-number",)


class AgentHistoryView(generics.ListAPIView[AgentReward]):
    permission_classes = (IsViewer,)
    serializer_class = AgentRewardSerializer
    pagination_class = NewestReward

    def get_queryset(self) -> QuerySet[AgentReward]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return AgentReward.objects.none()
        agents = AgentProfile.objects.only("pk")
        return rewards(get_object_or_404(agents, pk=self.kwargs["pk"]))

    @extend_schema(
        summary="The agent's rewards and restorations, each with the mean reward, mean cost and "
        "count after it; newest first"
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class CurveQuery(serializers.Serializer[dict[str, int]]):
    points = serializers.IntegerField(default=CURVE_POINTS, min_value=2, max_value=MOST_POINTS)


class AgentCurveView(APIView):
    permission_classes = (IsViewer,)

    @extend_schema(
        parameters=[OpenApiParameter("points", int, default=CURVE_POINTS)],
        responses=AgentRewardSerializer(many=True),
        summary="The agent's rewards for a chart: at most `points` of them, evenly spread, "
        "oldest first",
    )
    def get(self, request: Request, pk: int) -> Response:
        query = CurveQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        agent = get_object_or_404(AgentProfile.objects.only("pk"), pk=pk)
        found = reward_curve(agent.pk, points=query.validated_data["points"])
        return Response(AgentRewardSerializer(found, many=True).data)


class CurvesQuery(serializers.Serializer[dict[str, Any]]):
    job = serializers.UUIDField(required=False, allow_null=True, default=None)
    most = serializers.IntegerField(default=AGENTS, min_value=1, max_value=MOST_AGENTS)
    points = serializers.IntegerField(default=CURVE_POINTS, min_value=2, max_value=CURVE_POINTS)


class AgentsCurvesView(generics.GenericAPIView[AgentProfile]):
    permission_classes = (IsViewer,)
    filterset_class = AgentFilter
    pagination_class = None

    def get_queryset(self) -> QuerySet[AgentProfile]:
        return selectors.agent_list()

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "job", UUID, description="A training; the curves then show only its own rewards"
            ),
            OpenApiParameter("most", int, default=AGENTS),
            OpenApiParameter("points", int, default=CURVE_POINTS),
        ],
        responses=AgentCurveSerializer(many=True),
        summary="Curves of mean reward (R), mean cost (C) and count (n) of several agents: with "
        "`job` the agents that it rewarded most, else the first in the requested order",
    )
    def get(self, request: Request) -> Response:
        query = CurvesQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        job_id = query.validated_data["job"]
        size = {name: query.validated_data[name] for name in ("most", "points")}
        agents = self.filter_queryset(self.get_queryset())
        if job_id is None:
            curves = live_curves(agents, **size)
        else:
            curves = job_curves(job_id, agents, **size)
        return Response(AgentCurveSerializer(curves, many=True).data)


class AgentsFillView(APIView):
    permission_classes = (IsCurator,)

    @extend_schema(
        request=FillWantedSerializer,
        responses=FilledSerializer,
        summary="Make an agent for each role of a pool on each endpoint; existing agents stay",
    )
    def post(self, request: Request) -> Response:
        wanted = FillWantedSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        data = wanted.validated_data
        filled = agents_fill(pool_key=data["pool"], endpoints=data.get("endpoints"))
        return Response(FilledSerializer(filled).data)
