"""Runs, their events and their agents."""

import uuid

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, HashIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left, Upper
from django.utils.translation import gettext_lazy as _

from apps.setups.models import SetUp

TERMINAL = ("succeeded", "failed", "cancelled")
SEARCHED_CHARS = 20_000
"""Limit on an answer's text, and on that of all notes: Postgres refuses a row with a megabyte of
search words."""


class Run(SetUp):
    """One query, answered by one method.

    `waiting`: held before an agent until a person continues it (`control`); no worker has it.
    `attempt` counts claims; a claim is a compare-and-set on `status`. Only a worker with the
    current `attempt` may write the end, so a worker that was given up cannot overwrite its
    successor.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        WAITING = "waiting", _("Waiting")
        SUCCEEDED = "succeeded", _("Succeeded")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=3)

    seed = models.PositiveIntegerField(default=0)
    query = models.TextField()
    noted = models.TextField(blank=True, default="")
    """Labels and comments of all its notes. A trigger on `Annotation` writes it, because deleting a
    person deletes their notes without any service."""
    words = models.GeneratedField(
        # Stored: making it anew for each row that a search looks at took 0.1 ms a row. One column
        # for all three: the words of a search may lie in different ones, and one index finds them.
        expression=SearchVector(
            "query",
            Left("answer", SEARCHED_CHARS),
            Left("noted", SEARCHED_CHARS),
            config="simple",
        ),
        output_field=SearchVectorField(),
        db_persist=True,
    )
    reference = models.TextField(null=True, blank=True)  # noqa: DJ001  None: no reference is known
    task_details = models.JSONField(default=dict, blank=True)
    """What a `TaskSpec` has besides these two: domain, answer form, verifier, metadata."""
    evaluation = models.ForeignKey(
        "evaluations.Evaluation",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="runs",
    )
    """The evaluation that it answers a cell of. None: a person asked."""
    budget = models.JSONField(default=dict)

    answer = models.TextField(null=True, blank=True)  # noqa: DJ001  None: no answer was given
    message = models.TextField(blank=True, default="")
    correct = models.BooleanField(null=True, blank=True)
    """Verdict of the task's verifier. None: not judged."""
    reward = models.FloatField(null=True, blank=True)
    failure = models.JSONField(null=True, blank=True)
    graph = models.JSONField(null=True, blank=True)
    agent_count = models.PositiveIntegerField(null=True, blank=True)
    prompt_tokens = models.BigIntegerField(null=True, blank=True)
    completion_tokens = models.BigIntegerField(null=True, blank=True)
    cost = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    replies = models.PositiveIntegerField(null=True, blank=True)
    """Number of replies of models (`workers.core.mas.cut_answers`). None: unknown."""
    cut_replies = models.PositiveIntegerField(null=True, blank=True)
    """Number of these that stopped at their token limit."""
    cut_agents = models.JSONField(null=True, blank=True)
    """Who got them: ids of agents, or “planner”."""
    final_cut = models.BooleanField(null=True, blank=True)
    """Whether the run's own answer comes from one of them. None: unknown, or no answer."""

    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="runs"
    )
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001
    request_digest = models.CharField(max_length=64, blank=True, default="")
    control = models.JSONField(default=dict, blank=True)
    """How a person leads it: a `RunControl`, without what a paused attempt left in its events."""
    fork_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="forks"
    )
    retry_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="retries"
    )
    worker = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_by = models.CharField(max_length=150, blank=True, default="")

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "waiting", *TERMINAL]),
                name="run_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "waiting"], finished_at__isnull=True)
                | Q(status__in=TERMINAL, finished_at__isnull=False),
                name="run_finished_iff_terminal",
            ),
            models.CheckConstraint(
                condition=Q(attempt__lte=F("max_attempts")), name="run_attempt_max"
            ),
            models.CheckConstraint(
                condition=~Q(status="failed") | Q(failure__isnull=False),
                name="run_failed_has_cause",
            ),
            models.CheckConstraint(condition=~Q(query=""), name="run_query_not_empty"),
            models.UniqueConstraint(
                fields=("created_by", "idempotency_key"),
                condition=Q(idempotency_key__isnull=False),
                name="run_idempotency_key_unique",
            ),
        )
        indexes = (
            models.Index(fields=("-created_at", "-id"), name="run_newest"),
            models.Index(
                fields=("-created_at", "-id"),
                condition=Q(evaluation__isnull=True),
                name="run_newest_of_people",
            ),
            models.Index(fields=("status", "-created_at"), name="run_status_newest"),
            models.Index(fields=("method", "-created_at"), name="run_method_newest"),
            models.Index(fields=("endpoint_key", "-created_at"), name="run_endpoint_newest"),
            models.Index(fields=("created_by", "-created_at"), name="run_user_newest"),
            models.Index(
                fields=("checkpoint",), condition=~Q(checkpoint=""), name="run_checkpoint"
            ),
            models.Index(
                fields=("heartbeat_at",), condition=Q(status="running"), name="run_heartbeats"
            ),
            models.Index(
                fields=("correct", "-created_at"),
                condition=Q(correct__isnull=False, evaluation__isnull=True),
                name="run_judged_newest",
            ),
            models.Index(
                fields=("cost",),
                condition=Q(cost__isnull=False, evaluation__isnull=True),
                name="run_cost_of_people",
            ),
            GinIndex(fields=("words",), name="run_words"),
            HashIndex(fields=("query",), name="run_query"),
        )

    def __str__(self) -> str:
        return f"{self.method}: {self.query[:60]}"


class RunEvent(models.Model):
    """One stored event: `payload` is the event as JSON, `kind` its discriminator."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    attempt = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=32)
    payload = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("run", "attempt", "seq")
        constraints = (
            models.UniqueConstraint(
                fields=("run", "attempt", "seq"), name="run_event_unique_attempt_seq"
            ),
        )

    def __str__(self) -> str:
        return f"{self.attempt}.{self.seq} {self.kind}"


class RunPicture(models.Model):
    """A page as an agent saw it. Events name it by its id (`ToolReturned.picture`)."""

    id = models.UUIDField(primary_key=True, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="pictures")
    jpeg = models.BinaryField()

    def __str__(self) -> str:
        return f"picture of {self.run_id}"


class RunAgent(models.Model):
    """One agent of a run's last attempt, flat, for statistics over roles and endpoints."""

    class Outcome(models.TextChoices):
        ANSWERED = "answered", _("Answered")
        REFUSED = "refused", _("Refused")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="agents")
    agent_id = models.CharField(max_length=64)
    role_key = models.SlugField(max_length=63)
    role_name = models.CharField(max_length=120)
    family = models.SlugField(max_length=63)
    endpoint_key = models.SlugField(max_length=63)
    outcome = models.CharField(max_length=12, choices=Outcome.choices)
    prompt_tokens = models.BigIntegerField(null=True, blank=True)
    completion_tokens = models.BigIntegerField(null=True, blank=True)
    cost = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(default=0.0)
    cached = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("run", "agent_id"), name="run_agent_unique"),
        )
        indexes = (models.Index(fields=("role_key",), name="run_agent_role"),)

    def __str__(self) -> str:
        return f"{self.agent_id} {self.role_name}"


class Annotation(models.Model):
    """One person's note on a run; `score` is 1 to 5."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="annotations")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    label = models.CharField(max_length=60, blank=True, default="")
    comment = models.TextField(blank=True, default="")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("updated_at", "id")
        constraints = (
            models.UniqueConstraint(fields=("run", "author"), name="annotation_one_per_author"),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=1, score__lte=5),
                name="annotation_score_1_to_5",
            ),
        )
        indexes = (
            models.Index(Upper("label"), name="annotation_label"),
            models.Index(
                fields=("score",), condition=Q(score__isnull=False), name="annotation_score"
            ),
        )

    def __str__(self) -> str:
        return f"{self.author} on {self.run_id}"


class Share(models.Model):
    """A link that lets any person read the run. Its secret is made from the id (`shares`)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="shares")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return f"link to {self.run_id}"
