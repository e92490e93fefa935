"""Importing tasks: all of a file or nothing, and safe to repeat.

A task is known by its content. An import adds tasks that a split does not have yet, at its end.
With `replace`, the split becomes the file: equal tasks keep their rows (evaluations and traces
point there), and tasks that are not in the file are removed. Rows that are not tasks are reported
and skipped.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError, FieldError
from apps.common.locking import locked
from apps.tasks.columns import LOOKED_AT, named
from apps.tasks.files import files_kept
from apps.tasks.models import Dataset, Task
from apps.tasks.progress import Phase, Tell, nobody
from apps.tasks.source import Source, no_rows, unreadable
from workers.core.benchmarks.benchmark import Benchmark, Beside, RowError
from workers.core.benchmarks.limits import Limits
from workers.core.benchmarks.operands import OPERANDS
from workers.core.benchmarks.readers import ReadError, mapped, read_rows
from workers.core.benchmarks.registry import BENCHMARKS
from workers.core.benchmarks.worked_solutions import SOLUTION
from workers.core.specs import TaskSpec

T = TypeVar("T")

PREVIEW = 5
TOLD = 100
"""Limit on the skipped rows that a report names; the rest are counted."""
DOMAIN_CHARS = 120
_BATCH = 1_000
_ABOVE = 1_000_000_000
"""Larger than every index, for rows that wait for their new place."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """`mapping`: our column → the file's column. `benchmark` "": the dataset's own."""

    split: str
    benchmark: str = ""
    mapping: Mapping[str, str] = field(default_factory=dict)
    replace: bool = False
    dry_run: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class SkippedRow:
    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do. `rows` = imported + unchanged + all skipped.
    `skipped` names the first skipped rows; `skipped_count` counts all of them."""

    rows: int
    imported: int
    unchanged: int
    removed: int
    skipped: tuple[SkippedRow, ...]
    skipped_count: int
    preview: tuple[Task, ...]
    dry_run: bool


@dataclass(slots=True)
class _Read:
    """The rows of a source: tasks by content, with their place in the file, and rows that are not
    tasks."""

    tasks: list[tuple[str, TaskSpec]] = field(default_factory=list)
    skipped: list[SkippedRow] = field(default_factory=list)
    skipped_count: int = 0
    rows: int = 0
    columns: dict[str, None] = field(default_factory=dict)
    """Column names of the first rows, as in the file."""

    def skip(self, row: int, reason: str) -> None:
        self.skipped_count += 1
        if len(self.skipped) < TOLD:
            self.skipped.append(SkippedRow(row, reason))


def dataset_import(
    *, dataset: Dataset, source: Source, options: ImportOptions, tell: Tell = nobody
) -> ImportReport:
    """If it raises ApplicationError, or what `tell` raises, nothing has changed."""
    if options.split not in Task.Split.values:
        raise ApplicationError(
            code="unknown_split",
            message=_("There is no split “%(split)s”.") % {"split": options.split[:63]},
            remedy=_("Use one of: %(known)s.") % {"known": ", ".join(Task.Split.values)},
        )
    read = _read(dataset, source, options, tell)
    if not read.tasks:
        raise _nothing(read)
    with transaction.atomic():
        stored = locked(dataset)
        report = _write(stored, read, options, tell)
        if not options.dry_run and (report.imported or report.removed):
            digest_refresh(dataset=stored, source=source.name, tell=tell)
    return report


def tasks_add(
    *, dataset: Dataset, split: str, tasks: Iterable[TaskSpec], tell: Tell = nobody
) -> None:
    """Adds tasks that come from no file, at the end of a split. The caller must still call
    `digest_refresh`."""
    first = _next_index(dataset, split)
    rows = [_row(dataset, split, place, task) for place, task in enumerate(tasks, start=first)]
    _store(rows, [], [], tell)


def digest_refresh(*, dataset: Dataset, source: str | None = None, tell: Tell = nobody) -> None:
    """Digest over every task in order. Evaluations and training jobs record it."""
    found = hashlib.sha256()
    tasks = dataset.tasks.order_by("split", "index")
    count = tasks.count()
    steps = _Steps(tell, "finishing", count)
    for task in tasks.iterator(chunk_size=_BATCH):
        found.update(f"{task.split}:{_content(task.spec())}\n".encode())
        steps.done()
    dataset.digest = found.hexdigest() if count else ""
    if source is not None:
        dataset.source = source
    dataset.save(update_fields=["digest", "source", "updated_at"])


class _Steps:
    """Reports the progress of a phase, task after task."""

    def __init__(self, tell: Tell, phase: Phase, total: int) -> None:
        self._note = partial(tell, phase)
        self._done = 0
        self._total = total

    def done(self, tasks: int = 1) -> None:
        self._done += tasks
        self._note(self._done, self._total)


def _read(dataset: Dataset, source: Source, options: ImportOptions, tell: Tell) -> _Read:
    benchmark = BENCHMARKS.get(options.benchmark or dataset.benchmark)
    if benchmark is None:
        raise ApplicationError(
            code="unknown_benchmark",
            message=_("There is no benchmark “%(benchmark)s”.")
            % {"benchmark": options.benchmark[:63]},
            remedy=_("Use one of: %(known)s.") % {"known": ", ".join(BENCHMARKS)},
        )
    read = _Read()
    missing = {theirs for theirs in options.mapping.values() if theirs}
    limits = benchmark.limits or options.limits
    rows = read_rows(
        *source.files, format=source.format, limits=limits, told=partial(tell, "reading")
    )
    try:
        for number, row in rows:
            read.rows = number
            if number <= LOOKED_AT:
                read.columns.update(dict.fromkeys(row))
            missing.difference_update(row)
            try:
                named_row = mapped(row, options.mapping)
                task = _task(benchmark, named_row, dataset.verifier, source.beside)
            except RowError as error:
                read.skip(number, str(error))
                continue
            task = files_kept(task, store=not options.dry_run)
            read.tasks.append((_content(task), task))
    except ReadError as error:
        raise unreadable(error) from error
    if missing and read.rows:
        raise _no_columns(missing, read)
    return read


def _no_columns(missing: set[str], read: _Read) -> ApplicationError:
    """Refuses a mapping to unknown columns: otherwise a typing error would silently leave a column
    out."""
    message = _("The file has no column %(missing)s. Its columns are %(columns)s.") % {
        "missing": named(sorted(missing)),
        "columns": named(read.columns),
    }
    return ApplicationError.of_fields([FieldError("mapping", "no_such_column", message)])


def _task(
    benchmark: Benchmark, row: Mapping[str, object], verifier: str, beside: Beside | None
) -> TaskSpec:
    task = benchmark.task(row, beside=beside)
    if len(task.domain) > DOMAIN_CHARS:
        raise RowError(
            _("the domain has more than %(at_most)s characters") % {"at_most": DOMAIN_CHARS}
        )
    if not verifier:
        return task
    form = "code" if verifier == "unit_tests" else "text"
    return task.model_copy(update={"verifier": verifier, "answer_form": form})


def _content(task: TaskSpec) -> str:
    """The task's identity: what is asked, and how it is judged. Metadata is sorted by key, because
    the database keeps no order."""
    values = task.model_dump(mode="json")
    for key in (OPERANDS, SOLUTION):  # they judge no answer, and older tasks have none
        values["metadata"].pop(key, None)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _write(dataset: Dataset, read: _Read, options: ImportOptions, tell: Tell) -> ImportReport:
    have: dict[str, list[Task]] = {}
    in_split = dataset.tasks.filter(split=options.split).order_by("index")
    steps = _Steps(tell, "comparing", in_split.count() + len(read.tasks))
    for task in in_split.iterator(chunk_size=_BATCH):
        have.setdefault(_content(task.spec()), []).append(task)
        steps.done()
    fresh: list[Task] = []
    kept: list[tuple[int, Task]] = []
    told: list[Task] = []
    first = 0 if options.replace else _next_index(dataset, options.split)
    taken: Counter[str] = Counter()
    for content, spec in read.tasks:
        known = have.get(content, [])
        place = len(kept) + len(fresh) if options.replace else first + len(fresh)
        if taken[content] < len(known):
            same = known[taken[content]]
            kept.append((place, same))
            if same.metadata != spec.metadata:
                same.metadata = spec.metadata
                told.append(same)
        else:
            fresh.append(_row(dataset, options.split, place, spec))
        taken[content] += 1
        steps.done()
    gone = _gone(have, kept) if options.replace else []
    report = ImportReport(
        rows=read.rows,
        imported=len(fresh),
        unchanged=len(kept),
        removed=len(gone),
        skipped=tuple(read.skipped),
        skipped_count=read.skipped_count,
        preview=tuple(
            _row(dataset, options.split, place, spec)
            for place, (_key, spec) in enumerate(read.tasks[:PREVIEW])
        ),
        dry_run=options.dry_run,
    )
    if not options.dry_run:
        _store(fresh, kept if options.replace else [], gone, tell)
        for tasks in _batches(told):
            Task.objects.bulk_update(tasks, ["metadata"])
    return report


def _gone(have: dict[str, list[Task]], kept: list[tuple[int, Task]]) -> list[int]:
    staying = {task.pk for _place, task in kept}
    return [task.pk for tasks in have.values() for task in tasks if task.pk not in staying]


def _store(fresh: list[Task], placed: list[tuple[int, Task]], gone: list[int], tell: Tell) -> None:
    moved = [(place, task) for place, task in placed if task.index != place]
    steps = _Steps(tell, "storing", len(gone) + len(moved) + len(fresh))
    for some in _batches(gone):
        Task.objects.filter(pk__in=some).delete()
        steps.done(len(some))
    waiting = Task.objects.filter(pk__in=[task.pk for _place, task in moved])
    waiting.update(index=F("index") + _ABOVE)  # else a row could meet one that has yet to move
    for place, task in moved:
        task.index = place
    for tasks in _batches([task for _place, task in moved]):
        Task.objects.bulk_update(tasks, ["index"])
        steps.done(len(tasks))
    for tasks in _batches(fresh):
        Task.objects.bulk_create(tasks)
        steps.done(len(tasks))


def _batches(items: list[T]) -> Iterator[list[T]]:
    return (items[first : first + _BATCH] for first in range(0, len(items), _BATCH))


def _next_index(dataset: Dataset, split: str) -> int:
    last = dataset.tasks.filter(split=split).aggregate(last=Max("index"))["last"]
    return 0 if last is None else last + 1


def _row(dataset: Dataset, split: str, index: int, spec: TaskSpec) -> Task:
    return Task(
        dataset=dataset,
        split=split,
        index=index,
        query=spec.query,
        reference=spec.reference or "",
        verifier=spec.verifier or "",
        domain=spec.domain,
        metadata=spec.metadata,
    )


def _nothing(read: _Read) -> ApplicationError:
    if not read.skipped:
        return no_rows()
    first = read.skipped[0]
    return ApplicationError(
        code="no_tasks",
        message=_("None of the %(rows)s rows can be read as a task. Row %(row)s: %(reason)s.")
        % {"rows": f"{read.rows:,}", "row": f"{first.row:,}", "reason": first.reason},
        remedy=_(
            "Choose the file's benchmark, or map its columns to the needed ones. Its columns are "
            "%(columns)s."
        )
        % {"columns": named(read.columns)},
    )
