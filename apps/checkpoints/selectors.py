"""Reads about checkpoints."""

from django.db.models import QuerySet

from apps.checkpoints.models import Checkpoint


def checkpoint_list() -> QuerySet[Checkpoint]:
    return Checkpoint.objects.select_related("job")


def default_checkpoint(method: str) -> str | None:
    """The checkpoint that runs of a method use by default; None: its untrained policy."""
    names = Checkpoint.objects.filter(method=method, is_default=True).values_list("name", flat=True)
    return names.first()
