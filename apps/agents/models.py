"""Agent profiles: the rows of the dynamic agent database (DADB) of ReSo."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from apps.llms.models import Endpoint
from apps.roles.models import EMBEDDING_DIMENSION, Role


class AgentProfile(models.Model):
    """Static profile (endpoint, role, prompt, memory, tools, embedding) and dynamic statistics.

    `reward` R(a) and `cost` C(a) are running means over `count` n(a) rewarded tasks; they change
    only through `services.profile_record_reward`, one atomic statement.
    """

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="agents")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="agents")
    prompt = models.TextField(blank=True, default="", help_text="empty: the role's own prompt")
    memory = models.TextField(blank=True, default="")
    tools = ArrayField(models.SlugField(max_length=63), default=list, blank=True)
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True, blank=True)
    reward = models.FloatField(default=0.0)
    cost = models.FloatField(default=0.0)
    count = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("endpoint", "role"), name="agent_unique_endpoint_role"),
            models.CheckConstraint(condition=Q(count__gte=0), name="agent_count_min"),
            models.CheckConstraint(condition=Q(cost__gte=0), name="agent_cost_min"),
        )

    def __str__(self) -> str:
        return f"{self.role.name} on {self.endpoint.name}"
