"""Datasets and their tasks; files that people attach to a question."""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from workers.core.specs import TaskSpec
from workers.core.tools.attachments import NAME_CHARS


class Dataset(models.Model):
    key = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    source = models.CharField(max_length=500, blank=True, default="")
    licence = models.CharField(max_length=120, blank=True, default="")
    benchmark = models.SlugField(max_length=63, default="custom")
    """How its rows become tasks: a key of `BENCHMARKS`."""
    verifier = models.SlugField(max_length=63, blank=True, default="")
    """Verifier of every task imported from now on; "": the one that the benchmark chooses."""
    digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    """SHA-256 of all tasks in order; "" if there are none."""
    shipped_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    """`digest` as last loaded from the built-in files. It differs once people have changed
    tasks."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("key",)

    def __str__(self) -> str:
        return self.name


class Task(models.Model):
    """A query with a reference, and the verifier that compares an answer with it."""

    class Split(models.TextChoices):
        TRAIN = "train", pgettext_lazy("split", "Train")
        DEV = "dev", pgettext_lazy("split", "Dev")
        TEST = "test", pgettext_lazy("split", "Test")

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="tasks")
    split = models.CharField(max_length=8, choices=Split.choices)
    index = models.PositiveIntegerField()
    query = models.TextField()
    reference = models.TextField(blank=True, default="")
    verifier = models.SlugField(max_length=63, blank=True, default="numeric")
    domain = models.CharField(max_length=120, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("dataset", "split", "index")
        constraints = (
            models.UniqueConstraint(
                fields=("dataset", "split", "index"), name="task_unique_in_split"
            ),
            models.CheckConstraint(condition=~models.Q(query=""), name="task_query_not_empty"),
        )

    def __str__(self) -> str:
        return f"{self.dataset.key}/{self.split}/{self.index}"

    def spec(self) -> TaskSpec:
        """The task as core sees it. A missing reference or verifier is None there."""
        return TaskSpec(
            query=self.query,
            reference=self.reference or None,
            domain=self.domain,
            answer_form="code" if self.verifier == "unit_tests" else "text",
            verifier=self.verifier or None,
            metadata=self.metadata,
        )


class Upload(models.Model):
    """A file that a person may attach to questions, for a day. Runs do not need the row: they name
    the content by its digest."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads"
    )
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    name = models.CharField(max_length=NAME_CHARS)
    kind = models.CharField(max_length=8)
    """What its content is: PDF, DOCX, XLSX, PPTX, CSV, HTML, text or picture."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ("created_at", "id")

    def __str__(self) -> str:
        return self.name
