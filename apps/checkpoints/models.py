"""Learned weights on disk, and their rows."""

from django.db import models
from django.db.models import Q


class Checkpoint(models.Model):
    """Weights on disk (safetensors + JSON). `trained` False marks an initial, untrained policy.

    Runs without a named checkpoint use their method's `is_default`. `promoted` ones are never
    removed to free space. `run_config`: the settings of its training; runs use them unless they
    name their own.
    """

    name = models.CharField(max_length=120, unique=True)
    method = models.SlugField(max_length=63)
    label = models.CharField(max_length=200, blank=True, default="")
    path = models.CharField(max_length=500, blank=True, default="")
    digest = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField(default=0)
    trained = models.BooleanField(default=False)
    is_default = models.BooleanField(default=False)
    promoted = models.BooleanField(default=False)
    job = models.ForeignKey(
        "training.TrainingJob",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="checkpoints",
    )
    step = models.PositiveIntegerField(default=0)
    metrics = models.JSONField(default=dict, blank=True)
    recipe = models.JSONField(default=dict, blank=True)
    run_config = models.JSONField(null=True, blank=True)  # None: not read yet
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "training_checkpoint"
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("method",), condition=Q(is_default=True), name="checkpoint_one_default"
            ),
            models.UniqueConstraint(fields=("job", "step"), name="checkpoint_unique_step"),
        )

    def __str__(self) -> str:
        return self.name
