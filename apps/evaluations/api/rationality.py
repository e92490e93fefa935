"""Role match, failure categories and structure in the API."""

from rest_framework import serializers

from apps.common.serializers import Object
from apps.evaluations.api.serializers import IntervalField, PairSerializer
from workers.core.evaluation.rationality_report import BY, CATEGORIES
from workers.core.evaluation.structure_trial import KINDS


class RoleMatchSerializer(Object):
    tasks = serializers.IntegerField(help_text="Tasks with a role that can be judged")
    similarity = serializers.FloatField(help_text="Mean cosine of role profile and query")
    similarity_interval = IntervalField()
    share = serializers.FloatField(help_text="Part of the judged roles that match")
    share_interval = IntervalField()


class CategoryCountSerializer(Object):
    category = serializers.ChoiceField(
        choices=CATEGORIES, allow_null=True, help_text="Null: neither a rule nor a judge decides"
    )
    by = serializers.ChoiceField(choices=BY)
    judge = serializers.CharField(allow_null=True, help_text="Model that judged")
    count = serializers.IntegerField()


class ArmRationalitySerializer(Object):
    label = serializers.CharField()
    answers = serializers.IntegerField(help_text="Answers that were checked")
    wrong = serializers.IntegerField(help_text="Wrong answers; each is in one category")
    failed = serializers.IntegerField(help_text="Answers that an error prevented")
    roles = RoleMatchSerializer(allow_null=True, help_text="Null: no role can be judged")
    categories = CategoryCountSerializer(many=True)


class VariantSerializer(Object):
    kind = serializers.ChoiceField(choices=KINDS)
    n = serializers.IntegerField()
    correct = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)
    interval = IntervalField()
    tokens_mean = serializers.FloatField(allow_null=True)
    tokens_interval = IntervalField()


class ArmStructureSerializer(Object):
    label = serializers.CharField()
    tasks = serializers.IntegerField()
    variants = VariantSerializer(many=True)
    pairs = PairSerializer(many=True, help_text="left is M, right is a variant")


class StructureSerializer(Object):
    """M: graphs as they were built. M-: one agent less. M+: one agent more, with the nearest role
    of the pool."""

    tasks = serializers.IntegerField(help_text="Requested tasks per arm")
    seed = serializers.IntegerField()
    arms = ArmStructureSerializer(many=True)


class RationalitySerializer(Object):
    status = serializers.ChoiceField(choices=("pending", "ready"))
    answers = serializers.IntegerField(help_text="Answers that are recorded so far")
    looked_at = serializers.IntegerField()
    arms = ArmRationalitySerializer(many=True)
    structure = StructureSerializer(allow_null=True, help_text="Null: not compared yet")
