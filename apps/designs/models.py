"""Designs: graphs that a person drew or edited."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


class Design(models.Model):
    """`revision` grows with every save; a writer names the one it read: nothing is overwritten."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    draft = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-updated_at",)

    def __str__(self) -> str:
        return self.name


class DesignVersion(models.Model):
    """A named, immutable state of a design."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True, default="")
    graph = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-number",)
        constraints = (
            models.UniqueConstraint(
                fields=("design", "number"), name="design_version_unique_number"
            ),
        )

    def __str__(self) -> str:
        return f"{self.design} v{self.number}"
