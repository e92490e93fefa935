"""Users, API tokens and one-time login links. Secrets are stored as SHA-256 digests only."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

GROUPS = ("viewer", "operator", "curator", "admin")
"""What each group may do, lowest first. Each includes the rights of the groups before it."""

GROUP_RIGHTS = {
    "viewer": _(
        "reads everything in the studio: runs, roles, endpoints, datasets, trainings and "
        "evaluations; has tokens and saved filters"
    ),
    "operator": _(
        "also asks questions, draws designs, starts trainings and evaluations, writes "
        "notes, shares runs by links and has webhooks"
    ),
    "curator": _(
        "also edits role pools, endpoints and datasets, and chooses the checkpoints that "
        "runs use, on the pages and in the admin"
    ),
    "admin": _(
        "also manages people, groups and tokens, and stops or deletes what others started; only "
        "a superuser manages superusers"
    ),
}


class User(AbstractUser):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    endings_seen_at = models.DateTimeField(default=timezone.now, editable=False)
    """The time up to which this person has seen which of their trainings and evaluations ended."""


class ApiToken(models.Model):
    """A hashed, scoped, expiring token for programs. People recognize a token by its `prefix`."""

    class Scope(models.TextChoices):
        READ = "read", _("Read")
        RUN = "run", pgettext_lazy("scope", "Run")
        CURATE = "curate", _("Curate")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=120)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=16, choices=Scope.choices))
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name = _("API token")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class LoginLink(models.Model):
    """A one-time login link; used by a compare-and-set on `used_at`."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="login_links")
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"login link of {self.user}"


class SavedView(models.Model):
    """One person's filters of a list, under a name. `query` is the query of the page's address."""

    class Page(models.TextChoices):
        RUNS = "runs", _("Runs")
        TRAININGS = "trainings", _("Trainings")
        EVALUATIONS = "evaluations", _("Evaluations")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    page = models.CharField(max_length=16, choices=Page.choices)
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2_000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("page", "name")
        constraints = (
            models.UniqueConstraint(fields=("user", "page", "name"), name="saved_view_name"),
        )

    def __str__(self) -> str:
        return f"{self.page}: {self.name}"
