"""Agent profiles, what they learned and what they did."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import CuratorWrites, IsCurator, user_of
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
from apps.agents.history import CURVE_POINTS, MOST_POINTS, reward_curve
from apps.agents.models import AgentProfile, AgentReward
from apps.agents.own import profile_update
from apps.agents.usage import agent_usage_kept, agents_figures_kept
from apps.common.pagination import AfterPlace, NewestFirst
from apps.common.serializers import query_of, valid
from apps.roles.api.findings import UsageQuery


class AgentsView(generics.ListAPIView[AgentProfile]):
    serializer_class = AgentListedSerializer
    pagination_class = AfterPlace
    filterset_class = AgentFilter
    queryset = selectors.agent_list()

    @extend_schema(
        parameters=[UsageQuery], summary="List agents with their usage, which is up to a minute old"
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        days = query_of(UsageQuery, request)["days"]
        agents = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        usage = agents_figures_kept([agent.pk for agent in agents], days=days)
        rows = self.get_serializer(agents, many=True, context={"usage": usage})
        return self.get_paginated_response(rows.data)


class AgentView(generics.RetrieveAPIView[AgentProfile]):
    permission_classes = (CuratorWrites,)
    serializer_class = AgentDetailSerializer
    queryset = selectors.agent_details()

    @extend_schema(
        request=OwnProfileSerializer,
        responses=AgentDetailSerializer,
        summary="Set the agent's own prompt or memory, for what starts from now on",
    )
    def patch(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        wanted = valid(OwnProfileSerializer(data=request.data))
        agent = self.get_object()
        profile_update(agent=agent, values=dict(wanted.validated_data), by=user_of(request))
        return Response(self.get_serializer(agent).data)


class AgentUsageView(APIView):
    @extend_schema(
        parameters=[UsageQuery],
        responses=AgentUsageSerializer,
        summary="What the agent did in runs, in total and over time; up to a minute old",
    )
    def get(self, request: Request, pk: int) -> Response:
        agent = get_object_or_404(AgentProfile.objects.only("pk"), pk=pk)
        usage = agent_usage_kept(agent.pk, **query_of(UsageQuery, request))
        return Response(AgentUsageSerializer(usage).data)


class NewestReward(NewestFirst):
    ordering = ("-number",)


@extend_schema_view(
    get=extend_schema(
        summary="The agent's rewards and restorations, each with the mean reward, mean cost and "
        "count after it; newest first"
    )
)
class AgentHistoryView(generics.ListAPIView[AgentReward]):
    serializer_class = AgentRewardSerializer
    pagination_class = NewestReward

    def get_queryset(self) -> QuerySet[AgentReward]:
        if getattr(self, "swagger_fake_view", False):  # the API's document asks no database
            return AgentReward.objects.none()
        agents = AgentProfile.objects.only("pk")
        return get_object_or_404(agents, pk=self.kwargs["pk"]).rewards.all()


class CurveQuery(serializers.Serializer[dict[str, int]]):
    points = serializers.IntegerField(default=CURVE_POINTS, min_value=2, max_value=MOST_POINTS)


class AgentCurveView(APIView):
    @extend_schema(
        parameters=[CurveQuery],
        responses=AgentRewardSerializer(many=True),
        summary="The agent's rewards for a chart: at most `points` of them, evenly spread, "
        "oldest first",
    )
    def get(self, request: Request, pk: int) -> Response:
        agent = get_object_or_404(AgentProfile.objects.only("pk"), pk=pk)
        found = reward_curve(agent.pk, **query_of(CurveQuery, request))
        return Response(AgentRewardSerializer(found, many=True).data)


class CurvesQuery(serializers.Serializer[dict[str, Any]]):
    job = serializers.UUIDField(
        required=False, help_text="A training; the curves then show only its own rewards"
    )
    most = serializers.IntegerField(default=AGENTS, min_value=1, max_value=MOST_AGENTS)
    points = serializers.IntegerField(default=CURVE_POINTS, min_value=2, max_value=CURVE_POINTS)


class AgentsCurvesView(generics.GenericAPIView[AgentProfile]):
    filterset_class = AgentFilter
    pagination_class = None
    queryset = selectors.agent_list()

    @extend_schema(
        parameters=[CurvesQuery],
        responses=AgentCurveSerializer(many=True),
        summary="Curves of mean reward (R), mean cost (C) and count (n) of several agents: with "
        "`job` the agents that it rewarded most, else the first in the requested order",
    )
    def get(self, request: Request) -> Response:
        size = query_of(CurvesQuery, request)
        job_id = size.pop("job", None)
        agents = self.filter_queryset(self.get_queryset())
        if job_id is None:
            curves = live_curves(agents, **size)
        else:
            get_object_or_404(AgentReward.job.field.related_model, pk=job_id)
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
        data = valid(FillWantedSerializer(data=request.data)).validated_data
        filled = agents_fill(pool_key=data["pool"], endpoints=data.get("endpoints"))
        return Response(FilledSerializer(filled).data)
