"""Reads about datasets and tasks."""

from __future__ import annotations

import hashlib

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Left

from apps.common.pagination import LIST_CHARS
from apps.tasks.models import Dataset, Task


def datasets() -> QuerySet[Dataset]:
    """With the number of tasks in each split as `train_count`, `dev_count` and `test_count`."""
    counts = {
        f"{split}_count": Count("tasks", filter=Q(tasks__split=split))
        for split in Task.Split.values
    }
    return Dataset.objects.annotate(**counts)


def task_list(dataset: Dataset) -> QuerySet[Task]:
    """Tasks for a list: `query_start` and `reference_start` are cut in SQL, so that the database
    sends no long text in full."""
    return dataset.tasks.defer("query", "reference", "metadata").annotate(
        query_start=Left("query", LIST_CHARS), reference_start=Left("reference", LIST_CHARS)
    )


def dataset_tasks(
    dataset: Dataset, split: str, limit: int | None = None, seed: int | None = None
) -> list[Task]:
    """Tasks of a split. With a `seed`, in a random order that is the same every time, on every
    machine, so that `limit` takes a fair sample. Without a seed, in the order of the file."""
    tasks = dataset.tasks.filter(split=split).order_by("index")
    if seed is None:
        return list(tasks[:limit])
    ids = sorted(tasks.values_list("index", "pk"), key=lambda pair: _place(seed, pair[0]))
    chosen = [pk for _, pk in ids[:limit]]
    found = Task.objects.in_bulk(chosen)
    return [found[pk] for pk in chosen]


def _place(seed: int, index: int) -> bytes:
    return hashlib.sha256(f"{seed}:{index}".encode()).digest()
