"""Role pools and roles, versioned: roles are the draft, and runs take what is published of it."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import VectorField

from workers.core.specs import RoleSpec

EMBEDDING_DIMENSION = 384
NOTE_CHARS = 500
NOT_FOR_SMALL_MODELS = _(
    "Models below a billion parameters do not get this text: they repeat it as an answer."
)


class RolePool(models.Model):
    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="", max_length=2_000)
    version = models.PositiveIntegerField(default=1)
    """Version of the draft; every change increases it."""
    published = models.ForeignKey(
        "roles.PoolVersion",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
    )
    """The version that runs take. None: the pool was never published."""
    has_changes = models.BooleanField(default=True, editable=False)
    """Whether the draft differs from what is published; `drafts` keeps it up to date."""
    is_default = models.BooleanField(default=False)
    shipped_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    """Digest of the roles as last loaded from the built-in file. It differs once people have
    changed them."""
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

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """A new default is no error: the service removes the mark from the old default."""
        super().validate_constraints({*(exclude or ()), "is_default"})


class PoolVersion(models.Model):
    """The whole pool as it was published (`spec` is a `PoolSpec`). Runs point here, and it never
    changes."""

    pool = models.ForeignKey(
        RolePool, on_delete=models.SET_NULL, null=True, related_name="versions"
    )
    key = models.SlugField(max_length=63)
    version = models.PositiveIntegerField()
    spec = models.JSONField()
    disabled = models.JSONField(null=True, blank=True, default=None)
    """The roles that were disabled, `[{place, role}]`, with their places among all roles, so that a
    restore puts them back there. None: the version was made before these were recorded."""
    digest = models.CharField(max_length=64)
    note = models.CharField(max_length=NOTE_CHARS, blank=True, default="")
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    published_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-published_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("key", "version", "digest"), name="pool_version_unique"
            ),
        )

    def __str__(self) -> str:
        return f"{self.key}@{self.version}"


class DraftRoles(models.Manager["Role"]):
    def get_queryset(self) -> models.QuerySet[Role]:
        return super().get_queryset().filter(removed=False)


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
    refuse_condition = models.TextField(
        blank=True, default="", max_length=2_000, help_text=NOT_FOR_SMALL_MODELS
    )
    version = models.PositiveIntegerField(default=1)
    enabled = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0)
    embedding = VectorField(dimensions=EMBEDDING_DIMENSION, null=True, blank=True)
    removed = models.BooleanField(default=False, editable=False)
    """Deleted in the draft of a published pool. The row stays until the pool is published without
    it, for its history and for what its agents have learned."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = DraftRoles()
    stored = models.Manager["Role"]()

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


class PoolChange(models.Model):
    """One line of a pool's history: who did what, and what it changed of the draft.

    `diff` is a `PoolDiff` as JSON (`history`). The line outlives the pool and keeps its key.
    """

    class Kind(models.TextChoices):
        CREATED = "created", _("pool created")
        RENAMED = "renamed", _("pool's own fields changed")
        DELETED = "deleted", _("pool deleted")
        ROLE_ADDED = "role_added", _("role added")
        ROLE_UPDATED = "role_updated", _("role changed")
        ROLE_REMOVED = "role_removed", _("role removed")
        ENABLED = "enabled", _("roles enabled")
        DISABLED = "disabled", _("roles disabled")
        MOVED = "moved", _("roles moved to a family")
        IMPORTED = "imported", _("imported")
        PUBLISHED = "published", _("published")
        DISCARDED = "discarded", _("draft discarded")
        RESTORED = "restored", _("version restored")
        CLONED = "cloned", _("cloned from another pool")

    pool = models.ForeignKey(RolePool, on_delete=models.SET_NULL, null=True, related_name="changes")
    pool_key = models.SlugField(max_length=63)
    version = models.PositiveIntegerField()
    """Version of the pool after the change."""
    kind = models.CharField(max_length=16, choices=Kind.choices)
    note = models.CharField(max_length=NOTE_CHARS, blank=True, default="")
    diff = models.JSONField(default=dict, blank=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True
    )
    changed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-changed_at", "-id")
        indexes = (models.Index(fields=("pool", "-changed_at"), name="pool_change_newest"),)

    def __str__(self) -> str:
        return f"{self.pool_key}@{self.version}: {self.get_kind_display()}"
