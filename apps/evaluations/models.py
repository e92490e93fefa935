"""Evaluations: arms × tasks × repeats in one batch, and the result of each cell.

An evaluation is complete in itself. It keeps its tasks and its arms as they were when it was made,
so no import and no edit changes what a later resume measures.
"""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.setups.models import SetUp
from workers.core.specs import REPLY_TOKENS, most_reply_tokens

ACTIVE = ("queued", "running")


class Evaluation(models.Model):
    """`done` counts recorded cells of `total`. It changes only under the lock of the row."""

    class Status(models.TextChoices):
        QUEUED = "queued", _("Queued")
        RUNNING = "running", _("Running")
        SUCCEEDED = "succeeded", _("Succeeded")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.QUEUED)

    dataset = models.ForeignKey(
        "tasks.Dataset", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    dataset_key = models.SlugField(max_length=63, default="")
    split = models.CharField(max_length=8, default="")
    limit = models.PositiveIntegerField(null=True, blank=True)
    repeats = models.PositiveSmallIntegerField(default=1)
    seed = models.PositiveIntegerField(default=0)
    budget = models.JSONField(default=dict)
    concurrency = models.PositiveSmallIntegerField(default=4)
    warnings = models.JSONField(default=list, blank=True)

    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    failure = models.JSONField(null=True, blank=True)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    idempotency_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001
    request_digest = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    going_since = models.DateTimeField(null=True, blank=True)
    """The start, or the last resume."""
    worked_seconds = models.FloatField(default=0.0)
    """Wall time with answers in progress; a night with all workers down does not count."""
    timed = models.PositiveIntegerField(default=0)
    """Answers that came in this time, also those that are asked again later."""
    freed_at = models.DateTimeField(null=True, blank=True)
    """When one of its runs last ended. With no run in progress it waits since then, or since
    `going_since`."""
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=~Q(status="failed") | Q(failure__isnull=False),
                name="evaluation_failed_has_cause",
            ),
            models.CheckConstraint(
                condition=Q(done__lte=models.F("total")), name="evaluation_done_max"
            ),
            models.UniqueConstraint(
                fields=("created_by", "idempotency_key"),
                condition=Q(idempotency_key__isnull=False),
                name="evaluation_idempotency_key_unique",
            ),
        )
        indexes = (models.Index(fields=("-created_at", "-id"), name="evaluation_newest"),)

    def __str__(self) -> str:
        return self.name


class EvaluationArm(SetUp):
    """One way of answering: a method, its configuration, endpoint, pool and checkpoint."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="arms")
    index = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=120)
    max_completion_tokens_per_call = models.PositiveIntegerField(null=True, blank=True)
    """The arm's limit for one reply. None: the limit of the evaluation's budget."""
    tools = models.JSONField(null=True, blank=True)
    """Tools that its agents may use. None: an older version stored the arm."""

    class Meta:
        ordering = ("evaluation", "index")
        constraints = (
            models.UniqueConstraint(fields=("evaluation", "index"), name="evaluation_arm_unique"),
            models.UniqueConstraint(
                fields=("evaluation", "label"), name="evaluation_arm_label_unique"
            ),
        )
        indexes = (
            models.Index(
                fields=("checkpoint",),
                condition=~Q(checkpoint=""),
                name="evaluation_arm_checkpoint",
            ),
        )

    def __str__(self) -> str:
        return self.label

    def budget_in(self, evaluation: Evaluation) -> dict[str, Any]:
        """The budget of one answer: the evaluation's, with the arm's own limit for one reply."""
        budget: dict[str, Any] = evaluation.budget
        own = self.max_completion_tokens_per_call
        return {**budget, "max_completion_tokens_per_call": own} if own else budget

    @property
    def most_reply_tokens(self) -> int | None:
        """The most tokens that one reply can have: half of its endpoint's context. None: the stored
        endpoint cannot be read."""
        context = self.endpoint_spec.get("context_length")
        return most_reply_tokens(context) if isinstance(context, int) else None

    def reply_tokens(self, evaluation: Evaluation) -> int:
        """The tokens that one reply may have, by its limit and its endpoint's context."""
        allowed: int = self.budget_in(evaluation).get(
            "max_completion_tokens_per_call", REPLY_TOKENS
        )
        return min(allowed, self.most_reply_tokens or allowed)


class EvaluationTask(models.Model):
    """A task as it was. `spec` is a `TaskSpec`; `index` is its place in the split."""

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="tasks")
    index = models.PositiveIntegerField()
    task = models.ForeignKey(
        "tasks.Task", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    query = models.TextField()
    reference = models.TextField(null=True, blank=True)  # noqa: DJ001  None: none is known
    spec = models.JSONField()

    class Meta:
        ordering = ("evaluation", "index")
        constraints = (
            models.UniqueConstraint(fields=("evaluation", "index"), name="evaluation_task_unique"),
        )

    def __str__(self) -> str:
        return f"{self.index}: {self.query[:60]}"


class EvaluationResult(models.Model):
    """One cell: a task answered once by one arm.

        waiting (no run) ──▶ in progress (run) ──▶ recorded (recorded_at)

    Cells are started in the order of `position`. `run` opens the trace. `failed` cells have the
    `failure` of their run. `cost` (USD) is by the endpoint's prices, also for answers that the
    cache gave.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="results")
    position = models.PositiveIntegerField()
    arm = models.ForeignKey(EvaluationArm, on_delete=models.CASCADE, related_name="results")
    task = models.ForeignKey(EvaluationTask, on_delete=models.CASCADE, related_name="results")
    repeat = models.PositiveSmallIntegerField(default=0)
    run = models.OneToOneField(
        "runs.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="result"
    )

    recorded_at = models.DateTimeField(null=True, blank=True)
    failed = models.BooleanField(default=False)
    failure = models.JSONField(null=True, blank=True)
    correct = models.BooleanField(null=True, blank=True)
    reward = models.FloatField(null=True, blank=True)
    explanation = models.TextField(blank=True, default="")
    answer = models.TextField(null=True, blank=True)  # noqa: DJ001  None: no answer was given
    prompt_tokens = models.BigIntegerField(null=True, blank=True)
    completion_tokens = models.BigIntegerField(null=True, blank=True)
    cost = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    cached_share = models.FloatField(null=True, blank=True)
    """Share of its calls that the cache answered, 0 to 1. If it is above 0, `seconds` are no
    latency. None: not counted."""
    replies = models.PositiveIntegerField(null=True, blank=True)
    cut_replies = models.PositiveIntegerField(null=True, blank=True)
    final_cut = models.BooleanField(null=True, blank=True)
    """As in the run: replies of models, those cut at their token limit, and whether the run's own
    answer comes from a cut reply. None: unknown."""
    own_temperature = models.BooleanField(null=True, blank=True)
    """Whether a server used its own temperature instead of the arm's. None: unknown."""

    class Meta:
        ordering = ("evaluation", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("arm", "task", "repeat"), name="evaluation_result_unique_cell"
            ),
            models.UniqueConstraint(
                fields=("evaluation", "position"), name="evaluation_result_unique_position"
            ),
        )
        indexes = (
            models.Index(
                fields=("evaluation", "position"),
                condition=Q(recorded_at__isnull=True),
                name="evaluation_result_open",
            ),
        )

    def __str__(self) -> str:
        return f"cell {self.position}"


class Diagnosis(models.Model):
    """What the trace of an evaluation's run shows besides right or wrong.

    It belongs to the run: a cell that is answered again has another run and no diagnosis yet.
    `role_similarity` and `role_share` are None if the method chose no role that can be judged. `by`
    is empty unless the answer is wrong. `judge` is the model that judged.
    """

    class By(models.TextChoices):
        RULE = "rule", _("Rule")
        JUDGE = "judge", _("Judge")
        UNJUDGED = "unjudged", _("Unjudged")

    run = models.OneToOneField(
        "runs.Run", on_delete=models.CASCADE, primary_key=True, related_name="diagnosis"
    )
    role_similarity = models.FloatField(null=True, blank=True)
    role_share = models.FloatField(null=True, blank=True)
    category = models.CharField(max_length=32, blank=True, default="")
    by = models.CharField(max_length=8, choices=By.choices, blank=True, default="")
    judge = models.CharField(max_length=300, blank=True, default="")
    reason = models.TextField(blank=True, default="")

    class Meta:
        verbose_name_plural = _("diagnoses")
        constraints = (
            models.CheckConstraint(
                condition=Q(by__in=("rule", "judge"), category__gt="")
                | Q(by__in=("", "unjudged"), category=""),
                name="diagnosis_category_iff_decided",
            ),
            models.CheckConstraint(
                condition=Q(by="judge", judge__gt="") | (~Q(by="judge") & Q(judge="")),
                name="diagnosis_names_its_judge",
            ),
        )

    def __str__(self) -> str:
        return f"{self.category or self.by or 'not wrong'}"


class RationalityReport(models.Model):
    """Totals of the diagnoses, so that a page reads one row. `arms` has an `ArmRationality` each.

    It describes the moment when `done` cells were recorded, the last of them at `latest`;
    `looked_at` of them had a diagnosis, or no longer had a trace. `structure` is the result of the
    last comparison of M with M− and M+; None before there was one.
    """

    evaluation = models.OneToOneField(
        Evaluation, on_delete=models.CASCADE, primary_key=True, related_name="rationality"
    )
    done = models.PositiveIntegerField(default=0)
    latest = models.DateTimeField(null=True, blank=True)
    looked_at = models.PositiveIntegerField(default=0)
    arms = models.JSONField(default=list)
    structure = models.JSONField(null=True, blank=True)

    def __str__(self) -> str:
        return f"rationality of {self.evaluation}"
