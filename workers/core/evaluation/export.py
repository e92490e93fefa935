"""Writes results as files piece by piece, so the texts of thousands of answers are never in memory
together. The same rows give the same bytes. Two evaluations never have the same `run` and
`seconds`.

JSON has both tables; CSV and Parquet have one table each. In CSV, which spreadsheets open, a text
that looks like a formula gets an apostrophe before it. JSON and Parquet are for programs and keep
every text unchanged.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import orjson

from workers.core.evaluation.cells import Cell
from workers.core.evaluation.summary import Summary
from workers.core.pieces import Pieces

Format = Literal["json", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
MEDIA_TYPES: dict[Format, str] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
PIECE_BYTES = 256 * 1024
BATCH = 2_000
BATCH_CHARS = 4 * 1024 * 1024
"""Limits of a Parquet row group: rows, and characters in them."""

_FORMULA = re.compile(r"\s*[=+\-@\t\r＝＋－＠]")
_INNER_FORMULA = re.compile(r'([;|\t\r\n][;|\s"]*)([=+\-@＝＋－＠]?)')
"""Where the separator of lists is no comma, one of these begins a cell in the middle of a text, as
quotation marks count only at the beginning of a cell. All that may stand before the sign is taken
with or without one, so that no character is looked at twice."""
_NUMBER = re.compile(r"[-+]?\d{1,40}(?:[.,]\d{1,40})*(?:[eE][-+]?\d{1,4})?%?")


@dataclass(frozen=True, slots=True)
class Row:
    """A cell with its texts. `run` opens its trace."""

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
    "domain": str,
    "correct": bool,
    "reward": float,
    "failed": bool,
    "out_of_time": bool,
    "prompt_tokens": int,
    "completion_tokens": int,
    "cost": float,
    "seconds": float,
    "cached_share": float,
    "replies": int,
    "cut_replies": int,
    "final_cut": bool,
    "own_temperature": bool,
    "query": str,
    "reference": str,
    "answer": str,
    "explanation": str,
    "run": str,
}
"""Columns of the table of cells, in order."""

ARM_COLUMNS: dict[str, type] = {
    "label": str,
    **dict.fromkeys(("n", "tasks", "correct"), int),
    **dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high", "reward_mean"), float),
    **dict.fromkeys(("tokens_mean", "tokens_low", "tokens_high", "cost_mean"), float),
    **dict.fromkeys(("seconds_mean", "seconds_median", "seconds_p95"), float),
    **dict.fromkeys(("timed", "cached", "failures", "out_of_time"), int),
    **dict.fromkeys(("unjudged", "unknown_usage"), int),
    **dict.fromkeys(("replies", "cut_replies"), int),
    "cut_share": float,
    **dict.fromkeys(("finals", "cut_finals"), int),
    "cut_final_share": float,
    **dict.fromkeys(("cuts_unknown", "own_temperature"), int),
}
"""Columns of the table of arms: one row per arm, each interval in two columns."""


def export_json(
    rows: Iterable[Row], summary: Callable[[list[Cell]], Summary], about: dict[str, Any]
) -> Iterator[bytes]:
    """`{cells, evaluation, summary}`, keys sorted, indented by two spaces. The summary is made from
    exactly the cells written before it."""
    return _joined(_json_document(rows, summary, about))


def _json_document(
    rows: Iterable[Row], summary: Callable[[list[Cell]], Summary], about: dict[str, Any]
) -> Iterator[bytes]:
    cells: list[Cell] = []
    yield b'{\n  "cells": ['
    for row in rows:
        yield (b",\n    " if cells else b"\n    ") + _json(cell_values(row), depth=2)
        cells.append(row.cell)
    yield b"\n  ]" if cells else b"]"
    yield b',\n  "evaluation": ' + _json(about, depth=1)
    yield b',\n  "summary": ' + _json(asdict(summary(cells)), depth=1) + b"\n}\n"


def export_table(
    values: Iterable[dict[str, Any]], columns: dict[str, type], form: Literal["csv", "parquet"]
) -> Iterator[bytes]:
    """Rows as a file. None becomes empty, or null."""
    return _joined(_csv(values, columns)) if form == "csv" else _parquet(values, columns)


def cell_values(row: Row) -> dict[str, Any]:
    cell = {field.name: getattr(row.cell, field.name) for field in fields(Cell)}
    texts = ("index", "query", "reference", "answer", "explanation", "run")
    together = cell | {name: getattr(row, name) for name in texts}
    return {name: together[name] for name in COLUMNS}


def arm_values(arm: Mapping[str, Any]) -> dict[str, Any]:
    """A table row from an ArmSummary as a dict, with its intervals."""
    accuracy, tokens = (arm[name] or {} for name in ("interval", "tokens_interval"))
    flat = {
        "accuracy_low": accuracy.get("low"),
        "accuracy_high": accuracy.get("high"),
        "tokens_low": tokens.get("low"),
        "tokens_high": tokens.get("high"),
    }
    return {name: flat[name] if name in flat else arm[name] for name in ARM_COLUMNS}


def harmless(value: Any) -> Any:
    """A text that is safe in a spreadsheet: the first sign of a formula becomes text, also after
    what another spreadsheet takes for the end of a cell. A plain number such as −5 stays a
    number."""
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    begins = "'" if _FORMULA.match(value) else ""
    return begins + _INNER_FORMULA.sub(_made_text, value)


def _made_text(found: re.Match[str]) -> str:
    before, sign = found.groups()
    return f"{before}'{sign}" if sign else before


def _json(value: dict[str, Any], *, depth: int) -> bytes:
    """JSON as a part of a larger document. No text in JSON contains a raw line break."""
    body = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    return body.replace(b"\n", b"\n" + b"  " * depth)


def _joined(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join pieces until they are worth sending."""
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += len(part)
        if size >= PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _batches(values: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in values:
        batch.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(batch) == BATCH or size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _csv(values: Iterable[dict[str, Any]], columns: dict[str, type]) -> Iterator[bytes]:
    yield _csv_line(list(columns))
    for row in values:
        yield _csv_line([_written(row[name]) for name in columns])


def _csv_line(cells: list[Any]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\r\n").writerow(cells)
    return file.getvalue().encode(errors="replace")


def _written(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else harmless(value)


def _parquet(values: Iterable[dict[str, Any]], columns: dict[str, type]) -> Iterator[bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    file = Pieces()
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _batches(values):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            yield file.taken()
    yield file.taken()
