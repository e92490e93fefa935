"""Writes about datasets. Tasks come through `imports`."""

from __future__ import annotations

import re
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _
from rest_framework import status

from apps.common.errors import ApplicationError, FieldError, key_taken
from apps.common.locking import copy_stored, locked
from apps.common.serializers import SLUG
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
    return _saved(dataset)


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
        raise ApplicationError(
            code="dataset_in_use",
            message=_("Training jobs use “%(dataset)s”.") % {"dataset": dataset.name},
            remedy=_("Delete those jobs first."),
            status_code=status.HTTP_409_CONFLICT,
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
        message = _("Use 1 to 63 of a–z, 0–9, - and _, beginning with a letter or digit.")
        errors.append(FieldError("key", "invalid", message))
    if errors:
        raise ApplicationError(
            code=errors[0].code,
            message=errors[0].message,
            remedy=_("Correct the named fields and send the request again."),
            fields=tuple(errors),
        )


def _saved(dataset: Dataset) -> Dataset:
    try:
        with transaction.atomic():
            dataset.save()
    except IntegrityError as error:
        message = _("There is already a dataset “%(key)s”.") % {"key": dataset.key}
        raise key_taken(message) from error
    return dataset
