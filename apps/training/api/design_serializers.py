"""The designs of a training's step in the API."""

from rest_framework import serializers

from apps.common.serializers import Object


class SampledDesignStepsSerializer(Object):
    steps = serializers.ListField(
        child=serializers.IntegerField(), help_text="Steps whose designs are kept, in order"
    )


class SampledDesignProblemSerializer(Object):
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField(allow_null=True, help_text="From 1; null: of no single line")


class SampledExecutionSerializer(Object):
    """One execution of a design. `learned`: the executor learns from it, unless its advantage is 0
    or null: then the executor was frozen."""

    execution = serializers.IntegerField(help_text="From 1")
    ending = serializers.ChoiceField(choices=["delivered", "failed", "limit", "broken"])
    reward = serializers.FloatField()
    parts = serializers.DictField(
        child=serializers.FloatField(), help_text="Of the reward, such as “correct”; none are 0"
    )
    advantage = serializers.FloatField(
        allow_null=True, help_text="Of each of its agent calls; null: the executor was frozen"
    )
    correct = serializers.BooleanField()
    answer = serializers.CharField(allow_null=True)
    learned = serializers.BooleanField()
    tokens = serializers.IntegerField(help_text="Sampled by its agents")
    calls = serializers.IntegerField()


class SampledDesignSerializer(Object):
    """`shape`: what designs of the same team have in common; empty if the design can't be used, for
    which `problems` has the reasons. It then has no executions."""

    design = serializers.IntegerField(help_text="From 1")
    script = serializers.CharField(allow_blank=True)
    shape = serializers.CharField(allow_blank=True)
    problems = SampledDesignProblemSerializer(many=True)
    tokens = serializers.IntegerField(help_text="Of the designer's reply")
    finish = serializers.ChoiceField(choices=["stop", "length"])
    reward = serializers.FloatField(help_text="Of the designer")
    advantage = serializers.FloatField(
        allow_null=True, help_text="Of the designer; null: it was frozen"
    )
    executions = SampledExecutionSerializer(many=True)


class SampledQuestionSerializer(Object):
    """`task`: the place of the question among the training's tasks, from 0."""

    question = serializers.IntegerField(help_text="In its step, from 0")
    task = serializers.IntegerField()
    query = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    designs = SampledDesignSerializer(many=True)


class SampledShapeSerializer(Object):
    shape = serializers.CharField(allow_blank=True, help_text="Empty: designs that can't be used")
    designs = serializers.IntegerField(help_text="How many designs of the step have it")
    reward = serializers.FloatField(help_text="The mean of their rewards")


class SampledDesignsSerializer(Object):
    """`count` questions are in the step; `shapes` are those of the whole step, the most frequent
    first."""

    step = serializers.IntegerField()
    count = serializers.IntegerField()
    shapes = SampledShapeSerializer(many=True)
    results = SampledQuestionSerializer(many=True)


class ExecutionTraceSerializer(Object):
    """`events` are of the union in `generated/events`, like those of a run."""

    step = serializers.IntegerField()
    question = serializers.IntegerField()
    task = serializers.IntegerField()
    query = serializers.CharField()
    reference = serializers.CharField(allow_null=True)
    design = serializers.IntegerField()
    execution = serializers.IntegerField(help_text="0: the design was not executed")
    reward = serializers.FloatField()
    parts = serializers.DictField(child=serializers.FloatField())
    advantage = serializers.FloatField(allow_null=True)
    correct = serializers.BooleanField()
    answer = serializers.CharField(allow_null=True)
    learned = serializers.BooleanField()
    design_reward = serializers.FloatField()
    design_advantage = serializers.FloatField(allow_null=True)
    graph = serializers.DictField()
    events = serializers.ListField(child=serializers.DictField())
