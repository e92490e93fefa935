"""Runs in the API."""

from typing import Any, TypeVar, get_args

from django.conf import settings
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
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
from workers.core.specs import SMALL_BELOW, AnswerForm, Budget, SizeSource, most_reply_tokens
from workers.core.tools.attachments import FILES_MAX, FILES_MAX_BYTES, attached_files

M = TypeVar("M", bound=BaseModel)
STATUSES = Run.Status.choices
AGENT_ID = r"^[A-Za-z0-9_-]{1,64}$"


class AgentIds(serializers.ListField):
    """Ids of agents of a graph."""

    child = serializers.RegexField(AGENT_ID)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": MAX_AGENTS, **kwargs})


class FileWantedSerializer(serializers.Serializer[dict[str, str]]):
    """A file that agents may read: its name, and its text, or its content in base64."""

    name = serializers.CharField(max_length=120)
    text = serializers.CharField(required=False, allow_blank=True, trim_whitespace=False)
    content = serializers.CharField(required=False)


@extend_schema_serializer(component_name="Run")
class RunWantedSerializer(serializers.Serializer[RunRequest]):
    """A question. Without `endpoint`, `pool` or `seed`, the run records the studio's defaults."""

    query = serializers.CharField(trim_whitespace=False, allow_blank=True)
    reference = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        trim_whitespace=False,
        help_text="The expected answer, which the run's answer is compared with",
    )
    verifier = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=63,
        help_text="numeric, latex, exact or gaia. If left out, a number is compared as a number, "
        "and other answers as text.",
    )
    judged_as = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="Another run. This run is judged in the same way, by its reference, tests or "
        "choices.",
    )
    task = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        help_text="A task of a dataset with this query. The run uses its reference, its verifier "
        "and all else that the dataset knows of it, such as its task graph.",
    )
    files = FileWantedSerializer(
        many=True,
        required=False,
        help_text="Small files that agents may read with the tool read_file. The whole request has "
        "at most 4 MB.",
    )
    uploads = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        max_length=FILES_MAX,
        help_text="Files that you sent to `/api/uploads`, by their ids. With `files`, at most "
        f"{FILES_MAX}, and {FILES_MAX_BYTES / 1e6:.0f} MB together.",
    )
    method = serializers.CharField(
        max_length=63, required=False, help_text="If left out, the studio's default"
    )
    method_config = serializers.DictField(required=False)
    endpoint = serializers.CharField(required=False, allow_null=True, max_length=63)
    pool = serializers.CharField(required=False, allow_null=True, max_length=63)
    seed = serializers.IntegerField(
        min_value=0, max_value=SEED_LIMIT - 1, required=False, allow_null=True
    )
    budget = BudgetWantedSerializer(required=False)
    checkpoint = serializers.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$",
        required=False,
        allow_null=True,
        help_text="“untrained”: the method as it is before any training",
    )
    design = serializers.UUIDField(
        required=False, allow_null=True, help_text="The design that the method “design” runs"
    )
    design_version = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="Null: the draft as it is now"
    )
    breakpoints = AgentIds(
        required=False, help_text="The run stops before these agents of the design"
    )
    step = serializers.BooleanField(required=False, help_text="Stop before every agent")

    def request(self) -> RunRequest:
        data = dict(self.validated_data)
        budget = Budget(**data.pop("budget", {}))
        return RunRequest(**data, budget=budget)


class ContinuationSerializer(serializers.Serializer[Continuation]):
    """Without `agents`, all waiting agents may start; with the mode `step`, only the first one."""

    mode = serializers.ChoiceField(
        choices=("go_on", "step", "to_end", "say"),
        required=False,
        help_text="go_on: to the next breakpoint. step: one more agent. to_end: past every "
        "breakpoint. say: only as far as `messages` lead.",
    )
    agents = AgentIds(required=False, allow_null=True)
    messages = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, allow_blank=True),
        required=False,
        help_text="Messages that people write, by agent",
    )

    def continuation(self) -> Continuation:
        return _read(Continuation, self.validated_data)


class ForkWantedSerializer(serializers.Serializer[ForkRequest]):
    """`messages` replace what agents said. Agents that read them are asked again."""

    messages = serializers.DictField(
        child=serializers.CharField(trim_whitespace=False, allow_blank=True), required=False
    )
    breakpoints = AgentIds(
        required=False, help_text="If left out, the breakpoints of the original run"
    )
    step = serializers.BooleanField(required=False)

    def request(self) -> ForkRequest:
        return _read(ForkRequest, self.validated_data)


def _read(model: type[M], data: dict[str, Any]) -> M:
    """Checks what DRF does not check, such as the keys of an object. Raises ApplicationError."""
    try:
        return model.model_validate(data)
    except PydanticValidationError as error:
        raise ApplicationError.from_pydantic(error, prefix="") from error


class UsageSerializer(RowSerializer):
    """null means unknown, never 0. `cost` is in USD."""

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
    """One person's note on a run."""

    author = serializers.CharField()
    score = serializers.IntegerField(allow_null=True, help_text="Score from 1 to 5")
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
    method_config = serializers.DictField(
        source="options", help_text="Without the graph of a design"
    )
    endpoint = serializers.CharField(source="endpoint_key")
    pool = serializers.CharField(source="pool_version__key", allow_null=True)
    pool_version = serializers.IntegerField(source="pool_version__version", allow_null=True)
    checkpoint = NameOrNull(allow_null=True)
    seed = serializers.IntegerField()
    query = serializers.CharField(source="query_start")
    reference = serializers.CharField(source="reference_start", allow_null=True)
    answer = serializers.CharField(source="answer_start", allow_null=True)
    correct = serializers.BooleanField(
        allow_null=True, help_text="Verdict of the task's verifier. Null: not judged"
    )
    reward = serializers.FloatField(allow_null=True, help_text="From 0 to 1. Null: not judged")
    failure = FailureSerializer(allow_null=True)
    agent_count = serializers.IntegerField(allow_null=True)
    usage = UsageSerializer(source="*")
    seconds = serializers.FloatField(allow_null=True)
    replies = serializers.IntegerField(
        allow_null=True, help_text="Number of replies of models. Null: unknown"
    )
    cut_replies = serializers.IntegerField(
        allow_null=True,
        help_text="Number of replies that were cut at their token limit. Null: unknown",
    )
    cut_agents = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Who got cut replies: agents of the graph, or “planner”. Null: unknown",
    )
    final_cut = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the run's answer comes from a cut reply. Null: unknown, or no answer",
    )
    created_by = serializers.CharField(source="created_by__username", allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    cancel_requested_at = serializers.DateTimeField(allow_null=True)
    retry_of = serializers.UUIDField(source="retry_of_id", allow_null=True)
    fork_of = serializers.UUIDField(
        source="fork_of_id", allow_null=True, help_text="The run whose messages this fork took over"
    )
    design = serializers.UUIDField(source="design_id", allow_null=True)
    design_name = serializers.CharField(source="design__name", allow_null=True)
    design_version = serializers.IntegerField(
        allow_null=True, help_text="Null: the draft as it was, or no design"
    )
    evaluation = serializers.UUIDField(source="evaluation_id", allow_null=True)
    budget = BudgetSerializer()
    annotations = AnnotationSerializer(source="notes", many=True)


class RunModelSerializer(serializers.Serializer[Row]):
    """The run's model, with the endpoint's settings at that time."""

    name = serializers.CharField()
    context_length = serializers.IntegerField(allow_null=True)
    parameters = serializers.IntegerField(allow_null=True, help_text="Null: unknown")
    parameters_from = serializers.ChoiceField(
        choices=get_args(SizeSource), help_text="name: guessed from the model's name"
    )
    is_small = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the model got short prompts, without refuse conditions and without "
        "tools in text. Null: an older run, which did not store this",
    )
    reply_tokens = serializers.IntegerField(
        help_text="Token limit of one reply: the budget's limit, or half of a shorter context"
    )
    extra_body = serializers.DictField(
        child=serializers.JSONField(allow_null=True), help_text="Fields added to each request"
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
            "extra_body": spec.get("extra_body", {}),
        }


class RunFileSerializer(serializers.Serializer[dict[str, Any]]):
    """Its place in the list is its place in `/api/runs/{run_id}/files/{place}`, from 0."""

    name = serializers.CharField()
    size = serializers.IntegerField(allow_null=True, help_text="Bytes. Null: it is gone")


@extend_schema_field(RunFileSerializer(many=True))
class RunFilesField(serializers.Field[Any, Any, list[dict[str, Any]], Row]):
    def to_representation(self, value: Row) -> list[dict[str, Any]]:
        files = attached_files({"files": value["task_details__metadata__files"]}).values()
        folder = settings.DATA_DIR / "files"
        return [{"name": file.name, "size": file.size(folder)} for file in files]


class RunSerializer(RunSummarySerializer):
    asked_model = RunModelSerializer(
        source="*", allow_null=True, help_text="Null: hidden from people without an account"
    )
    method_config = serializers.DictField()
    query = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    answer = serializers.CharField(allow_null=True)
    answer_form = serializers.ChoiceField(
        source="task_details__answer_form",
        choices=get_args(AnswerForm),
        allow_null=True,
        help_text="code: the answer is a program. Null: no task of a dataset",
    )
    files = RunFilesField(source="*", read_only=True, help_text="Files that came with the question")
    message = serializers.CharField(allow_blank=True)
    graph = RunGraphSerializer(allow_null=True)
    evaluation_name = serializers.CharField(source="evaluation__name", allow_null=True)
    task_index = serializers.IntegerField(
        source="result__task__index",
        allow_null=True,
        help_text="Place of the task in the split. Null: a person asked the question, or the "
        "task was answered again since",
    )


class EventEnvelopeSerializer(serializers.Serializer[dict[str, Any]]):
    """`id` is `attempt.seq`. `event` is one of the union in `generated/events`."""

    attempt = serializers.IntegerField()
    seq = serializers.IntegerField()
    id = serializers.CharField()
    event = serializers.DictField()


class EventPageSerializer(serializers.Serializer[dict[str, Any]]):
    """`next_after`: ask again after this id; null if there were no events. `ended`: the run has
    ended, and this page reaches its end."""

    results = EventEnvelopeSerializer(many=True)
    next_after = serializers.CharField(allow_null=True)
    ended = serializers.BooleanField()
