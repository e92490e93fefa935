"""Designs: graphs that a person drew or edited."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from workers.core.designs.spec import DesignSpec, read_design

UNNAMED = "Untitled design"


class Design(models.Model):
    """`revision` grows with every change. A person who saves names the revision that they read, so
    no one's change is overwritten unnoticed. `draft` is a `DesignSpec`, which may have problems."""

    class Origin(models.TextChoices):
        DRAWN = "drawn", _("Drawn")
        RUN = "run", _("Run")
        SAMPLE = "sample", _("Sample")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    draft = models.JSONField(default=dict)
    revision = models.PositiveIntegerField(default=1)
    origin = models.CharField(max_length=8, choices=Origin.choices, default=Origin.DRAWN)
    """What it began as; `drawn`: empty or from a file. `from_run` is null if the run was
    deleted."""
    from_run = models.ForeignKey(
        "runs.Run", on_delete=models.SET_NULL, null=True, blank=True, related_name="taken_designs"
    )
    """The run whose graph it was taken from."""
    departures = models.JSONField(default=list, blank=True)
    """How a run of the design as taken differs from the original: `Problem`s."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="designs"
    )
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-updated_at", "-id")
        indexes = (models.Index(fields=("-updated_at", "-id"), name="design_newest"),)

    def __str__(self) -> str:
        return self.name

    def spec(self) -> DesignSpec:
        return read_design(self.draft)


class DesignVersion(models.Model):
    """A named, unchangeable state of a design. The studio made it if it is `kept`, so that
    restoring another version loses nothing."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120, blank=True, default="")
    kept = models.BooleanField(default=False)
    spec = models.JSONField()
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
