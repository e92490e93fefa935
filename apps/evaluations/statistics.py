"""What the recorded cells of an evaluation add up to, and its files."""

from __future__ import annotations

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
"""Of a result, what a cell has under the same name."""
LATE = Case(When(failure__code=OUT_OF_TIME, then=Value(True)), default=Value(False))


def evaluation_summary(evaluation: Evaluation) -> dict[str, Any]:
    """Every statistic as JSON, with a warning for each arm whose answers were often cut; see
    `summary_cache` for how new it is."""
    summary = summary_of(evaluation, lambda: asdict(_summary(evaluation)))
    return {**summary, "cut_warnings": list(map(asdict, summary_warnings(evaluation, summary)))}


def evaluation_file(evaluation: Evaluation, form: Format, table: Table) -> Iterator[bytes]:
    """JSON holds both tables; CSV and Parquet the one asked for. Cells are read, and statistics
    worked out, when the first piece is asked for."""
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
    """Recorded cells without their texts: all that the statistics look at. A task goes by its place
    in the split: two evaluations of the same split name it alike."""
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
    """Of a task; `judged`: it has a verifier."""

    judged: bool
    domain: str


def _tasks(evaluation_id: UUID) -> dict[int, _About]:
    """By place. Out of each spec once, and not with every answer: some hold long tests."""
    known = {name: KeyTextTransform(name, "spec") for name in ("verifier", "domain")}
    tasks = EvaluationTask.objects.filter(evaluation=evaluation_id).annotate(**known).order_by()
    rows = tasks.values_list("index", *known)
    return {index: _About(bool(verifier), domain or "") for index, verifier, domain in rows}


def evaluation_cells(evaluation_id: UUID) -> Iterator[Row]:
    """Recorded cells with their texts whole. A statement per chunk, not a cursor: whoever reads the
    rows may take hours over them, and the connection goes back meanwhile."""
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
    """That takes seconds where there are many cells, and asks the database nothing."""
    connection_release()
    return summarise(cells, labels)


def _labels(evaluation: Evaluation) -> list[str]:
    return list(evaluation.arms.values_list("label", flat=True))
