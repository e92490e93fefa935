"""Checkpoints in the API."""

from rest_framework import serializers

from apps.checkpoints.models import Checkpoint
from apps.common.serializers import FreeModelSerializer

CHECKPOINT_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$"


class CheckpointSerializer(FreeModelSerializer[Checkpoint]):
    job = serializers.UUIDField(source="job_id", allow_null=True, read_only=True)
    label = serializers.CharField(max_length=200, required=False)
    job_name = serializers.CharField(source="job.name", default=None, read_only=True)
    run_config = serializers.DictField(
        read_only=True,
        allow_null=True,
        help_text="Settings of its training. Runs with this checkpoint use them by default.",
    )

    class Meta:
        model = Checkpoint
        fields = (
            *("name", "method", "label", "trained", "is_default", "promoted", "job", "job_name"),
            *("step", "digest", "size_bytes", "recipe", "run_config", "metrics", "created_at"),
        )
        read_only_fields = tuple(name for name in fields if name not in ("label", "promoted"))
