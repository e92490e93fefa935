"""The agent database and its checkpoints: search, keep a snapshot, restore, compare."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.accounts.permissions import IsCurator, user_of
from apps.agents.admission import SEARCHES_PER_USER, searches
from apps.agents.differences import Difference, Differences, differences
from apps.agents.restoring import Restored
from apps.agents.searching import Answer, Suited, Wanted, agents_search
from apps.agents.snapshots import Kept, agents_restore, agents_snapshot, statistics_of
from apps.checkpoints.api.serializers import CHECKPOINT_NAME, CheckpointSerializer
from apps.common.serializers import Object, query_of, valid
from apps.llms.models import Endpoint
from apps.roles.models import Role
from workers.core.agents.database import Statistics
from workers.core.agents.scoring import EXPLORING, MOST_CANDIDATES, MOST_ENDPOINTS, Scoring

MOST_CHARS = 4_000
SETTINGS = ("threshold", "gate", "cost_weight", "exploration", "exploration_weight")


class SearchWantedSerializer(Object):
    """Without `checkpoint`, the search uses the live statistics. Other settings default to those at
    the start of a training (the preset `studio`), which explore; runs explore only if their config
    says so."""

    text = serializers.CharField(max_length=MOST_CHARS)
    pool = serializers.CharField(max_length=63)
    endpoints = serializers.ListField(
        child=serializers.CharField(max_length=63),
        required=False,
        max_length=MOST_ENDPOINTS,
        default=list,
        help_text="Keys; if left out, all endpoints with known agents",
    )
    checkpoint = serializers.RegexField(
        CHECKPOINT_NAME, required=False, allow_null=True, default=None
    )
    k = serializers.IntegerField(default=5, min_value=1, max_value=MOST_CANDIDATES)
    threshold = serializers.FloatField(default=EXPLORING.threshold, min_value=-1, max_value=1)
    gate = serializers.ChoiceField(choices=("heaviside", "sigmoid"), default=EXPLORING.gate)
    exploration = serializers.ChoiceField(choices=("paper", "log"), default=EXPLORING.exploration)
    exploration_weight = serializers.FloatField(
        default=EXPLORING.exploration_weight, min_value=0, max_value=1e3
    )
    cost_weight = serializers.FloatField(default=EXPLORING.cost_weight, min_value=0, max_value=1e6)

    def wanted(self) -> Wanted:
        data = self.validated_data
        return Wanted(
            text=data["text"],
            pool=data["pool"],
            endpoints=tuple(dict.fromkeys(data["endpoints"])),
            k=data["k"],
            scoring=Scoring(**{name: data[name] for name in SETTINGS}),
        )


class CandidateSerializer(serializers.Serializer[Suited]):
    agent = serializers.IntegerField(allow_null=True, help_text="Id among the live agents")
    role_key = serializers.CharField(source="candidate.role.key")
    role_name = serializers.CharField(source="candidate.role.name")
    family = serializers.CharField(source="candidate.role.family")
    endpoint = serializers.CharField(source="candidate.endpoint")
    endpoint_name = serializers.CharField(allow_blank=True)
    reward = serializers.FloatField(source="candidate.statistics.reward")
    cost = serializers.FloatField(source="candidate.statistics.cost")
    count = serializers.IntegerField(source="candidate.statistics.count")
    inner_product = serializers.FloatField(source="candidate.inner_product")
    similarity = serializers.FloatField(
        source="candidate.similarity",
        help_text="How well the agent suits the subtask: the gate, 0 to 1",
    )
    performance = serializers.FloatField(source="candidate.performance", help_text="R − β·C")
    exploration = serializers.FloatField(source="candidate.exploration")
    score = serializers.FloatField(
        source="candidate.score", help_text="similarity × performance + exploration"
    )


class SearchSerializer(serializers.Serializer[Answer]):
    candidates = CandidateSerializer(many=True)
    agents = serializers.IntegerField(help_text="Number of agents that were searched")
    selections = serializers.IntegerField(
        help_text="Number of rewarded tasks of all agents so far (N)"
    )
    nearest = serializers.FloatField(help_text="The highest inner product")
    threshold = serializers.FloatField()
    reached = serializers.BooleanField(help_text="Whether any agent reached the threshold")


class AgentsSearchView(APIView):
    @extend_schema(
        request=SearchWantedSerializer,
        responses=SearchSerializer,
        summary="Search the agents that a run would pick for a subtask, with reasons; 503 if no "
        "worker embeds its text, 429 if you have too many searches in progress",
    )
    def post(self, request: Request) -> Response:
        asked = valid(SearchWantedSerializer(data=request.data))
        wanted = asked.wanted()
        with searches.counted(user_of(request).pk, SEARCHES_PER_USER):
            known = statistics_of(asked.validated_data["checkpoint"], pool_key=wanted.pool)
            return Response(SearchSerializer(agents_search(wanted, known)).data)


class SnapshotWantedSerializer(Object):
    pool = serializers.CharField(max_length=63)
    label = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class AgentsSnapshotView(APIView):
    permission_classes = (IsCurator,)

    @extend_schema(
        request=SnapshotWantedSerializer,
        responses={201: CheckpointSerializer},
        summary="Save the live statistics of a pool's agents as a checkpoint of ReSo",
    )
    def post(self, request: Request) -> Response:
        data = valid(SnapshotWantedSerializer(data=request.data)).validated_data
        made = agents_snapshot(pool_key=data["pool"], label=data["label"], by=user_of(request))
        return Response(CheckpointSerializer(made).data, status=status.HTTP_201_CREATED)


class RestoreWantedSerializer(Object):
    pool = serializers.CharField(max_length=63)
    checkpoint = serializers.RegexField(CHECKPOINT_NAME)
    keep = serializers.BooleanField(
        default=True, help_text="First save the statistics that are replaced as a snapshot"
    )


class RestoredSerializer(serializers.Serializer[Restored]):
    agents = serializers.IntegerField()
    changed = serializers.IntegerField()
    cleared = serializers.IntegerField(
        help_text="Changed agents that the checkpoint does not have; they count as new agents now"
    )
    new = serializers.IntegerField()
    gone = serializers.IntegerField(
        help_text="Agents of the checkpoint whose role or endpoint does not exist here"
    )


class KeptSerializer(serializers.Serializer[Kept]):
    restored = RestoredSerializer()
    before = serializers.SerializerMethodField(
        help_text="Name of the snapshot of the replaced statistics"
    )

    def get_before(self, kept: Kept) -> str | None:
        return None if kept.before is None else kept.before.name


class AgentsRestoreView(APIView):
    permission_classes = (IsCurator,)

    @extend_schema(
        request=RestoreWantedSerializer,
        responses=KeptSerializer,
        summary="Restore a pool's live agent statistics from a checkpoint",
    )
    def post(self, request: Request) -> Response:
        data = valid(RestoreWantedSerializer(data=request.data)).validated_data
        kept = agents_restore(
            pool_key=data["pool"],
            checkpoint=data["checkpoint"],
            keep=data["keep"],
            by=user_of(request),
        )
        return Response(KeptSerializer(kept).data)


class StatisticsSerializer(serializers.Serializer[Statistics]):
    reward = serializers.FloatField()
    cost = serializers.FloatField()
    count = serializers.IntegerField()


class DifferenceSerializer(serializers.Serializer[Difference]):
    """Names come with the context; "" for what no longer exists."""

    role_key = serializers.CharField(source="key.role")
    role_name = serializers.SerializerMethodField()
    endpoint = serializers.CharField(source="key.endpoint")
    endpoint_name = serializers.SerializerMethodField()
    left = StatisticsSerializer(allow_null=True)
    right = StatisticsSerializer(allow_null=True)
    change = StatisticsSerializer(allow_null=True, help_text="right − left")

    def get_role_name(self, row: Difference) -> str:
        return str(self.context["roles"].get(row.key.role, ""))

    def get_endpoint_name(self, row: Difference) -> str:
        return str(self.context["endpoints"].get(row.key.endpoint, ""))


class DifferencesSerializer(serializers.Serializer[Differences]):
    rows = DifferenceSerializer(many=True)
    count = serializers.IntegerField()
    only_left = serializers.IntegerField()
    only_right = serializers.IntegerField()


class CompareQuery(Object):
    left = serializers.RegexField(CHECKPOINT_NAME, help_text="Name of a checkpoint")
    right = serializers.RegexField(
        CHECKPOINT_NAME,
        required=False,
        help_text="Name of another checkpoint; if left out, the live agents",
    )
    pool = serializers.CharField(max_length=63, help_text="Pool of the live agents")


class AgentsCompareView(APIView):
    @extend_schema(
        parameters=[CompareQuery],
        responses=DifferencesSerializer,
        summary="Compare the mean reward (R), mean cost (C) and count (n) of each agent; the "
        "largest change of R first",
    )
    def get(self, request: Request) -> Response:
        asked = query_of(CompareQuery, request)
        pool, sides = asked["pool"], (asked["left"], asked.get("right"))
        found = differences(*(statistics_of(side, pool_key=pool) for side in sides))
        context = _names(pool, found.rows)
        return Response(DifferencesSerializer(found, context=context).data)


def _names(pool: str, rows: Iterable[Difference]) -> dict[str, Any]:
    keys = {row.key for row in rows}
    roles = Role.stored.filter(pool__key=pool, key__in={key.role for key in keys})
    endpoints = Endpoint.objects.filter(key__in={key.endpoint for key in keys})
    return {
        "roles": dict(roles.values_list("key", "name")),
        "endpoints": dict(endpoints.values_list("key", "name")),
    }
