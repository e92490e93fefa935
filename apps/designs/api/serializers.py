"""Designs on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.common.serializers import Object
from apps.designs.models import Design, DesignVersion
from apps.designs.selectors import problems_of
from workers.core.designs.problems import Problem


class DesignProblemSerializer(Object):
    """An error keeps the design from running; a warning does not."""

    severity = serializers.ChoiceField(choices=("error", "warning"))
    code = serializers.CharField()
    message = serializers.CharField()
    remedy = serializers.CharField()
    agent_id = serializers.CharField(allow_null=True, help_text="null: it concerns all of it")


def problems_on_wire(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [problem.model_dump() for problem in problems]


class DesignVersionListedSerializer(serializers.Serializer[DesignVersion]):
    number = serializers.IntegerField()
    name = serializers.CharField()
    kept = serializers.BooleanField(help_text="the studio kept it before another was restored")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()


class DesignVersionSerializer(DesignVersionListedSerializer):
    spec = serializers.DictField(help_text="a DesignSpec")


class DesignRevisionSerializer(serializers.Serializer[Design]):
    revision = serializers.IntegerField()
    updated_by = serializers.CharField(source="updated_by.username", default=None, allow_null=True)
    updated_at = serializers.DateTimeField()


class DesignListedSerializer(serializers.Serializer[Design]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    revision = serializers.IntegerField()
    agent_count = serializers.IntegerField()
    version_count = serializers.IntegerField()
    origin = serializers.ChoiceField(choices=Design.Origin.choices)
    from_run = serializers.UUIDField(
        source="from_run_id", allow_null=True, help_text="null also where that run was deleted"
    )
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    updated_by = serializers.CharField(source="updated_by.username", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DesignSerializer(DesignListedSerializer):
    draft = serializers.DictField(help_text="a DesignSpec")
    problems = serializers.SerializerMethodField()
    versions = DesignVersionListedSerializer(many=True)

    @extend_schema_field(DesignProblemSerializer(many=True))
    def get_problems(self, design: Design) -> list[dict[str, Any]]:
        return problems_on_wire(problems_of(design))


class DesignWantedSerializer(Object):
    """An empty design, one with `draft`, or one with the graph of a run or of a system that a
    training sampled."""

    name = serializers.CharField(required=False, allow_null=True, max_length=120)
    draft = serializers.DictField(required=False, allow_null=True)
    from_run = serializers.UUIDField(required=False, allow_null=True)
    from_sample = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**63 - 1
    )
    reuse = serializers.BooleanField(
        required=False,
        help_text="open your own unchanged empty design, if there is one",
    )


class DesignChangeSerializer(Object):
    """Only what is given changes."""

    revision = serializers.IntegerField(min_value=1, help_text="the one that you read")
    name = serializers.CharField(required=False, max_length=120)
    draft = serializers.DictField(required=False)


class DesignCheckSerializer(Object):
    draft = serializers.DictField(help_text="a DesignSpec")
    design = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="whose draft it is to be"
    )


class DesignCheckedSerializer(Object):
    problems = DesignProblemSerializer(many=True)


class VersionWantedSerializer(Object):
    revision = serializers.IntegerField(min_value=1, help_text="the one that you read")
    name = serializers.CharField(max_length=120)


class RestoreSerializer(Object):
    revision = serializers.IntegerField(min_value=1, help_text="the one that you read")


class DesignImportSerializer(Object):
    """A file that a studio exported (JSON), or a GraphML file of any program."""

    text = serializers.CharField(trim_whitespace=False, help_text="the file's content")
    name = serializers.CharField(required=False, allow_null=True, max_length=120)
    file_name = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=1_000,
        help_text="the design is called so where neither `name` nor the file names it",
    )
