"""Evaluations: methods × tasks in one batch, and the result of each cell."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q


class Evaluation(models.Model):
    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    config = models.JSONField(default=dict)
    failure = models.JSONField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = (
            models.CheckConstraint(
                condition=~Q(status="failed") | Q(failure__isnull=False),
                name="evaluation_failed_has_cause",
            ),
        )

    def __str__(self) -> str:
        return self.name


class EvaluationResult(models.Model):
    """One task answered once by one method (and checkpoint); `run` opens its trace."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results")
    task = models.ForeignKey("tasks.Task", on_delete=models.PROTECT)
    method = models.SlugField(max_length=63)
    checkpoint = models.CharField(max_length=120, blank=True, default="")
    repeat = models.PositiveIntegerField(default=0)
    run = models.ForeignKey("runs.Run", on_delete=models.SET_NULL, null=True, blank=True)
    correct = models.BooleanField(null=True, blank=True)
    reward = models.FloatField(null=True, blank=True)
    explanation = models.TextField(blank=True, default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("evaluation", "task", "method", "checkpoint", "repeat"),
                name="evaluation_result_unique_cell",
            ),
        )

    def __str__(self) -> str:
        return f"{self.method} on {self.task}"
