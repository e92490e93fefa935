"""Reads about datasets and tasks."""

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
