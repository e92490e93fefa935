"""What the recorded cells of an evaluation add up to, and its files."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import Any, Literal
from uuid import UUID

from django.core.cache import cache
from django.db.models import Max

from apps.evaluations.leaders import ACTIVE
from apps.evaluations.models import Evaluation, EvaluationArm
from apps.evaluations.selectors import evaluation_row, result_list
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

Table = Literal["cells", "arms"]
CACHE_SECONDS = 3600
PAUSE = 10
"""While an evaluation goes on, its statistics take at most one tenth of the time of one process."""
CELL_COLUMNS = (
    "arm_id",
    "task__index",
    "repeat",
    "correct",
    "reward",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "seconds",
    "failed",
)
ABOUT = ("dataset", "split", "task_count", "repeats", "seed", "budget", "arms", "warnings", "name")


def evaluation_summary(evaluation: Evaluation) -> dict[str, Any]:
    """Every statistic as JSON; kept until another cell is recorded, where that takes long for a
    while longer."""
    latest = evaluation.results.aggregate(latest=Max("recorded_at"))["latest"]
    moment = latest.timestamp() if latest else 0
    key = f"evaluation-summary:{evaluation.id}:{evaluation.done}:{moment}"
    kept: dict[str, Any] | None = cache.get(key)
    if kept is None:
        kept = _kept_lately(evaluation)
    if kept is None:
        began = perf_counter()
        kept = asdict(_summary(evaluation, summary_cells(evaluation.id)))
        cache.set(key, kept, CACHE_SECONDS)
        pause = int(PAUSE * (perf_counter() - began))
        if evaluation.status in ACTIVE and pause:
            cache.set(_lately(evaluation), kept, pause)
    return kept


def summary_cells(evaluation_id: UUID) -> list[Cell]:
    """Recorded cells without their texts: all that the statistics look at."""
    labels = dict(EvaluationArm.objects.filter(evaluation=evaluation_id).values_list("id", "label"))
    rows = result_list(evaluation_id).order_by().values_list(*CELL_COLUMNS)
    return [
        Cell(labels[arm], f"{index:06}", *measured)
        for arm, index, *measured in rows.iterator(chunk_size=10_000)
    ]


def _kept_lately(evaluation: Evaluation) -> dict[str, Any] | None:
    """Of one that goes on, while adding it up again would keep the server busy."""
    if evaluation.status not in ACTIVE:
        return None
    kept: dict[str, Any] | None = cache.get(_lately(evaluation))
    return kept


def _lately(evaluation: Evaluation) -> str:
    return f"evaluation-summary:{evaluation.id}:lately"


def evaluation_file(evaluation: Evaluation, form: Format, table: Table) -> bytes:
    """JSON holds both tables; CSV and Parquet the one asked for."""
    rows = evaluation_cells(evaluation.id)
    if form != "json" and table == "cells":
        return export_table([cell_values(row) for row in rows], COLUMNS, form)
    summary = _summary(evaluation, [row.cell for row in rows])
    if form != "json":
        return export_table([arm_values(arm) for arm in summary.arms], ARM_COLUMNS, form)
    about = evaluation_row(evaluation.id)
    return export_json(rows, summary, {name: about[name] for name in ABOUT})


def evaluation_cells(evaluation_id: UUID) -> list[Row]:
    """Recorded cells with their texts whole. A task goes by its place in the split, so that two
    evaluations of the same split give the same file."""
    results = result_list(evaluation_id).select_related("arm", "task").order_by("position")
    return [
        Row(
            cell=Cell(
                arm=result.arm.label,
                task=f"{result.task.index:06}",
                repeat=result.repeat,
                correct=result.correct,
                reward=result.reward,
                prompt_tokens=result.prompt_tokens,
                completion_tokens=result.completion_tokens,
                cost=result.cost,
                seconds=result.seconds,
                failed=result.failed,
            ),
            index=result.task.index,
            query=result.task.query,
            reference=result.task.reference,
            answer=result.answer,
            explanation=result.explanation or (result.failure or {}).get("message", ""),
            run=str(result.run_id) if result.run_id else None,
        )
        for result in results.iterator(chunk_size=2_000)
    ]


def _summary(evaluation: Evaluation, cells: list[Cell]) -> Summary:
    labels = list(evaluation.arms.values_list("label", flat=True))
    return summarise(cells, labels)
