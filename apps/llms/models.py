"""LLM endpoints, and the answers at temperature 0 that they gave."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from workers.core.specs import EndpointSpec


class Endpoint(models.Model):
    """An OpenAI-compatible server. An API key is never stored: only the name of its variable."""

    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=300)
    context_length = models.PositiveIntegerField(default=4_096)
    prompt_price = models.FloatField(null=True, blank=True, help_text="USD per million tokens")
    completion_price = models.FloatField(null=True, blank=True, help_text="USD per million tokens")
    api_key_env = models.CharField(max_length=100, blank=True, default="")
    max_concurrency = models.PositiveIntegerField(default=8)
    timeout_seconds = models.FloatField(default=120.0)
    native_tools = models.BooleanField(default=False)
    allow_private_address = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("key",)
        constraints = (
            models.UniqueConstraint(
                fields=("is_default",), condition=Q(is_default=True), name="endpoint_one_default"
            ),
            models.CheckConstraint(
                condition=Q(context_length__gte=256), name="endpoint_context_length_min"
            ),
            models.CheckConstraint(
                condition=Q(max_concurrency__gte=1), name="endpoint_concurrency_min"
            ),
            models.CheckConstraint(condition=Q(timeout_seconds__gt=0), name="endpoint_timeout_min"),
            models.CheckConstraint(
                condition=Q(prompt_price__isnull=True) | Q(prompt_price__gte=0),
                name="endpoint_prompt_price_min",
            ),
            models.CheckConstraint(
                condition=Q(completion_price__isnull=True) | Q(completion_price__gte=0),
                name="endpoint_completion_price_min",
            ),
        )

    def __str__(self) -> str:
        return self.name

    def spec(self) -> EndpointSpec:
        return EndpointSpec(**{name: getattr(self, name) for name in EndpointSpec.model_fields})


class CachedAnswer(models.Model):
    """`key` is `request_key` of the exact request, `payload` what `result_to_bytes` wrote."""

    key = models.CharField(max_length=64, primary_key=True)
    payload = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
