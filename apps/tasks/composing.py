"""A new dataset of compositional tasks, made from the numeric problems of another dataset.

Tasks of a split use only problems of the same split, so test problems never appear in training. The
same source (by its digest) and the same settings give the same tasks.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.common.locking import locked
from apps.tasks.making import MOST_TASKS, count_errors, counts_of, dataset_of, unknown_errors
from apps.tasks.models import Dataset
from apps.tasks.progress import Tell, nobody
from workers.core.benchmarks.compositional import (
    LEVELS,
    CompositionError,
    Problem,
    compose,
    problems_of,
)
from workers.core.specs import TaskSpec

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Composition:
    """`splits`: how many tasks of each level a split gets. `levels`: some of `LEVELS`."""

    splits: Mapping[str, int]
    levels: Sequence[str] = tuple(LEVELS)
    seed: int = 0

    def counts(self) -> dict[str, int]:
        """The splits that get any tasks, in their usual order."""
        return counts_of(self.splits)

    def tasks(self) -> int:
        """Number of tasks over all splits and levels."""
        return sum(self.counts().values()) * len(self.nodes())

    def nodes(self) -> dict[str, int]:
        """Problems per task of each wanted level, easiest first."""
        return {level: nodes for level, nodes in LEVELS.items() if level in self.levels}


def dataset_compose(
    *, source: Dataset, key: str, wanted: Composition, name: str = "", tell: Tell = nobody
) -> Dataset:
    """Makes all wanted tasks. If it raises ApplicationError, or what `tell` raises, nothing has
    changed."""
    _check(wanted)
    digest, problems = _base(source, wanted)
    return dataset_of(
        _composed(problems, wanted, tell),
        key=key,
        name=name or f"{source.name[:100]}, composed",
        description=_description(source, wanted),
        source=f"composed of {source.key}, digest {digest}",
        licence=source.licence,
        verifier="numeric",
        tell=tell,
    )


def _check(wanted: Composition) -> None:
    tasks = wanted.tasks()
    errors = [
        *count_errors(wanted.splits),
        *unknown_errors("levels", wanted.levels, list(LEVELS)),
    ]
    if not wanted.levels:
        errors.append(FieldError("levels", "required", _("Choose at least one level.")))
    if tasks > MOST_TASKS:
        message = _(
            "This asks for %(tasks)s tasks; at most %(at_most)s are made at once. Ask for fewer "
            "tasks per level, or for fewer levels."
        ) % {"tasks": f"{tasks:,}", "at_most": f"{MOST_TASKS:,}"}
        errors.append(FieldError("splits", "too_many_tasks", message))
    if errors:
        raise ApplicationError.of_fields(errors)


def _base(source: Dataset, wanted: Composition) -> tuple[str, dict[str, list[Problem]]]:
    """The source's digest and the problems of each split, all as at one moment."""
    with transaction.atomic():
        stored = locked(source)
        return stored.digest, {split: _problems(stored, split) for split in wanted.counts()}


def _problems(source: Dataset, split: str) -> list[Problem]:
    tasks = source.tasks.filter(split=split).order_by("index")
    return problems_of(task.spec() for task in tasks.iterator(chunk_size=_BATCH))


def _composed(
    problems: Mapping[str, Sequence[Problem]], wanted: Composition, tell: Tell
) -> dict[str, list[TaskSpec]]:
    """The tasks of each split. Tries all splits, so that all errors are reported at once."""
    made: dict[str, list[TaskSpec]] = {}
    errors: list[FieldError] = []
    size = done = 0
    for split in problems:
        try:
            made[split] = []
            for task in _of_split(problems[split], split, wanted):
                made[split].append(task)
                size, done = size + len(task.query), done + 1
                tell("composing", done, wanted.tasks())
                _check_size(size, split)
        except CompositionError as error:
            errors.append(_split_error(split, problems[split], error))
    if errors:
        raise ApplicationError.of_fields(errors)
    return made


def _of_split(problems: Sequence[Problem], split: str, wanted: Composition) -> Iterator[TaskSpec]:
    """One of each level in turn, so that any first part of the tasks holds all levels equally."""
    count = wanted.counts()[split]
    levels = [
        compose(problems, count=count, nodes=nodes, seed=_seed(wanted, split, level), level=level)
        for level, nodes in wanted.nodes().items()
    ]
    return (task for turn in zip(*levels, strict=True) for task in turn)


def _seed(wanted: Composition, split: str, level: str) -> int:
    """A random generator for each split and level, so that no split or level depends on another."""
    digest = hashlib.sha256(f"{wanted.seed}:{split}:{level}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def _check_size(size: int, split: str) -> None:
    if size <= settings.DATASET_MAX_BYTES:
        return
    message = _(
        "The questions of these tasks have more than %(limit)s characters in total. Ask for "
        "fewer tasks, or choose shorter problems."
    ) % {"limit": f"{settings.DATASET_MAX_BYTES:,}"}
    raise ApplicationError.of_fields([FieldError(f"splits.{split}", "too_large", message)])


def _split_error(split: str, problems: Sequence[Problem], error: CompositionError) -> FieldError:
    field = f"splits.{split}"
    if problems:
        message = _("Split “%(split)s”: %(cause)s") % {"split": split, "cause": error}
        return FieldError(field, error.code, message)
    message = _(
        "No task of the split “%(split)s” has one exact number other than 0 as its answer. Choose "
        "a split of numeric tasks, or another dataset."
    ) % {"split": split}
    return FieldError(field, "no_numeric_problems", message)


def _description(source: Dataset, wanted: Composition) -> str:
    """Stored, and therefore in English, like other datasets' descriptions."""
    levels = ", ".join(f"{level} ({nodes} problems)" for level, nodes in wanted.nodes().items())
    splits = ", ".join(f"{count:,} in {split}" for split, count in wanted.counts().items())
    return (
        f"Problems of “{source.name}” that need each other's answers; the final answer is the "
        f"product of all. Composed from the dataset {source.key} with seed {wanted.seed}. "
        f"Levels: {levels}. Of each level: {splits}."
    )
