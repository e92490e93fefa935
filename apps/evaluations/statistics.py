"""The statistics of an evaluation's recorded cells, and its files."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db.models import Case, Value, When
from django.db.models.fields.json import KeyTextTransform

from apps.common.connections import connection_release
from apps.evaluations.cuts import summary_warnings
from apps.evaluations.models import Evaluation, EvaluationArm, EvaluationResult, EvaluationTask
from apps.evaluations.selectors import evaluation_row, result_list
from apps.evaluations.summary_cache import summary_of
from workers.core.evaluation.cells import Cell
from workers.core.evaluation.export import (
    ARM_COLUMNS,
    COLUMNS,
    Format,
    Row,
    arm_values,
    cell_values,
    export_json,
    export_table,
)
from workers.core.evaluation.summary import Summary, summarise
from workers.core.mas.failures import OUT_OF_TIME

Table = Literal["cells", "arms"]
CHUNK = 500
ABOUT = ("dataset", "split", "task_count", "repeats", "seed", "budget", "arms", "warnings", "name")
NUMBERS = (
    *("repeat", "correct", "reward", "prompt_tokens", "completion_tokens", "cost", "seconds"),
    *("failed", "cached_share", "out_of_time", "replies", "cut_replies", "final_cut"),
    "own_temperature",
)
"""Fields of a result that a cell has under the same name."""
LATE = Case(When(failure__code=OUT_OF_TIME, then=Value(True)), default=Value(False))


def evaluation_summary(evaluation: Evaluation) -> dict[str, Any]:
    """Every statistic as JSON, with a warning for each arm with many cut answers. `summary_cache`
    says how new it is."""
    summary = summary_of(evaluation, lambda: asdict(_summary(evaluation)))
    return {**summary, "cut_warnings": list(map(asdict, summary_warnings(evaluation, summary)))}


def evaluation_file(evaluation: Evaluation, form: Format, table: Table) -> Iterator[bytes]:
    """JSON contains both tables, CSV and Parquet the requested one. Cells are read and statistics
    computed when the first piece is requested."""
    if form != "json" and table == "arms":
        return export_table(_arm_rows(evaluation), ARM_COLUMNS, form)
    rows = evaluation_cells(evaluation.id)
    if form != "json":
        return export_table((cell_values(row) for row in rows), COLUMNS, form)
    about = evaluation_row(evaluation.id)
    labels = _labels(evaluation)
    return export_json(
        rows, lambda cells: _summarised(cells, labels), {name: about[name] for name in ABOUT}
    )


def summary_cells(evaluation_id: UUID) -> list[Cell]:
    """Recorded cells without their texts: everything that the statistics read. A task is identified
    by its place in the split, so two evaluations of a split use the same names."""
    labels = dict(EvaluationArm.objects.filter(evaluation=evaluation_id).values_list("id", "label"))
    tasks = _tasks(evaluation_id)
    results = result_list(evaluation_id).annotate(out_of_time=LATE).order_by()
    rows = results.values_list("arm_id", "task__index", *NUMBERS)
    return [
        Cell(
            arm=labels[arm],
            task=f"{index:06}",
            judgeable=tasks[index].judged,
            domain=tasks[index].domain,
            **dict(zip(NUMBERS, numbers, strict=True)),
        )
        for arm, index, *numbers in rows.iterator(chunk_size=10_000)
    ]


class _About(NamedTuple):
    """Facts of a task; `judged`: it has a verifier."""

    judged: bool
    domain: str


def _tasks(evaluation_id: UUID) -> dict[int, _About]:
    """By place. Read once from each spec, not with every answer, because some hold long tests."""
    known = {name: KeyTextTransform(name, "spec") for name in ("verifier", "domain")}
    tasks = EvaluationTask.objects.filter(evaluation=evaluation_id).annotate(**known).order_by()
    rows = tasks.values_list("index", *known)
    return {index: _About(bool(verifier), domain or "") for index, verifier, domain in rows}


def evaluation_cells(evaluation_id: UUID) -> Iterator[Row]:
    """Recorded cells with their full texts. One statement per chunk instead of a cursor: a reader
    may take hours, and the connection goes back in between."""
    listed = result_list(evaluation_id).annotate(out_of_time=LATE)
    results = listed.select_related("arm", "task").order_by("position")
    after = -1
    while chunk := list(results.filter(position__gt=after)[:CHUNK]):
        after = chunk[-1].position
        yield from map(_row, chunk)


def _row(result: EvaluationResult) -> Row:
    cell = Cell(
        arm=result.arm.label,
        task=f"{result.task.index:06}",
        judgeable=bool(result.task.spec.get("verifier")),
        domain=str(result.task.spec.get("domain") or ""),
        **{name: getattr(result, name) for name in NUMBERS},
    )
    return Row(
        cell=cell,
        index=result.task.index,
        query=result.task.query,
        reference=result.task.reference,
        answer=result.answer,
        explanation=result.explanation or (result.failure or {}).get("message", ""),
        run=str(result.run_id) if result.run_id else None,
    )


def _arm_rows(evaluation: Evaluation) -> Iterator[dict[str, Any]]:
    yield from map(arm_values, evaluation_summary(evaluation)["arms"])


def _summary(evaluation: Evaluation) -> Summary:
    return _summarised(summary_cells(evaluation.id), _labels(evaluation))


def _summarised(cells: Sequence[Cell], labels: Sequence[str]) -> Summary:
    """Takes seconds if there are many cells, and reads nothing from the database."""
    connection_release()
    return summarise(cells, labels)


def _labels(evaluation: Evaluation) -> list[str]:
    return list(evaluation.arms.values_list("label", flat=True))
