"""Evaluations in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from apps.common.seeds import SEED_LIMIT
from apps.common.serializers import FailureSerializer, Object, Row
from apps.evaluations.models import Evaluation
from apps.evaluations.requests import (
    LABEL_CHARS,
    MAX_CELLS,
    MAX_CONCURRENCY,
    MAX_REPEATS,
    ArmRequest,
    EvaluationRequest,
)
from apps.evaluations.selectors import DIFFERENCES, OUTCOMES
from apps.setups.api.serializers import BudgetSerializer, SystemBudgetWantedSerializer
from apps.setups.wanted import MAX_REPLY_TOKENS
from workers.core.evaluation.rationality_report import BY, CATEGORIES
from workers.core.specs import Budget


@extend_schema_serializer(component_name="EvaluationArm")
class ArmWantedSerializer(Object):
    label = serializers.CharField(required=False, allow_null=True, max_length=LABEL_CHARS)
    method = serializers.CharField(max_length=63)
    method_config = serializers.DictField(required=False)
    checkpoint = serializers.RegexField(
        r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$",
        required=False,
        allow_null=True,
        help_text="“untrained”: the method as it is before any training",
    )
    endpoint = serializers.CharField(required=False, allow_null=True, max_length=63)
    pool = serializers.CharField(required=False, allow_null=True, max_length=63)
    design = serializers.UUIDField(
        required=False, allow_null=True, help_text="The design that the method “design” runs"
    )
    design_version = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, help_text="Null: the draft as it is now"
    )
    max_completion_tokens_per_call = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_REPLY_TOKENS,
        help_text="The arm's limit for one reply. Null: the limit of the budget",
    )


@extend_schema_serializer(component_name="Evaluation")
class EvaluationWantedSerializer(serializers.Serializer[EvaluationRequest]):
    """Arms × the first `limit` tasks of a split × `repeats`. `budget` limits one answer."""

    name = serializers.CharField(required=False, allow_null=True, max_length=120)
    dataset = serializers.CharField(max_length=63)
    split = serializers.CharField(max_length=8)
    limit = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_CELLS
    )
    arms = ArmWantedSerializer(many=True)
    repeats = serializers.IntegerField(required=False, min_value=1, max_value=MAX_REPEATS)
    seed = serializers.IntegerField(required=False, min_value=0, max_value=SEED_LIMIT - 1)
    budget = SystemBudgetWantedSerializer(required=False)
    concurrency = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_CONCURRENCY,
        help_text="How many answers run at once",
    )

    def request(self) -> EvaluationRequest:
        data = dict(self.validated_data)
        arms = tuple(ArmRequest(**arm) for arm in data.pop("arms"))
        budget = Budget(**data.pop("budget", {}))
        return EvaluationRequest(**data, arms=arms, budget=budget)


class ArmSerializer(Object):
    label = serializers.CharField()
    method = serializers.CharField()
    method_config = serializers.DictField()
    checkpoint = serializers.CharField(allow_null=True)
    endpoint = serializers.CharField()
    model = serializers.CharField()
    pool = serializers.CharField(allow_null=True)
    pool_version = serializers.IntegerField(allow_null=True)
    design = serializers.UUIDField(allow_null=True)
    design_version = serializers.IntegerField(
        allow_null=True, help_text="Null: a draft, or no design"
    )
    further_endpoints = serializers.ListField(
        child=serializers.CharField(), help_text="Further endpoints that its agents name"
    )
    max_completion_tokens_per_call = serializers.IntegerField(
        allow_null=True, help_text="The arm's limit for one reply. Null: the limit of the budget"
    )
    reply_tokens = serializers.IntegerField(
        help_text="Token limit of one reply: the arm's limit, or half of a shorter context"
    )
    tools = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Tools that its agents may use. Null: unknown, because the evaluation is older",
    )


class WarningSerializer(Object):
    code = serializers.CharField()
    message = serializers.CharField()
    arm = serializers.CharField(allow_null=True, help_text="Null: concerns all arms")


class EvaluationSerializer(Object):
    id = serializers.UUIDField()
    name = serializers.CharField()
    status = serializers.ChoiceField(choices=Evaluation.Status.choices)
    dataset = serializers.CharField()
    split = serializers.CharField()
    limit = serializers.IntegerField(allow_null=True)
    task_count = serializers.IntegerField()
    repeats = serializers.IntegerField()
    seed = serializers.IntegerField()
    budget = BudgetSerializer()
    concurrency = serializers.IntegerField()
    arms = ArmSerializer(many=True)
    differences = serializers.ListField(
        child=serializers.ChoiceField(choices=DIFFERENCES),
        help_text="How arms differ apart from their methods. A difference in results then does "
        "not come from the method alone.",
    )
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    eta_seconds = serializers.FloatField(allow_null=True)
    warnings = WarningSerializer(many=True)
    failure = FailureSerializer(allow_null=True)
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class IntervalField(serializers.ListField):
    """`[low, high]`, at 95%."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True, **options
        )

    def to_representation(self, value: Any) -> list[float]:
        return [value["low"], value["high"]]


class BestArmSerializer(Object):
    label = serializers.CharField()
    accuracy = serializers.FloatField()
    interval = IntervalField()


class EvaluationListedSerializer(EvaluationSerializer):
    """An evaluation in a list, with the leading arm."""

    best = BestArmSerializer(allow_null=True, help_text="Null: no answer is judged yet")


class ArmSummarySerializer(Object):
    """Means are over the cells that report a value. Null if none does, never 0."""

    label = serializers.CharField()
    n = serializers.IntegerField(help_text="Judged answers")
    tasks = serializers.IntegerField()
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True, help_text="For code: pass@1")
    interval = IntervalField()
    reward_mean = serializers.FloatField(allow_null=True)
    tokens_mean = serializers.FloatField(allow_null=True)
    tokens_interval = IntervalField()
    cost_mean = serializers.FloatField(
        allow_null=True, help_text="In USD, by the endpoint's prices"
    )
    seconds_mean = serializers.FloatField(allow_null=True)
    seconds_median = serializers.FloatField(allow_null=True)
    seconds_p95 = serializers.FloatField(allow_null=True)
    timed = serializers.IntegerField(
        help_text="Answers that the seconds are measured on: those without a reply from the cache"
    )
    cached = serializers.IntegerField(help_text="Answers with a reply from the cache")
    failures = serializers.IntegerField(help_text="Count as wrong on judged tasks")
    out_of_time = serializers.IntegerField(
        help_text="Failures that reached the time limit, including the wait for a busy endpoint"
    )
    unjudged = serializers.IntegerField(
        help_text="Answers to tasks that are left out of the accuracy"
    )
    unknown_usage = serializers.IntegerField()
    replies = serializers.IntegerField(help_text="Replies of models")
    cut_replies = serializers.IntegerField(help_text="Replies that were cut at their token limit")
    cut_share = serializers.FloatField(
        allow_null=True, help_text="Share of cut replies. Null: unknown"
    )
    finals = serializers.IntegerField(help_text="Final answers that come from replies of models")
    cut_finals = serializers.IntegerField(help_text="Final answers that come from a cut reply")
    cut_final_share = serializers.FloatField(
        allow_null=True, help_text="Share of cut final answers. Null: unknown"
    )
    cuts_unknown = serializers.IntegerField(help_text="Answers for which cuts are unknown")
    own_temperature = serializers.IntegerField(
        help_text="Answers for which a server used its own temperature instead of the arm's"
    )


class CutWarningSerializer(Object):
    """An arm with more than 5% of its replies or final answers cut."""

    label = serializers.CharField()
    share = serializers.FloatField(help_text="Share of cut replies or cut final answers")
    of = serializers.ChoiceField(choices=("replies", "finals"))
    limit = serializers.IntegerField(help_text="Token limit of one reply")
    suggested_limit = serializers.IntegerField(
        allow_null=True,
        help_text="A value with room for the arm's max_completion_tokens_per_call. Null: the "
        "endpoint's context allows no more",
    )
    message = serializers.CharField()


class PairSerializer(Object):
    left = serializers.CharField()
    right = serializers.CharField()
    n = serializers.IntegerField(help_text="Tasks that are judged for both arms")
    only_left = serializers.IntegerField(help_text="Tasks on which the left arm did better")
    only_right = serializers.IntegerField()
    mcnemar_p = serializers.FloatField(allow_null=True, help_text="Exact, two-sided")
    holm_p = serializers.FloatField(allow_null=True, help_text="Corrected for all pairs")
    difference = serializers.FloatField(allow_null=True, help_text="Accuracy of left minus right")
    interval = IntervalField()


class BudgetPointSerializer(Object):
    label = serializers.CharField()
    budget = serializers.IntegerField(help_text="Tokens per answer")
    accuracy = serializers.FloatField()
    interval = IntervalField()


class DomainShareSerializer(Object):
    domain = serializers.CharField(help_text="Subject or level; empty if the dataset has none")
    label = serializers.CharField()
    tasks = serializers.IntegerField(help_text="Judged tasks of the domain")
    accuracy = serializers.FloatField()
    interval = IntervalField()
    tokens_mean = serializers.FloatField(allow_null=True)


class SummarySerializer(Object):
    arms = ArmSummarySerializer(many=True)
    pairs = PairSerializer(many=True)
    at_equal_tokens = BudgetPointSerializer(many=True)
    unjudged_tasks = serializers.IntegerField(
        help_text="Tasks without a verifier, or with an answer that it could not judge; left out "
        "for all arms"
    )
    domains = DomainShareSerializer(many=True, help_text="Empty: all tasks have one domain")
    domains_left_out = serializers.IntegerField(
        help_text="Number of domains beyond 100, those with the fewest tasks"
    )
    cut_warnings = CutWarningSerializer(many=True)


class ResultTaskSerializer(serializers.Serializer[Row]):
    """`id` null: the task is no longer in its dataset. Texts are cut at 300 characters."""

    id = serializers.IntegerField(source="task_pk", allow_null=True)
    index = serializers.IntegerField()
    query = serializers.CharField()
    reference = serializers.CharField(source="reference_start", allow_null=True)


class WhySerializer(serializers.Serializer[Row]):
    """Why a wrong answer is wrong. `category` null: neither a rule nor a judge decides."""

    category = serializers.ChoiceField(choices=CATEGORIES, allow_null=True)
    by = serializers.ChoiceField(choices=BY)
    judge = serializers.CharField(allow_null=True, help_text="Model that judged")
    reason = serializers.CharField()


class ResultSerializer(serializers.Serializer[Row]):
    """One cell. `correct` null: not judged. `run` opens its trace. `why` null: the answer is not
    wrong, or was not checked yet."""

    id = serializers.IntegerField()
    task = ResultTaskSerializer(source="*")
    repeat = serializers.IntegerField()
    arm = serializers.CharField(source="label")
    correct = serializers.BooleanField(allow_null=True)
    reward = serializers.FloatField(allow_null=True)
    explanation = serializers.CharField(allow_blank=True)
    answer = serializers.CharField(source="answer_start", allow_null=True)
    failed = serializers.BooleanField()
    failure = FailureSerializer(allow_null=True)
    tokens = serializers.IntegerField(allow_null=True)
    prompt_tokens = serializers.IntegerField(allow_null=True)
    completion_tokens = serializers.IntegerField(allow_null=True)
    cost = serializers.FloatField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    cached_share = serializers.FloatField(
        allow_null=True, help_text="Share of its calls that the cache answered. Null: unknown"
    )
    replies = serializers.IntegerField(
        allow_null=True, help_text="Replies of models. Null: unknown"
    )
    cut_replies = serializers.IntegerField(
        allow_null=True, help_text="Replies that were cut at their token limit. Null: unknown"
    )
    final_cut = serializers.BooleanField(
        allow_null=True,
        help_text="Whether its answer comes from a cut reply. Null: unknown, or no answer",
    )
    own_temperature = serializers.BooleanField(
        allow_null=True, help_text="Whether a server used its own temperature for it. Null: unknown"
    )
    run = serializers.UUIDField(source="run_id", allow_null=True)
    why = serializers.SerializerMethodField()

    @extend_schema_field(WhySerializer(allow_null=True))
    def get_why(self, row: Row) -> Row | None:
        if not row["by"]:
            return None
        decided = {"category": row["category"] or None, "judge": row["judge"] or None}
        return {"by": row["by"], "reason": row["reason"], **decided}


class ComparedSerializer(Object):
    """A task with the cells of both arms."""

    task = ResultTaskSerializer()
    repeat = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=list(OUTCOMES), allow_null=True)
    left = ResultSerializer()
    right = ResultSerializer()
