"""Role match, failure categories and structure on the wire."""

from __future__ import annotations

from rest_framework import serializers

from apps.common.serializers import Object
from apps.evaluations.api.serializers import IntervalField, PairSerializer
from workers.core.evaluation.rationality_report import BY, CATEGORIES
from workers.core.evaluation.structure_trial import KINDS


class RoleMatchSerializer(Object):
    tasks = serializers.IntegerField(help_text="with a role that can be judged")
    similarity = serializers.FloatField(help_text="mean cosine of role profile and query")
    similarity_interval = IntervalField()
    share = serializers.FloatField(help_text="of the judged roles, those that match")
    share_interval = IntervalField()


class CategoryCountSerializer(Object):
    category = serializers.ChoiceField(
        choices=CATEGORIES, allow_null=True, help_text="null: neither a rule nor a judge decides"
    )
    by = serializers.ChoiceField(choices=BY)
    judge = serializers.CharField(allow_null=True, help_text="the model that judged")
    count = serializers.IntegerField()


class ArmRationalitySerializer(Object):
    label = serializers.CharField()
    answers = serializers.IntegerField(help_text="looked at")
    wrong = serializers.IntegerField(help_text="answered wrongly; each is in one category")
    failed = serializers.IntegerField(help_text="an error prevented the answer")
    roles = RoleMatchSerializer(allow_null=True, help_text="null: no role that can be judged")
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
    pairs = PairSerializer(many=True, help_text="left: M, right: a variant")


class StructureSerializer(Object):
    """M: graphs as they were built. M-: one agent less. M+: the nearest role of the pool more."""

    tasks = serializers.IntegerField(help_text="asked for, per arm")
    seed = serializers.IntegerField()
    arms = ArmStructureSerializer(many=True)


class RationalitySerializer(Object):
    status = serializers.ChoiceField(choices=("pending", "ready"))
    answers = serializers.IntegerField(help_text="recorded by now")
    looked_at = serializers.IntegerField()
    arms = ArmRationalitySerializer(many=True)
    structure = StructureSerializer(allow_null=True, help_text="null: not tried yet")
