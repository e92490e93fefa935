"""Runs on the wire."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

from drf_spectacular.utils import extend_schema_serializer
from pydantic import BaseModel
from pydantic import ValidationError as PydanticValidationError
from rest_framework import serializers

from apps.common.errors import ApplicationError
from apps.common.seeds import SEED_LIMIT
from apps.common.serializers import FailureSerializer, NameOrNull, Object, Row, RowSerializer
from apps.runs.control import Continuation
from apps.runs.models import Run
from apps.runs.requests import ForkRequest, RunRequest
from apps.setups.api.serializers import DEFAULT_BUDGET, BudgetSerializer, BudgetWantedSerializer
from workers.core.designs.spec import MAX_AGENTS
from workers.core.specs import SMALL_BELOW, Budget, SizeSource, most_reply_tokens

M = TypeVar("M", bound=BaseModel)
STATUSES = Run.Status.choices
AGENT_ID = r"^[A-Za-z0-9_-]{1,64}$"


class AgentIds(serializers.ListField):
    """Ids of agents of a graph."""

    child = serializers.RegexField(AGENT_ID)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": MAX_AGENTS, **kwargs})


@extend_schema_serializer(component_name="Run")
class RunWantedSerializer(serializers.Serializer[RunRequest]):
    """A question. Without `endpoint`, `pool` or `seed` the studio's defaults are recorded."""

    query = serializers.CharField(trim_whitespace=False, allow_blank=True)
    reference = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        trim_whitespace=False,
        help_text="the expected answer, by which this run's is judged",
    )
    verifier = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=63,
        help_text="numeric, latex or exact; without it a number is compared as one, anything "
        "else as a text",
    )
    judged_as = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="a run: this one is judged as that was, by its reference, tests or choices",
    )
    task = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        help_text="a dataset's task, which the query is: with its reference, verifier and all that "
        "the dataset knows of it, such as its task graph",
    )
    method = serializers.CharField(
        max_length=63, required=False, help_text="left out: the studio's default"
    )
    method_config = serializers.DictField(required=False)
    endpoint = serializers.CharField(required=False, allow_null=True, max_length=63)
    pool = serializers.CharField(required=False, allow_null=True, max_length=63)
    seed = serializers.IntegerField(
        min_value=0, max_value=SEED_LIMIT - 1, required=False, allow_null=True
    )
    budget = BudgetWantedSerializer(required=False)
    checkpoint = serializers.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$", required=False, allow_null=True
    )
    design = serializers.UUIDField(
        required=False, allow_null=True, help_text="what the method “design” runs"
    )
    design_version = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="null: the draft as it is now"
    )
    breakpoints = AgentIds(required=False, help_text="agents of the design before which it stops")
    step = serializers.BooleanField(required=False, help_text="stop before every agent")

    def request(self) -> RunRequest:
        data = dict(self.validated_data)
        budget = Budget(**data.pop("budget", {}))
        return RunRequest(**data, budget=budget)


class ContinuationSerializer(serializers.Serializer[Continuation]):
    """Without `agents` all that wait may start, of a step the first of them."""

    mode = serializers.ChoiceField(
        choices=("go_on", "step", "to_end", "say"),
        required=False,
        help_text="to the next breakpoint, one agent more, past every breakpoint, or no further "
        "than `messages` lead",
    )
    agents = AgentIds(required=False, allow_null=True)
    messages = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, allow_blank=True),
        required=False,
        help_text="what persons say, by agent",
    )

    def continuation(self) -> Continuation:
        return _read(Continuation, self.validated_data)


class ForkWantedSerializer(serializers.Serializer[ForkRequest]):
    """`messages`: what agents are to have said instead. Whoever reads them is asked anew."""

    messages = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, allow_blank=True), required=False
    )
    breakpoints = AgentIds(
        required=False, help_text="left out: those of the run that it goes on from"
    )
    step = serializers.BooleanField(required=False)

    def request(self) -> ForkRequest:
        return _read(ForkRequest, self.validated_data)


def _read(model: type[M], data: dict[str, Any]) -> M:
    """What DRF does not check, such as the keys of an object. Raises ApplicationError."""
    try:
        return model.model_validate(data)
    except PydanticValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error


class UsageSerializer(RowSerializer):
    """null is unknown, never 0. `cost` in USD."""

    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    cost = serializers.FloatField(allow_null=True)


class RunGraphNodeSerializer(serializers.Serializer[dict[str, Any]]):
    id = serializers.CharField()
    role_key = serializers.CharField()
    role_name = serializers.CharField()
    family = serializers.CharField()


class RunGraphEdgeSerializer(Object):
    source = serializers.CharField()
    target = serializers.CharField()


class RunGraphSerializer(serializers.Serializer[dict[str, Any]]):
    nodes = RunGraphNodeSerializer(many=True)
    edges = RunGraphEdgeSerializer(many=True)


class AnnotationSerializer(Object):
    """What one person notes about a run."""

    author = serializers.CharField()
    score = serializers.IntegerField(allow_null=True, help_text="1 to 5")
    label = serializers.CharField(allow_blank=True)
    comment = serializers.CharField(allow_blank=True)
    updated_at = serializers.DateTimeField()


class RunSummarySerializer(RowSerializer):
    """A run in a list: `query`, `answer` and comments are cut at 300 characters."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=STATUSES)
    attempt = serializers.IntegerField()
    max_attempts = serializers.IntegerField()
    method = serializers.CharField()
    method_config = serializers.DictField(source="options", help_text="without a design's graph")
    endpoint = serializers.CharField(source="endpoint_key")
    pool = serializers.CharField(source="pool_version__key", allow_null=True)
    pool_version = serializers.IntegerField(source="pool_version__version", allow_null=True)
    checkpoint = NameOrNull(allow_null=True)
    seed = serializers.IntegerField()
    query = serializers.CharField(source="query_start")
    reference = serializers.CharField(source="reference_start", allow_null=True)
    answer = serializers.CharField(source="answer_start", allow_null=True)
    correct = serializers.BooleanField(
        allow_null=True, help_text="what the task's verifier said; null: not judged"
    )
    reward = serializers.FloatField(allow_null=True, help_text="from 0 to 1; null: not judged")
    failure = FailureSerializer(allow_null=True)
    agent_count = serializers.IntegerField(allow_null=True)
    usage = UsageSerializer(source="*")
    seconds = serializers.FloatField(allow_null=True)
    replies = serializers.IntegerField(
        allow_null=True, help_text="answers that models gave in it; null: unknown"
    )
    cut_replies = serializers.IntegerField(
        allow_null=True, help_text="of the replies, those cut at their token limit; null: unknown"
    )
    cut_agents = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="whose replies were cut: agents of the graph, or “planner”; null: unknown",
    )
    final_cut = serializers.BooleanField(
        allow_null=True,
        help_text="whether the run's answer is from a cut reply; null: unknown, or no answer",
    )
    created_by = serializers.CharField(source="created_by__username", allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    cancel_requested_at = serializers.DateTimeField(allow_null=True)
    retry_of = serializers.UUIDField(source="retry_of_id", allow_null=True)
    fork_of = serializers.UUIDField(
        source="fork_of_id", allow_null=True, help_text="whose messages it took over"
    )
    design = serializers.UUIDField(source="design_id", allow_null=True)
    design_name = serializers.CharField(source="design__name", allow_null=True)
    design_version = serializers.IntegerField(
        allow_null=True, help_text="null: its draft as it was, or no design"
    )
    evaluation = serializers.UUIDField(source="evaluation_id", allow_null=True)
    budget = BudgetSerializer()
    annotations = AnnotationSerializer(source="notes", many=True)


class RunModelSerializer(serializers.Serializer[Row]):
    """The model that the run asks, as its endpoint was set up then."""

    name = serializers.CharField()
    context_length = serializers.IntegerField(allow_null=True)
    parameters = serializers.IntegerField(allow_null=True, help_text="null: unknown")
    parameters_from = serializers.ChoiceField(
        choices=get_args(SizeSource), help_text="name: guessed from the model's name"
    )
    is_small = serializers.BooleanField(
        allow_null=True,
        help_text="whether it read short prompts, without refuse conditions and tools in text; "
        "null: an older run, which did not store it",
    )
    reply_tokens = serializers.IntegerField(
        help_text="what one reply might have: the budget's limit, or half of a shorter context"
    )

    def to_representation(self, instance: Row) -> Any:
        if "endpoint_spec" not in instance:
            return None
        spec = instance["endpoint_spec"] or {}
        context = spec.get("context_length")
        budget = {**DEFAULT_BUDGET, **instance["budget"]}
        allowed = budget["max_completion_tokens_per_call"]
        most = allowed if context is None else most_reply_tokens(context)
        parameters = spec.get("parameters")
        return {
            "name": spec.get("model", ""),
            "context_length": context,
            "parameters": parameters,
            "parameters_from": spec.get("parameters_from", ""),
            "is_small": (parameters or SMALL_BELOW) < SMALL_BELOW if "parameters" in spec else None,
            "reply_tokens": min(allowed, most),
        }


class RunSerializer(RunSummarySerializer):
    asked_model = RunModelSerializer(
        source="*", allow_null=True, help_text="null: not told to strangers"
    )
    method_config = serializers.DictField()
    query = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    answer = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)
    graph = RunGraphSerializer(allow_null=True)
    evaluation_name = serializers.CharField(source="evaluation__name", allow_null=True)
    task_index = serializers.IntegerField(
        source="result__task__index",
        allow_null=True,
        help_text="its task's place in the split; null: asked by a person, or answered again since",
    )


class EventEnvelopeSerializer(serializers.Serializer[dict[str, Any]]):
    """`id` is `attempt.seq`; `event` is one of the union in `generated/events`."""

    attempt = serializers.IntegerField()
    seq = serializers.IntegerField()
    id = serializers.CharField()
    event = serializers.DictField()


class EventPageSerializer(serializers.Serializer[dict[str, Any]]):
    """`next_after`: ask again after this id; null when nothing came. `ended`: the run has ended
    and this page reaches its end."""

    results = EventEnvelopeSerializer(many=True)
    next_after = serializers.CharField(allow_null=True)
    ended = serializers.BooleanField()
