"""Writes about datasets. Tasks come through `imports`."""

import re
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError, conflict
from apps.common.locking import copy_stored, locked, unique_key
from apps.common.serializers import NOT_SLUG, SLUG
from apps.tasks.models import Dataset
from workers.core.benchmarks.registry import BENCHMARKS, VERIFIERS


def dataset_create(*, values: dict[str, Any]) -> Dataset:
    """Makes an empty dataset. Values that are not given come from its benchmark."""
    dataset = Dataset(**values)
    _check(dataset)
    benchmark = BENCHMARKS[dataset.benchmark]
    if benchmark.key != "custom":
        dataset.description = dataset.description or benchmark.description
        dataset.licence = dataset.licence or benchmark.licence
    with unique_key(_("There is already a dataset “%(key)s”.") % {"key": dataset.key}):
        dataset.save()
    return dataset


def dataset_update(*, dataset: Dataset, values: dict[str, Any]) -> Dataset:
    """Changes only `values`, so what an import writes since then, such as the digest, stays.
    Afterwards `dataset` is as stored."""
    with transaction.atomic():
        stored = locked(dataset)
        for name, value in values.items():
            setattr(stored, name, value)
        _check(stored)
        stored.save(update_fields=[*values, "updated_at"])
    return copy_stored(stored, dataset)


def dataset_delete(*, dataset: Dataset) -> None:
    """Evaluations keep copies of their tasks; training jobs do not."""
    try:
        with transaction.atomic():
            dataset.delete()
    except ProtectedError as error:
        raise conflict(
            "dataset_in_use",
            _("Training jobs use “%(dataset)s”.") % {"dataset": dataset.name},
            _("Delete those jobs first."),
        ) from error


def _check(dataset: Dataset) -> None:
    known = {"benchmark": BENCHMARKS.keys(), "verifier": VERIFIERS.keys() | {""}}
    errors = [
        FieldError(
            name,
            f"unknown_{name}",
            _("There is no %(field)s “%(value)s”. Use one of: %(choices)s.")
            % {
                "field": name,
                "value": getattr(dataset, name)[:63],
                "choices": ", ".join(sorted(filter(None, keys))),
            },
        )
        for name, keys in known.items()
        if getattr(dataset, name) not in keys
    ]
    if not re.fullmatch(SLUG, dataset.key):
        errors.append(FieldError("key", "invalid", str(NOT_SLUG)))
    if errors:
        raise ApplicationError.of_fields(errors)
