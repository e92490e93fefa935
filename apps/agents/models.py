"""Agent profiles: the rows of the dynamic agent database (DADB) of ReSo, with their history."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from apps.llms.models import Endpoint
from apps.roles.models import EMBEDDING_DIMENSION, Role


class AgentProfile(models.Model):
    """Static profile (endpoint, role, prompt, memory, tools, embedding) and dynamic statistics.

    `reward` R(a) and `cost` C(a) are running means over `count` n(a) rewarded tasks. Only
    `history.profile_record_reward` and `restoring.profiles_restore` change them. Each is one
    statement that also writes the history, which has `recorded` rows so far.
    """

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="agents")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="agents")
    prompt = models.TextField(blank=True, default="", help_text=_("empty: the role's own prompt"))
    memory = models.TextField(blank=True, default="")
    edited_at = models.DateTimeField(null=True, blank=True, editable=False)
    edited_by = models.CharField(max_length=150, blank=True, default="", editable=False)
    """Time of the last change of the agent's own prompt or memory."""
    tools = ArrayField(models.SlugField(max_length=63), default=list, blank=True)
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True, blank=True)
    reward = models.FloatField(default=0.0)
    cost = models.FloatField(default=0.0)
    count = models.BigIntegerField(default=0)
    recorded = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("endpoint", "role"), name="agent_unique_endpoint_role"),
            models.CheckConstraint(condition=Q(count__gte=0), name="agent_count_min"),
            models.CheckConstraint(condition=Q(cost__gte=0), name="agent_cost_min"),
        )
        indexes = (
            models.Index(fields=("created_at", "id"), name="agent_by_created"),
            models.Index(fields=("count", "id"), name="agent_by_count"),
            models.Index(fields=("reward", "id"), name="agent_by_reward"),
            models.Index(fields=("cost", "id"), name="agent_by_cost"),
        )

    def __str__(self) -> str:
        return f"{self.role.name} on {self.endpoint.name}"


class ProfileSet(models.Model):
    """The own prompts and memories of agents when the runs, trainings or evaluations were made that
    point here: `profiles` are `OwnProfile`s. Never changed."""

    digest = models.CharField(max_length=64, unique=True)
    profiles = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest[:12]


class AgentReward(models.Model):
    """One reward of an agent and its result: `mean_reward` R(a), `mean_cost` C(a), `count` n(a).

    A row with `restored_from` is not a reward: it says that the statistics were set to those of a
    checkpoint. Rows never change. `number` numbers an agent's rows without a gap, whatever a
    restoration does to n(a), so its index finds any moment at once.
    """

    agent = models.ForeignKey(
        AgentProfile, on_delete=models.CASCADE, related_name="rewards", db_index=False
    )
    run = models.ForeignKey(
        "runs.Run",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    job = models.ForeignKey(
        "training.TrainingJob",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    """The training in which it was earned, with the step and the place in it."""
    step = models.PositiveIntegerField(null=True, blank=True)
    position = models.PositiveIntegerField(null=True, blank=True)
    restored_from = models.CharField(max_length=120, blank=True, default="")
    restored_by = models.CharField(max_length=150, blank=True, default="")
    number = models.BigIntegerField()
    reward = models.FloatField(null=True, blank=True)
    cost = models.FloatField(null=True, blank=True)
    mean_reward = models.FloatField()
    mean_cost = models.FloatField()
    count = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("agent", "-number")
        constraints = (
            models.UniqueConstraint(fields=("agent", "number"), name="agent_reward_numbered"),
            models.CheckConstraint(
                condition=Q(restored_from="", reward__isnull=False, cost__isnull=False)
                | (~Q(restored_from="") & Q(reward__isnull=True, cost__isnull=True)),
                name="agent_reward_or_restored",
            ),
            models.UniqueConstraint(
                fields=("job", "step", "position"),
                condition=Q(job__isnull=False),
                name="agent_reward_once_a_step",
            ),
        )
        indexes = (
            # For the deletion of a run.
            models.Index(fields=("run",), condition=Q(run__isnull=False), name="agent_reward_run"),
            # For what a snapshot of them has seen.
            models.Index(
                fields=("restored_from",),
                condition=~Q(restored_from=""),
                name="agent_reward_restored",
            ),
        )

    def __str__(self) -> str:
        return f"{self.number}: {self.mean_reward}"
