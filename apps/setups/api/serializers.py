"""Methods and budgets in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.common.serializers import Object, Row, RowSerializer
from apps.setups.wanted import MAX_REPLY_TOKENS
from workers.core.specs import Budget, SystemBudget

DEFAULT_BUDGET = Budget().model_dump()
MAX_COST = 1_000_000.0
MAX_SECONDS = 3_600.0
MAX_TOKENS = 10_000_000


class BudgetSerializer(RowSerializer):
    max_tokens = serializers.IntegerField()
    max_cost = serializers.FloatField(allow_null=True)
    max_seconds = serializers.FloatField()
    max_completion_tokens_per_call = serializers.IntegerField()

    def to_representation(self, instance: Row) -> Row:
        """A run that was stored before a limit existed shows the default of that limit."""
        return super().to_representation({**DEFAULT_BUDGET, **instance})


@extend_schema_serializer(component_name="Budget")
class BudgetWantedSerializer(serializers.Serializer[dict[str, Any]]):
    """A field that is left out takes its default."""

    max_tokens = serializers.IntegerField(min_value=1, max_value=MAX_TOKENS, required=False)
    max_cost = serializers.FloatField(
        min_value=0, max_value=MAX_COST, required=False, allow_null=True, help_text="USD"
    )
    max_seconds = serializers.FloatField(min_value=0.1, max_value=MAX_SECONDS, required=False)
    max_completion_tokens_per_call = serializers.IntegerField(
        min_value=1,
        max_value=MAX_REPLY_TOKENS,
        required=False,
        help_text="Limit for one reply; at most half of the endpoint's context. A method may have "
        "a default of its own for small models.",
    )


@extend_schema_serializer(component_name="SystemBudgetWanted")
class SystemBudgetWantedSerializer(BudgetWantedSerializer):
    """The limit on time is wider, because each of many systems waits for the endpoint together with
    the others."""

    max_seconds = serializers.FloatField(
        min_value=0.1, max_value=SystemBudget().max_seconds, required=False
    )


class MethodSerializer(Object):
    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    source = serializers.CharField()
    needs_pool = serializers.BooleanField()
    needs_design = serializers.BooleanField(help_text="Runs a graph that a person drew")
    is_default = serializers.BooleanField(help_text="Used by requests that name no method")
    learns = serializers.BooleanField()
    keeps_agents = serializers.BooleanField(
        help_text="Its trainings reward agents, and its checkpoints may contain an agent database"
    )
    own_endpoint = serializers.CharField(
        allow_null=True,
        help_text="The endpoint of a run with a checkpoint that names none; null: the default one",
    )
    small_reply_tokens = serializers.IntegerField(
        allow_null=True,
        help_text="Default limit for one reply of a model below a billion parameters. Null: the "
        "studio's default",
    )
    has_default_checkpoint = serializers.BooleanField(
        help_text="Runs that name no checkpoint use one all the same"
    )
    config_schema = serializers.DictField(help_text="JSON Schema of `method_config`")
