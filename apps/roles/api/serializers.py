"""Pools, roles, versions and reports over HTTP."""

from typing import Any

from rest_framework import serializers

from apps.common.serializers import Object, SlugKeyField
from apps.roles.history import diff_json
from apps.roles.imports import ImportReport
from apps.roles.models import NOT_FOR_SMALL_MODELS, NOTE_CHARS, PoolVersion, Role, RolePool
from workers.core.pools.compare import PoolDiff
from workers.core.pools.parse import MAX_CAPABILITY_CHARS, MAX_ITEMS


class RoleSerializer(serializers.ModelSerializer[Role]):
    key = SlugKeyField()
    family = SlugKeyField()
    capabilities = serializers.ListField(
        child=serializers.CharField(max_length=MAX_CAPABILITY_CHARS),
        max_length=MAX_ITEMS,
        required=False,
    )
    tools = serializers.ListField(child=SlugKeyField(), max_length=MAX_ITEMS, required=False)

    class Meta:
        model = Role
        fields = (
            *("key", "name", "family", "description", "capabilities", "prompt", "tools"),
            *("output_form", "refuse_condition", "version", "enabled", "updated_at"),
        )
        read_only_fields = ("version", "updated_at")


class RolePatchSerializer(RoleSerializer):
    key = SlugKeyField(read_only=True)


class PoolSerializer(serializers.ModelSerializer[RolePool]):
    """`version` is the version of the draft. Runs take `published_version`."""

    key = SlugKeyField()
    is_default = serializers.BooleanField(required=False)
    role_count = serializers.IntegerField(read_only=True)
    published_version = serializers.IntegerField(
        source="published.version", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = RolePool
        fields: tuple[str, ...] = (
            *("key", "name", "description", "version", "published_version", "has_changes"),
            *("is_default", "role_count", "updated_at"),
        )
        read_only_fields = ("version", "has_changes", "updated_at")


class PoolDetailSerializer(PoolSerializer):
    key = SlugKeyField(read_only=True)
    roles = RoleSerializer(many=True, read_only=True)

    class Meta(PoolSerializer.Meta):
        fields = (*PoolSerializer.Meta.fields, "roles")


class PoolCloneSerializer(serializers.Serializer[dict[str, str]]):
    key = SlugKeyField()
    name = serializers.CharField(max_length=120)


class SeenDraftSerializer(serializers.Serializer[dict[str, Any]]):
    version = serializers.IntegerField(
        required=False,
        min_value=1,
        help_text="Version of the draft that you looked at. If it "
        "is another one now, the answer is 409.",
    )


class PoolPublishSerializer(SeenDraftSerializer):
    note = serializers.CharField(
        required=False, allow_blank=True, max_length=NOTE_CHARS, help_text="What changed"
    )


class PoolVersionSerializer(serializers.ModelSerializer[PoolVersion]):
    published_by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)
    role_count = serializers.IntegerField(read_only=True)
    disabled_count = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Null: not recorded when this version was published",
    )

    class Meta:
        model = PoolVersion
        fields: tuple[str, ...] = (
            *("version", "published_at", "published_by", "note"),
            *("role_count", "disabled_count"),
        )


class RoleStateSerializer(serializers.Serializer[dict[str, Any]]):
    """A role as it was in one state of its pool."""

    key = serializers.CharField()
    name = serializers.CharField()
    family = serializers.CharField()
    description = serializers.CharField()
    capabilities = serializers.ListField(child=serializers.CharField())
    prompt = serializers.CharField()
    tools = serializers.ListField(child=serializers.CharField())
    output_form = serializers.CharField(allow_blank=True)
    refuse_condition = serializers.CharField(allow_blank=True, help_text=NOT_FOR_SMALL_MODELS)
    enabled = serializers.BooleanField()


class PoolVersionDetailSerializer(PoolVersionSerializer):
    roles = RoleStateSerializer(many=True, read_only=True)

    class Meta(PoolVersionSerializer.Meta):
        fields = (*PoolVersionSerializer.Meta.fields, "roles")


class FieldChangeSerializer(serializers.Serializer[dict[str, Any]]):
    name = serializers.CharField()
    before = serializers.JSONField(help_text="Text, list of texts, true or false")
    after = serializers.JSONField()


class RoleChangeSerializer(Object):
    key = serializers.CharField()
    fields = FieldChangeSerializer(many=True)


class PoolDiffSerializer(serializers.Serializer[PoolDiff]):
    added = RoleStateSerializer(many=True)
    removed = RoleStateSerializer(many=True)
    changed = RoleChangeSerializer(many=True)
    moved = serializers.BooleanField(
        help_text="Whether the roles that are in both have another order"
    )

    def to_representation(self, instance: PoolDiff) -> dict[str, Any]:
        return diff_json(instance)


class ImportReportSerializer(serializers.Serializer[ImportReport]):
    pool = serializers.CharField()
    created = serializers.ListField(child=serializers.CharField())
    updated = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())
    removed = serializers.ListField(child=serializers.CharField())
    changes = RoleChangeSerializer(
        many=True, source="diff.changed", help_text="What changes in the updated roles"
    )
    moved = serializers.BooleanField(
        source="diff.moved", help_text="Whether the order of the roles changes"
    )
    pool_changes = FieldChangeSerializer(
        many=True, help_text="What changes in the pool's name and description; applies at once"
    )
    version = serializers.IntegerField(
        allow_null=True,
        help_text="Version of the draft that the file was compared with. Null: "
        "there is no such pool.",
    )
    dry_run = serializers.BooleanField()
    published = serializers.BooleanField()
