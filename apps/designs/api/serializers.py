"""Designs in the API."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.common.serializers import Object
from apps.designs.models import Design, DesignVersion
from apps.designs.selectors import problems_of
from workers.core.designs.problems import Problem
from workers.core.designs.scripts import drawing_of
from workers.core.designs.spec import DesignSpec


class DesignProblemSerializer(Object):
    """An error keeps the design from running; a warning does not."""

    severity = serializers.ChoiceField(choices=("error", "warning"))
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField()
    agent_id = serializers.CharField(
        allow_null=True, help_text="Null: it concerns the whole design"
    )
    line = serializers.IntegerField(
        allow_null=True, help_text="Line of the script, from 1; null in a drawing"
    )


def problems_on_wire(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [problem.model_dump() for problem in problems]


ScriptMeaning = serializers.DictField(
    allow_null=True,
    help_text="What a script means, as a ScriptDrawing; null for a drawing, and with an error",
)


def meaning_on_wire(spec: DesignSpec) -> dict[str, Any] | None:
    drawing = drawing_of(spec)
    return None if drawing is None else drawing.model_dump(mode="json")


class DesignVersionListedSerializer(serializers.Serializer[DesignVersion]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    kept = serializers.BooleanField(
        help_text="Whether the studio made this version before it restored another one"
    )
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()


class DesignVersionSerializer(DesignVersionListedSerializer):
    spec = serializers.DictField(help_text="A DesignSpec")


class DesignRevisionSerializer(serializers.Serializer[Design]):
    revision = serializers.IntegerField()
    updated_by = serializers.CharField(source="updated_by.username", default=None, allow_null=True)
    updated_at = serializers.DateTimeField()


class DesignListedSerializer(serializers.Serializer[Design]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    revision = serializers.IntegerField()
    agent_count = serializers.IntegerField(help_text="0 for a script")
    is_script = serializers.BooleanField()
    version_count = serializers.IntegerField()
    origin = serializers.ChoiceField(choices=Design.Origin.choices)
    from_run = serializers.UUIDField(
        source="from_run_id", allow_null=True, help_text="Null also if that run was deleted"
    )
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    updated_by = serializers.CharField(source="updated_by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DesignSerializer(DesignListedSerializer):
    draft = serializers.DictField(help_text="A DesignSpec")
    problems = serializers.SerializerMethodField()
    meaning = serializers.SerializerMethodField()
    versions = DesignVersionListedSerializer(many=True)

    @extend_schema_field(DesignProblemSerializer(many=True))
    def get_problems(self, design: Design) -> list[dict[str, Any]]:
        return problems_on_wire(problems_of(design))

    @extend_schema_field(ScriptMeaning)
    def get_meaning(self, design: Design) -> dict[str, Any] | None:
        return meaning_on_wire(design.spec())


class SampledDesignPlaceSerializer(Object):
    """A script that a designer in training wrote, as `/api/training-jobs/{id}/designs` lists it."""

    job = serializers.UUIDField()
    step = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    question = serializers.IntegerField(min_value=0, max_value=2**31 - 1)
    design = serializers.IntegerField(min_value=1, max_value=2**15 - 1)


class DesignWantedSerializer(Object):
    """Starts an empty design, one with `draft`, one with the graph or script of a run, one with the
    graph of a system that a training sampled, or one with a script of a training."""

    name = serializers.CharField(required=False, allow_null=True, max_length=120)
    draft = serializers.DictField(required=False, allow_null=True)
    from_run = serializers.UUIDField(required=False, allow_null=True)
    from_sample = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**63 - 1
    )
    from_sampled_design = SampledDesignPlaceSerializer(required=False, allow_null=True)
    reuse = serializers.BooleanField(
        required=False, help_text="Open your own unchanged empty design, if there is one"
    )


class RestoreSerializer(Object):
    revision = serializers.IntegerField(min_value=1, help_text="The revision that you read")


class VersionWantedSerializer(RestoreSerializer):
    name = serializers.CharField(max_length=120)


class DesignChangeSerializer(RestoreSerializer):
    """Changes only the fields that are sent."""

    name = serializers.CharField(required=False, max_length=120)
    draft = serializers.DictField(required=False)


class DesignCheckSerializer(Object):
    draft = serializers.DictField(help_text="A DesignSpec")
    design = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="The design that the draft is for"
    )


class DesignCheckedSerializer(Object):
    problems = DesignProblemSerializer(many=True)
    meaning = ScriptMeaning


class DesignTurnSerializer(Object):
    draft = serializers.DictField(help_text="A DesignSpec")
    into = serializers.ChoiceField(choices=("script", "drawing"))


class DesignTurnedSerializer(Object):
    draft = serializers.DictField(help_text="A DesignSpec")
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="What it says otherwise, one sentence for each"
    )


class DesignImportSerializer(Object):
    """A file that a studio exported (JSON), a GraphML file from any program, or a script."""

    text = serializers.CharField(trim_whitespace=False, help_text="Content of the file")
    name = serializers.CharField(required=False, allow_null=True, max_length=120)
    file_name = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=1_000,
        help_text="Name of the design if neither `name` nor the file has one",
    )
    keep_script = serializers.BooleanField(
        required=False,
        help_text="Import a script as a script, also with mistakes. Otherwise it becomes a drawing",
    )
