"""Training jobs, their metrics and samples, and the checkpoints they leave."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

ENDED = ("succeeded", "failed", "cancelled")
HELD = ("running", "pausing")
"""A worker has the job: it trains, or finishes the step before a pause."""


class TrainingJob(models.Model):
    """Stores everything needed to train again: config, seed, code, pool and data versions.

    `attempt` counts claims; it is the fencing token of everything that a worker writes. `lost`
    counts workers that vanished in a row without a step in between.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        PAUSING = "pausing", _("Pausing")
        PAUSED = "paused", _("Paused")
        SUCCEEDED = "succeeded", _("Succeeded")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    class EndReason(models.TextChoices):
        COMPLETED = "completed", _("Completed")
        BUDGET = "budget", _("Budget")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    method = models.SlugField(max_length=63)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    lost = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=120, blank=True, default="")

    preset = models.CharField(max_length=63, blank=True, default="")
    config = models.JSONField(default=dict)
    """The whole config, with defaults filled in, so a later default changes no stored job."""
    seed = models.PositiveIntegerField(default=0)
    code_version = models.CharField(max_length=64, blank=True, default="")
    """Version of the worker that claimed it last; empty until one does."""
    pool_version = models.ForeignKey(
        "roles.PoolVersion", on_delete=models.PROTECT, null=True, blank=True
    )
    dataset = models.ForeignKey("tasks.Dataset", on_delete=models.PROTECT, null=True, blank=True)
    dataset_digest = models.CharField(max_length=64, blank=True, default="")
    split = models.CharField(max_length=8, blank=True, default="")
    limit = models.PositiveIntegerField(null=True, blank=True)
    endpoint_spec = models.JSONField(null=True, blank=True)
    profiles = models.ForeignKey(
        "agents.ProfileSet",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    """The agents' own prompts and memories; None: they have none."""
    endpoint_specs = models.JSONField(default=list, blank=True)
    """Further endpoints, which the config names by key."""
    start_from = models.CharField(max_length=120, blank=True, default="")
    budget = models.JSONField(default=dict, blank=True)
    per_system = models.JSONField(default=dict, blank=True)
    keep_checkpoints = models.PositiveSmallIntegerField(default=5)

    step = models.PositiveIntegerField(default=0)
    total_steps = models.PositiveIntegerField(default=0)
    """0: the method does not say."""
    step_share = models.FloatField(default=0.0)
    """How much of the step after `step` is done, 0 to 1, if the method says so."""
    latest = models.JSONField(default=dict, blank=True)
    """The metrics of `step`."""
    tokens = models.BigIntegerField(null=True, blank=True, default=0)
    cost = models.FloatField(null=True, blank=True, default=0.0)
    charged_tokens = models.BigIntegerField(default=0)
    charged_cost = models.FloatField(default=0.0)
    """What counts for `budget`, over all attempts, estimated where usage is unknown."""
    promised_tokens = models.BigIntegerField(default=0)
    promised_cost = models.FloatField(default=0.0)
    """What counts if the worker of this attempt vanishes. It includes the calls in progress, and is
    stored before each call is sent."""
    notices = models.JSONField(default=list, blank=True)
    """What people should know about its course: `{at, code, message}`, oldest first."""
    end_reason = models.CharField(max_length=12, choices=EndReason.choices, blank=True, default="")
    failure = models.JSONField(null=True, blank=True)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001
    request_digest = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    going_since = models.DateTimeField(null=True, blank=True)
    """When the last worker claimed it; `step_before` steps were done then."""
    step_before = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    pause_requested_at = models.DateTimeField(null=True, blank=True)
    pause_requested_by = models.CharField(max_length=150, blank=True, default="")
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_by = models.CharField(max_length=150, blank=True, default="")

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=~Q(status="failed") | Q(failure__isnull=False),
                name="training_failed_has_cause",
            ),
            models.CheckConstraint(
                condition=Q(status__in=ENDED, finished_at__isnull=False)
                | (~Q(status__in=ENDED) & Q(finished_at__isnull=True)),
                name="training_finished_iff_ended",
            ),
            models.UniqueConstraint(
                fields=("created_by", "idempotency_key"),
                condition=Q(idempotency_key__isnull=False),
                name="training_idempotency_key_unique",
            ),
        )
        indexes = (
            models.Index(fields=("-created_at", "-id"), name="training_newest"),
            models.Index(
                fields=("heartbeat_at",), condition=Q(status__in=HELD), name="training_heartbeats"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Metric(models.Model):
    """One step of a job's timeline, with all its values."""

    job = models.ForeignKey(TrainingJob, on_delete=models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    values = models.JSONField()
    selections = models.JSONField(default=list)
    """How likely each role was (`core.events.Selection`); []: the method or its version tells
    nothing."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("job", "step")
        constraints = (models.UniqueConstraint(fields=("job", "step"), name="metric_unique_step"),)

    def __str__(self) -> str:
        return f"{self.job} step {self.step}"


class TrainingSample(models.Model):
    """A system that a step sampled. `payload`: answer, graph, advantages, action_rewards, trace."""

    job = models.ForeignKey(TrainingJob, on_delete=models.CASCADE, related_name="samples")
    step = models.PositiveIntegerField()
    index = models.PositiveIntegerField()
    query = models.TextField()
    reference = models.TextField(null=True, blank=True)  # noqa: DJ001  None: none is known
    correct = models.BooleanField()
    reward = models.FloatField()
    tokens = models.BigIntegerField()
    agents = models.PositiveIntegerField()
    payload = models.JSONField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("job", "step", "index")
        constraints = (
            models.UniqueConstraint(fields=("job", "step", "index"), name="training_sample_unique"),
        )

    def __str__(self) -> str:
        return f"{self.job} step {self.step} sample {self.index}"
