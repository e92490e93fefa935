"""Training jobs, their metrics, and the checkpoints they leave."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class TrainingJob(models.Model):
    """Stores everything needed to train again: config, seed, code, pool and data versions."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        PAUSED = "paused"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    method = models.SlugField(max_length=63)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    config = models.JSONField(default=dict)
    seed = models.PositiveIntegerField(default=0)
    code_version = models.CharField(max_length=64, blank=True, default="")
    pool_version = models.ForeignKey(
        "roles.PoolVersion", on_delete=models.PROTECT, null=True, blank=True
    )
    dataset = models.ForeignKey("tasks.Dataset", on_delete=models.PROTECT, null=True, blank=True)
    split = models.CharField(max_length=8, blank=True, default="")
    endpoint_spec = models.JSONField(null=True, blank=True)
    step = models.PositiveIntegerField(default=0)
    total_steps = models.PositiveIntegerField(default=0)
    failure = models.JSONField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(
                condition=~Q(status="failed") | Q(failure__isnull=False),
                name="training_failed_has_cause",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Metric(models.Model):
    """One step of a job's timeline: all its values together."""

    job = models.ForeignKey(TrainingJob, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    values = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("job", "step")
        constraints = (models.UniqueConstraint(fields=("job", "step"), name="metric_unique_step"),)

    def __str__(self) -> str:
        return f"{self.job} step {self.step}"


class Checkpoint(models.Model):
    """Weights on disk (safetensors + JSON). `trained` False labels an initial, untrained policy."""

    name = models.CharField(max_length=120, unique=True)
    method = models.SlugField(max_length=63)
    path = models.CharField(max_length=500)
    digest = models.CharField(max_length=64)
    trained = models.BooleanField(default=False)
    is_default = models.BooleanField(default=False)
    job = models.ForeignKey(
        TrainingJob, on_delete=models.SET_NULL, null=True, blank=True, related_name="checkpoints"
    )
    step = models.PositiveIntegerField(default=0)
    recipe = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("method",), condition=Q(is_default=True), name="checkpoint_one_default"
            ),
        )

    def __str__(self) -> str:
        return self.name
