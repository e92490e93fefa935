"""Webhooks, and their deliveries."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.webhooks.addresses import origin_of
from apps.webhooks.signing import new_salt, secret_of

NAME_CHARS = 60
URL_CHARS = 2_000


class Webhook(models.Model):
    """One person's address. It gets a request when one of the person's trainings or evaluations has
    ended.

    `salt` is no secret: the signing secret is made from it and the studio's key (`signing`). Times
    that are compared with the end of a job come from Postgres's clock, as those ends do.
    """

    class Off(models.TextChoices):
        FAILING = "failing", _("Failing")
        GONE = "gone", _("Gone")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks"
    )
    name = models.CharField(max_length=NAME_CHARS)
    url = models.CharField(max_length=URL_CHARS)
    salt = models.CharField(max_length=32, default=new_salt, editable=False)
    old_salt = models.CharField(max_length=32, blank=True, default="", editable=False)
    """Salt of the previous secret, which also signs until `old_salt_until`."""
    old_salt_until = models.DateTimeField(null=True, blank=True, editable=False)
    allow_private_address = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    active_since = models.DateTimeField(default=timezone.now, editable=False)
    """Endings before this time are not sent."""
    off_reason = models.CharField(max_length=8, choices=Off.choices, blank=True, default="")
    """Why the studio has switched it off; empty if its owner did."""
    failures = models.PositiveIntegerField(default=0)
    """Number of deliveries in a row that were given up."""
    last_at = models.DateTimeField(null=True, blank=True)
    last_http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    """For the last delivery, or test; None: there was no response."""
    last_failure = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "id")
        constraints = (models.UniqueConstraint(fields=("owner", "name"), name="webhook_name"),)
        indexes = (
            models.Index(fields=("owner",), condition=Q(is_active=True), name="webhook_active"),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def origin(self) -> str:
        """Part of the address without path and query, which may be secret."""
        return origin_of(self.url)

    @property
    def old_secret_until(self) -> datetime | None:
        """None: the previous secret no longer signs."""
        until = self.old_salt_until
        return until if until and until > timezone.now() else None

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that sign now, newest first."""
        salts = (self.salt, self.old_salt) if self.old_secret_until else (self.salt,)
        return tuple(secret_of(self.id, salt) for salt in salts)


class Delivery(models.Model):
    """One ending for one webhook, or a test. `job` is the job as in the body.

    While it is being sent, `next_try_at` is the time when its sender counts as vanished. `tries`
    counts started tries; it is the fencing token of what a sender writes.
    """

    class Kind(models.TextChoices):
        TRAINING = "training", _("Training")
        EVALUATION = "evaluation", _("Evaluation")
        TEST = "test", pgettext_lazy("delivery", "Test")

    class Status(models.TextChoices):
        PENDING = "pending", _("Pending")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Postgres deletes them with their webhook, and so locks the webhook first, as senders do;
    # Django would delete them first, also where a user goes with everything.
    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, db_constraint=False, related_name="deliveries"
    )
    kind = models.CharField(max_length=12, choices=Kind.choices)
    event = models.CharField(max_length=24)
    job_id = models.UUIDField(null=True, blank=True)
    job = models.JSONField(null=True, blank=True)
    ended_at = models.DateTimeField()
    """When the job ended. A resumed job ends again, at another time. For a test, when it was
    requested."""
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PENDING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    failure = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = _("deliveries")
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("webhook", "kind", "job_id", "ended_at"), name="delivery_of_ending"
            ),
            models.CheckConstraint(
                condition=Q(status="pending", next_try_at__isnull=False, finished_at__isnull=True)
                | (~Q(status="pending") & Q(next_try_at__isnull=True, finished_at__isnull=False)),
                name="delivery_pending_or_finished",
            ),
        )
        indexes = (
            models.Index(fields=("webhook", "-created_at"), name="delivery_newest"),
            models.Index(
                fields=("next_try_at",), condition=Q(status="pending"), name="delivery_due"
            ),
        )

    def __str__(self) -> str:
        return f"{self.event} {self.id}"
