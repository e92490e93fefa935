"""A new dataset of tasks that the studio makes: composed of others, or episodes of a game."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from apps.common.errors import FieldError
from apps.tasks.imports import digest_refresh, tasks_add
from apps.tasks.models import Dataset, Task
from apps.tasks.progress import Phase, Tell
from apps.tasks.services import dataset_create
from workers.core.specs import TaskSpec

MOST_TASKS = 10_000
"""Limit of the tasks that are made at once."""


def dataset_of(tasks: Mapping[str, Sequence[TaskSpec]], *, tell: Tell, **values: Any) -> Dataset:
    """`tasks` by split. If it raises ApplicationError, or what `tell` raises, nothing has
    changed."""
    whole, before = sum(map(len, tasks.values())), 0
    with transaction.atomic():
        made = dataset_create(values=values)
        for split, of_split in tasks.items():

            def told(phase: Phase, done: int, _: int, before: int = before) -> None:
                tell(phase, before + done, whole)

            tasks_add(dataset=made, split=split, tasks=of_split, tell=told)
            before += len(of_split)
        digest_refresh(dataset=made, tell=tell)
    return made


def counts_of(splits: Mapping[str, int]) -> dict[str, int]:
    """The splits that get any tasks, in their usual order."""
    return {split: splits[split] for split in Task.Split.values if splits.get(split)}


def count_errors(splits: Mapping[str, int]) -> list[FieldError]:
    errors = unknown_errors("splits", splits, Task.Split.values)
    if not any(splits.values()):
        message = _("Enter how many tasks to make, for at least one split.")
        errors.append(FieldError("splits", "required", message))
    if min(splits.values(), default=0) < 0:
        message = _("A split cannot get fewer than 0 tasks.")
        errors.append(FieldError("splits", "min_value", message))
    return errors


def unknown_errors(field: str, given: Iterable[str], known: Sequence[str]) -> list[FieldError]:
    return [
        FieldError(
            field,
            "unknown",
            _("There is no “%(name)s”. Use one of: %(known)s.")
            % {"name": name[:63], "known": ", ".join(known)},
        )
        for name in given
        if name not in known
    ]
