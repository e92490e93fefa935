"""Role pools and roles, versioned: a change makes a version; a run names the one it used."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from workers.core.specs import RoleSpec

EMBEDDING_DIMENSION = 384


class RolePool(models.Model):
    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="", max_length=2_000)
    version = models.PositiveIntegerField(default=1)
    is_default = models.BooleanField(default=False)
    shipped_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    """Of the roles as last loaded from the built-in file; differs once people have changed them."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("key",)
        constraints = (
            models.UniqueConstraint(
                fields=("is_default",), condition=Q(is_default=True), name="pool_one_default"
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="pool_version_min"),
        )

    def __str__(self) -> str:
        return self.name


class PoolVersion(models.Model):
    """The whole pool as it was (`spec` is a `PoolSpec`). Runs point here: a pool may change."""

    pool = models.ForeignKey(
        RolePool, on_delete=models.SET_NULL, null=True, related_name="versions"
    )
    key = models.SlugField(max_length=63)
    version = models.PositiveIntegerField()
    spec = models.JSONField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("key", "version", "digest"), name="pool_version_unique"
            ),
        )

    def __str__(self) -> str:
        return f"{self.key}@{self.version}"


class Role(models.Model):
    """`embedding` is the MiniLM vector of `RoleSpec.profile()`, float (384,), L2-normalised."""

    pool = models.ForeignKey(RolePool, on_delete=models.CASCADE, related_name="roles")
    key = models.SlugField(max_length=63)
    name = models.CharField(max_length=120)
    family = models.SlugField(max_length=63)
    description = models.TextField(max_length=2_000)
    capabilities = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    prompt = models.TextField(max_length=20_000)
    tools = ArrayField(models.SlugField(max_length=63), default=list, blank=True)
    output_form = models.TextField(blank=True, default="", max_length=2_000)
    refuse_condition = models.TextField(blank=True, default="", max_length=2_000)
    version = models.PositiveIntegerField(default=1)
    enabled = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0)
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("position", "key")
        constraints = (
            models.UniqueConstraint(fields=("pool", "key"), name="role_key_unique_in_pool"),
            models.CheckConstraint(condition=Q(version__gte=1), name="role_version_min"),
        )

    def __str__(self) -> str:
        return self.name

    def spec(self) -> RoleSpec:
        return RoleSpec(**{name: getattr(self, name) for name in RoleSpec.model_fields})


class RoleVersion(models.Model):
    """What a role said at each version, and who changed it."""

    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="history")
    version = models.PositiveIntegerField()
    spec = models.JSONField()
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-version",)
        constraints = (
            models.UniqueConstraint(fields=("role", "version"), name="role_version_unique"),
        )

    def __str__(self) -> str:
        return f"{self.role}@{self.version}"
