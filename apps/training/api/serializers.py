"""Trainings and checkpoints in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from apps.checkpoints.api.serializers import CHECKPOINT_NAME
from apps.common.names import NAME_CHARS
from apps.common.seeds import SEED_LIMIT
from apps.common.serializers import FailureSerializer, Object
from apps.setups.api.serializers import MAX_COST, BudgetSerializer, SystemBudgetWantedSerializer
from apps.training.models import TrainingJob
from apps.training.requests import MAX_KEPT, TrainingRequest
from workers.core.specs import SystemBudget, TrainingBudget

MAX_TOKENS = 10**15


@extend_schema_serializer(component_name="TrainingBudget")
class TrainingBudgetWantedSerializer(Object):
    """Limits of the whole training. A field that is left out or null is no limit."""

    max_tokens = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_TOKENS
    )
    max_cost = serializers.FloatField(
        required=False, allow_null=True, min_value=0, max_value=MAX_COST, help_text="USD"
    )


@extend_schema_serializer(component_name="TrainingJob")
class TrainingWantedSerializer(serializers.Serializer[TrainingRequest]):
    """Values in `config` replace those of the `preset`, by default the method's first preset."""

    name = serializers.CharField(required=False, allow_null=True, max_length=NAME_CHARS)
    method = serializers.CharField(
        max_length=63, required=False, help_text="If left out, the studio's default"
    )
    preset = serializers.CharField(required=False, allow_null=True, max_length=63)
    config = serializers.DictField(required=False)
    dataset = serializers.CharField(max_length=63)
    split = serializers.CharField(required=False, max_length=8, help_text="train by default")
    limit = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="Use only the first tasks of the split",
    )
    endpoint = serializers.CharField(required=False, allow_null=True, max_length=63)
    pool = serializers.CharField(required=False, allow_null=True, max_length=63)
    seed = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=SEED_LIMIT - 1
    )
    start_from = serializers.RegexField(
        CHECKPOINT_NAME, required=False, allow_null=True, help_text="Name of a checkpoint"
    )
    budget = TrainingBudgetWantedSerializer(required=False)
    per_system = SystemBudgetWantedSerializer(
        required=False, help_text="Limits for one sampled system"
    )
    keep_checkpoints = serializers.IntegerField(required=False, min_value=1, max_value=MAX_KEPT)

    def request(self) -> TrainingRequest:
        data = dict(self.validated_data)
        budget = TrainingBudget(**data.pop("budget", {}))
        per_system = SystemBudget(**data.pop("per_system", {}))
        return TrainingRequest(**data, budget=budget, per_system=per_system)


class ResumeWantedSerializer(Object):
    budget = TrainingBudgetWantedSerializer(
        required=False, help_text="Replaces the budget of the training"
    )


class TrainingBudgetSerializer(Object):
    max_tokens = serializers.IntegerField(allow_null=True)
    max_cost = serializers.FloatField(allow_null=True)


class NoticeSerializer(Object):
    at = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()


class TrainingSerializer(Object):
    """A job as it is now. `latest` has the metrics of `step`."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    method = serializers.CharField()
    status = serializers.ChoiceField(choices=TrainingJob.Status.choices)
    attempt = serializers.IntegerField()
    preset = serializers.CharField(allow_blank=True)
    config = serializers.DictField()
    seed = serializers.IntegerField()
    code_version = serializers.CharField(allow_blank=True)
    pool = serializers.CharField(allow_null=True)
    pool_version = serializers.IntegerField(allow_null=True)
    dataset = serializers.CharField(allow_null=True)
    dataset_digest = serializers.CharField(allow_blank=True)
    split = serializers.CharField()
    limit = serializers.IntegerField(allow_null=True)
    endpoint = serializers.CharField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    start_from = serializers.CharField(allow_null=True)
    budget = TrainingBudgetSerializer()
    per_system = BudgetSerializer()
    keep_checkpoints = serializers.IntegerField()
    step = serializers.IntegerField()
    step_share = serializers.FloatField(help_text="How much of the next step is done, 0 to 1")
    total_steps = serializers.IntegerField(help_text="0: the method does not say")
    eta_seconds = serializers.FloatField(allow_null=True)
    tokens = serializers.IntegerField(
        allow_null=True,
        help_text="Of the endpoint's answers, or sampled of the model that it changes. Null: "
        "unknown, never 0",
    )
    cost = serializers.FloatField(allow_null=True, help_text="In USD. Null: unknown, never 0")
    charged_tokens = serializers.IntegerField(
        help_text="Tokens that count for the budget, estimated where usage is unknown"
    )
    charged_cost = serializers.FloatField(
        help_text="USD that count for the budget, estimated where usage is unknown"
    )
    latest = serializers.DictField(child=serializers.FloatField())
    notices = NoticeSerializer(many=True)
    end_reason = serializers.ChoiceField(
        choices=TrainingJob.EndReason.choices,
        allow_null=True,
        help_text="Only for a training that succeeded",
    )
    failure = FailureSerializer(allow_null=True)
    checkpoints = serializers.ListField(child=serializers.CharField())
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    cancel_requested_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        """A job that was stored before a limit existed shows the default of that limit."""
        limits = {**TrainingBudget().model_dump(), **instance["budget"]}
        return super().to_representation({**instance, "budget": limits})


class MetricSerializer(Object):
    step = serializers.IntegerField()
    at = serializers.DateTimeField()
    values = serializers.DictField(child=serializers.FloatField())


class MetricPageSerializer(Object):
    """`next_after`: ask again after this step; null if there were no steps."""

    results = MetricSerializer(many=True)
    next_after = serializers.IntegerField(allow_null=True)


class SampleSummarySerializer(Object):
    id = serializers.IntegerField()
    step = serializers.IntegerField()
    index = serializers.IntegerField()
    query = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    correct = serializers.BooleanField()
    reward = serializers.FloatField()
    tokens = serializers.IntegerField()
    agents = serializers.IntegerField()


class RewardPartsSerializer(Object):
    """`group` is the reward of the system. The lists have one entry per action, in order."""

    group = serializers.FloatField()
    action = serializers.ListField(child=serializers.FloatField())
    advantage = serializers.ListField(child=serializers.FloatField(allow_null=True))


class SampleSerializer(SampleSummarySerializer):
    """`events` are of the union in `generated/events`, like those of a run."""

    answer = serializers.CharField(allow_null=True)
    graph = serializers.DictField()
    details = serializers.DictField(help_text="Details that only samples of this method have")
    events = serializers.ListField(child=serializers.DictField())
    reward_parts = RewardPartsSerializer()


class MetricSpecSerializer(Object):
    name = serializers.CharField()
    title = serializers.CharField()
    unit = serializers.ChoiceField(
        choices=("", "share", "usd", "seconds"),
        allow_blank=True,
        help_text="share: part of all, 0 to 1",
    )
    help = serializers.CharField(allow_blank=True)


class TrainableMethodSerializer(Object):
    method = serializers.CharField()
    name = serializers.CharField()
    config_schema = serializers.DictField(help_text="JSON Schema of `config`")
    presets = serializers.DictField(
        child=serializers.DictField(), help_text="Complete configs by name, the default first"
    )
    needs_pool = serializers.BooleanField()
    asks_endpoint = serializers.BooleanField(
        help_text="False: it changes the model that its config names, and takes no budget"
    )
    selects_roles = serializers.BooleanField(
        help_text="Its trainings tell how likely each role was to be chosen"
    )
    metrics = MetricSpecSerializer(
        many=True, help_text="In reading order; other metrics appear under their own names"
    )


class TrainableModelSerializer(Object):
    """A language model in the folder of local models."""

    name = serializers.CharField()
    parameters = serializers.IntegerField()


class MemoryWantedSerializer(Object):
    """Settings of a training, as for one that starts."""

    method = serializers.CharField(max_length=63)
    preset = serializers.CharField(required=False, default="", max_length=63)
    config = serializers.DictField(required=False, default=dict)


class MemorySerializer(Object):
    """Bytes, about, of a training on a processor. `total` counts the largest of `sampling`,
    `updating` and `saving`, which take turns."""

    total = serializers.IntegerField()
    weights = serializers.IntegerField()
    moments = serializers.IntegerField(help_text="Of the optimiser")
    reference = serializers.IntegerField(help_text="Weights at the start")
    sampling = serializers.IntegerField()
    updating = serializers.IntegerField()
    saving = serializers.IntegerField()


class MemoryTakenSerializer(Object):
    memory = MemorySerializer(allow_null=True, help_text="null: not known before it starts")


class TrainableTeamSerializer(Object):
    """Who can be trained on a dataset. `environment`: the key of what they play."""

    environment = serializers.CharField()
    name = serializers.CharField()
    agents = serializers.ListField(child=serializers.CharField())
    preset = serializers.CharField(help_text="The one for a language model")


class TrainableDatasetSerializer(Object):
    """Either `team` or `problem` is null."""

    key = serializers.CharField()
    name = serializers.CharField()
    tasks = serializers.IntegerField(help_text="In the split “train”, with a verifier")
    team = TrainableTeamSerializer(allow_null=True)
    problem = FailureSerializer(allow_null=True)


class BranchStepsSerializer(Object):
    steps = serializers.ListField(
        child=serializers.IntegerField(), help_text="Steps whose branches are kept, in order"
    )


class BranchGroupSerializer(Object):
    """The answers of one agent in one turn of an episode. `task`: the place of the episode's task
    among the training's, from 0."""

    episode = serializers.IntegerField()
    task = serializers.IntegerField()
    agent = serializers.CharField()
    turn = serializers.IntegerField()
    policy = serializers.CharField()
    version = serializers.IntegerField()
    rewards = serializers.ListField(child=serializers.FloatField(), help_text="Of each branch")
    cut = serializers.IntegerField(help_text="Branches that stopped at their token limit")
    ended = serializers.CharField(help_text="Why the episode ended")
    solved = serializers.BooleanField()


class BranchGroupsSerializer(Object):
    """`agents`, `turns`, `endings` and `rewards` are those of all groups of the step."""

    count = serializers.IntegerField()
    results = BranchGroupSerializer(many=True)
    agents = serializers.ListField(child=serializers.CharField())
    turns = serializers.ListField(child=serializers.IntegerField())
    endings = serializers.ListField(child=serializers.CharField())
    rewards = serializers.ListField(
        child=serializers.FloatField(), help_text="The least and the most that a branch earned"
    )


class ChatMessageSerializer(Object):
    role = serializers.CharField()
    content = serializers.CharField(allow_blank=True)


class BranchSerializer(Object):
    """`after`: log-probabilities of the tokens once the step was learned; empty where they were not
    computed. `picture`: the state after the branch that was taken; empty for others."""

    branch = serializers.IntegerField(help_text="From 1")
    policy = serializers.CharField()
    version = serializers.IntegerField()
    prompt_hash = serializers.CharField()
    tokens = serializers.ListField(child=serializers.IntegerField())
    pieces = serializers.ListField(child=serializers.CharField(allow_blank=True))
    logprobs = serializers.ListField(child=serializers.FloatField())
    after = serializers.ListField(child=serializers.FloatField())
    message = serializers.CharField(allow_blank=True)
    read = serializers.CharField(allow_blank=True)
    finish = serializers.ChoiceField(choices=["stop", "length"])
    reward = serializers.FloatField()
    team = serializers.DictField(child=serializers.FloatField())
    local = serializers.DictField(child=serializers.FloatField())
    advantage = serializers.FloatField(allow_null=True, help_text="null: its role was frozen")
    taken = serializers.BooleanField()
    picture = serializers.DictField()


class BranchesSerializer(Object):
    episode = serializers.IntegerField()
    task = serializers.IntegerField()
    agent = serializers.CharField()
    turn = serializers.IntegerField()
    ended = serializers.CharField()
    solved = serializers.BooleanField()
    prompt = ChatMessageSerializer(many=True)
    branches = BranchSerializer(many=True)
