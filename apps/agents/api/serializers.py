"""Agents in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.agents.curves import Point, mean_interval
from apps.agents.filling import Filled
from apps.agents.models import AgentProfile, AgentReward
from apps.agents.usage import AgentUsage, Period
from apps.roles.api.findings import FiguresSerializer
from apps.roles.models import NOT_FOR_SMALL_MODELS
from apps.roles.usage import Figures
from workers.core.agents.scoring import MOST_ENDPOINTS
from workers.core.specs import MEMORY_MAX_CHARS, PROMPT_MAX_CHARS


class AgentFiguresSerializer(FiguresSerializer):
    refused = serializers.IntegerField()
    failed = serializers.IntegerField()
    seconds = serializers.FloatField(allow_null=True, help_text="Mean per agent")


class AgentSerializer(serializers.ModelSerializer[AgentProfile]):
    endpoint = serializers.SlugRelatedField[AgentProfile](slug_field="key", read_only=True)
    endpoint_name = serializers.CharField(source="endpoint.name", read_only=True)
    model = serializers.CharField(source="endpoint.model", read_only=True)
    pool = serializers.CharField(source="role.pool.key", read_only=True)
    pool_name = serializers.CharField(source="role.pool.name", read_only=True)
    role_key = serializers.CharField(source="role.key", read_only=True)
    role_name = serializers.CharField(source="role.name", read_only=True)
    family = serializers.CharField(source="role.family", read_only=True)

    class Meta:
        model = AgentProfile
        fields: tuple[str, ...] = (
            *("id", "endpoint", "endpoint_name", "model", "pool", "pool_name", "role_key"),
            *("role_name", "family", "tools", "reward", "cost", "count", "recorded", "created_at"),
            "updated_at",
        )
        read_only_fields = fields


class AgentListedSerializer(AgentSerializer):
    """`usage` by id comes with the context, because it is read once for a page."""

    usage = serializers.SerializerMethodField()

    class Meta(AgentSerializer.Meta):
        fields = (*AgentSerializer.Meta.fields, "usage")
        read_only_fields = fields

    @extend_schema_field(AgentFiguresSerializer)
    def get_usage(self, agent: AgentProfile) -> dict[str, Any]:
        figures = self.context["usage"].get(agent.pk, Figures())
        return AgentFiguresSerializer(figures).data


class AgentDetailSerializer(AgentSerializer):
    prompt = serializers.SerializerMethodField(
        help_text="The agent's own prompt, or else its role's prompt"
    )
    has_own_prompt = serializers.SerializerMethodField()
    role_prompt = serializers.CharField(source="role.prompt", read_only=True)
    description = serializers.CharField(source="role.description", read_only=True)
    capabilities = serializers.ListField(
        source="role.capabilities", child=serializers.CharField(), read_only=True
    )
    output_form = serializers.CharField(source="role.output_form", read_only=True)
    refuse_condition = serializers.CharField(
        source="role.refuse_condition", read_only=True, help_text=NOT_FOR_SMALL_MODELS
    )
    role_version = serializers.IntegerField(source="role.version", read_only=True)
    role_removed = serializers.BooleanField(source="role.removed", read_only=True)
    endpoint_enabled = serializers.BooleanField(source="endpoint.enabled", read_only=True)
    prompt_price = serializers.FloatField(
        source="endpoint.prompt_price", allow_null=True, read_only=True
    )
    completion_price = serializers.FloatField(
        source="endpoint.completion_price", allow_null=True, read_only=True
    )
    embedded = serializers.BooleanField(
        read_only=True, help_text="Methods that look for agents by similarity can find it"
    )

    class Meta(AgentSerializer.Meta):
        fields = (
            *AgentSerializer.Meta.fields,
            *("prompt", "has_own_prompt", "role_prompt", "memory", "edited_at", "edited_by"),
            *("description", "capabilities", "output_form", "refuse_condition", "role_version"),
            *("role_removed", "endpoint_enabled", "prompt_price", "completion_price", "embedded"),
        )
        read_only_fields = fields

    def get_prompt(self, agent: AgentProfile) -> str:
        return agent.prompt or agent.role.prompt

    def get_has_own_prompt(self, agent: AgentProfile) -> bool:
        return bool(agent.prompt)


class OwnProfileSerializer(serializers.Serializer[dict[str, str]]):
    prompt = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=PROMPT_MAX_CHARS,
        help_text="Replaces the prompt of the role; if empty, the prompt of the role is used",
    )
    memory = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=MEMORY_MAX_CHARS,
        help_text="Sent after the prompt",
    )


class AgentRewardSerializer(serializers.ModelSerializer[AgentReward]):
    interval = serializers.SerializerMethodField()

    class Meta:
        model = AgentReward
        fields = (
            *("number", "at", "run", "job", "step", "restored_from", "restored_by", "reward"),
            *("cost", "mean_reward", "mean_cost", "count", "interval"),
        )
        read_only_fields = fields

    @extend_schema_field(
        serializers.ListField(
            child=serializers.FloatField(),
            allow_null=True,
            help_text="Interval of the mean reward R, at 95%",
        )
    )
    def get_interval(self, reward: AgentReward) -> tuple[float, float] | None:
        return mean_interval(reward.mean_reward, reward.count)


class AgentPointSerializer(serializers.Serializer[Point]):
    at = serializers.DateTimeField()
    step = serializers.IntegerField(
        allow_null=True, help_text="Step of the training that the request names"
    )
    number = serializers.IntegerField()
    count = serializers.IntegerField()
    mean_reward = serializers.FloatField()
    mean_cost = serializers.FloatField()
    interval = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="Interval of the mean reward R, at 95%",
    )
    restored_from = serializers.CharField(allow_blank=True)


class AgentCurveSerializer(serializers.Serializer[Any]):
    agent = AgentSerializer()
    rewarded = serializers.IntegerField(
        help_text="Number of rewards (n), of all time or of the training"
    )
    points = AgentPointSerializer(many=True)


class FillWantedSerializer(serializers.Serializer[dict[str, Any]]):
    pool = serializers.CharField(max_length=63)
    endpoints = serializers.ListField(
        child=serializers.CharField(max_length=63),
        required=False,
        allow_null=True,
        min_length=1,
        max_length=MOST_ENDPOINTS,
        help_text="Keys; if left out, all enabled endpoints",
    )


class FilledSerializer(serializers.Serializer[Filled]):
    roles = serializers.IntegerField()
    endpoints = serializers.IntegerField()
    agents = serializers.IntegerField(help_text="Roles × endpoints")
    new = serializers.IntegerField(
        help_text="Agents that were made now; the others stay as they are"
    )
    waiting = serializers.IntegerField(
        help_text="Agents that are not embedded yet; this takes some seconds"
    )


class PeriodSerializer(serializers.Serializer[Period]):
    start = serializers.DateField()
    figures = AgentFiguresSerializer()


class AgentUsageSerializer(serializers.Serializer[AgentUsage]):
    days = serializers.IntegerField()
    step = serializers.ChoiceField(choices=("day", "week"))
    total = AgentFiguresSerializer()
    over_time = PeriodSerializer(many=True)
