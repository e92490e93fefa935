"""The dataset that every studio has from the start."""

from django.db import transaction

from apps.tasks.imports import ImportOptions, dataset_import
from apps.tasks.models import Dataset
from apps.tasks.services import dataset_create
from apps.tasks.source import Source
from workers.core.benchmarks.tiny import TINY_SPLITS, tiny_path

TINY = {
    "key": "tiny",
    "name": "Tiny",
    "description": "A few sums, choices and small programs, to try evaluations and training with.",
    "licence": "Apache-2.0",
    "benchmark": "custom",
}


@transaction.atomic
def tiny_ship() -> bool:
    """Loads the built-in tasks, or their newer edition. Once people have changed them, this changes
    nothing and returns False."""
    dataset = Dataset.objects.filter(key=TINY["key"]).first()
    if dataset is None:
        dataset = dataset_create(values=dict(TINY))
    elif dataset.digest != dataset.shipped_digest:
        return False
    for split in TINY_SPLITS:
        source = Source((tiny_path(split),), name="built in")
        options = ImportOptions(split=split, replace=True)
        dataset_import(dataset=dataset, source=source, options=options)
    dataset.refresh_from_db()
    Dataset.objects.filter(pk=dataset.pk).update(shipped_digest=dataset.digest)
    return True
