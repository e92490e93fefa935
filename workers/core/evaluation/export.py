"""Results as files. The same rows and the same summary give the same bytes.

JSON holds both tables whole; CSV and Parquet hold one table each. A text that a spreadsheet would
take for a formula gets an apostrophe before it in CSV, where a spreadsheet opens it; JSON and
Parquet are for programs and keep every text as it is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import orjson

from workers.core.evaluation.cells import Cell
from workers.core.evaluation.summary import ArmSummary, Summary

Format = Literal["json", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}

_FORMULA = re.compile(r"\s*[=+\-@\t\r＝＋－＠]")
_NUMBER = re.compile(r"[-+]?\d{1,40}(?:[.,]\d{1,40})*(?:[eE][-+]?\d{1,4})?%?")


@dataclass(frozen=True, slots=True)
class Row:
    """A cell with the texts that belong to it. `run` opens its trace."""

    cell: Cell
    index: int
    query: str
    reference: str | None
    answer: str | None
    explanation: str
    run: str | None


COLUMNS: dict[str, type] = {
    "arm": str,
    "task": str,
    "index": int,
    "repeat": int,
    "correct": bool,
    "reward": float,
    "failed": bool,
    "prompt_tokens": int,
    "completion_tokens": int,
    "cost": float,
    "seconds": float,
    "query": str,
    "reference": str,
    "answer": str,
    "explanation": str,
    "run": str,
}
"""Of the table of cells, in order."""

ARM_COLUMNS: dict[str, type] = {
    "label": str,
    **dict.fromkeys(("n", "tasks", "correct"), int),
    **dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high", "reward_mean"), float),
    **dict.fromkeys(("tokens_mean", "tokens_low", "tokens_high", "cost_mean"), float),
    **dict.fromkeys(("seconds_mean", "seconds_median", "seconds_p95"), float),
    **dict.fromkeys(("failures", "unjudged", "unknown_usage"), int),
}
"""Of the table of arms: one row per arm, its intervals in two columns each."""


def export_json(rows: Sequence[Row], summary: Summary, about: dict[str, Any]) -> bytes:
    """`{evaluation, summary, cells}`, keys sorted, indented by two spaces."""
    body = {
        "evaluation": about,
        "summary": asdict(summary),
        "cells": [cell_values(row) for row in rows],
    }
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(body, option=options)


def export_table(
    values: Sequence[dict[str, Any]], columns: dict[str, type], form: Literal["csv", "parquet"]
) -> bytes:
    """Rows as a file; a value that is None is empty, or null."""
    return _csv(values, columns) if form == "csv" else _parquet(values, columns)


def cell_values(row: Row) -> dict[str, Any]:
    cell = {field.name: getattr(row.cell, field.name) for field in fields(Cell)}
    texts = ("index", "query", "reference", "answer", "explanation", "run")
    together = cell | {name: getattr(row, name) for name in texts}
    return {name: together[name] for name in COLUMNS}


def arm_values(arm: ArmSummary) -> dict[str, Any]:
    flat: dict[str, Any] = {
        "accuracy_low": arm.interval and arm.interval.low,
        "accuracy_high": arm.interval and arm.interval.high,
        "tokens_low": arm.tokens_interval and arm.tokens_interval.low,
        "tokens_high": arm.tokens_interval and arm.tokens_interval.high,
    }
    return {name: flat[name] if name in flat else getattr(arm, name) for name in ARM_COLUMNS}


def harmless(value: Any) -> Any:
    """A text as it may stand in a spreadsheet: a formula's first sign is made text, a plain number
    such as −5 stays one."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def _csv(values: Sequence[dict[str, Any]], columns: dict[str, type]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in values:
        writer.writerow([_written(row[name]) for name in columns])
    return file.getvalue().encode(errors="replace")


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else harmless(value)


def _parquet(values: Sequence[dict[str, Any]], columns: dict[str, type]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    table = pa.Table.from_pylist(list(values), schema=schema)
    file = io.BytesIO()
    parquet.write_table(table, file, compression="zstd")
    return file.getvalue()
