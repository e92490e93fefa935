"""Files that open, say the same each time, and are harmless in a spreadsheet."""

import csv
import io
import random
import tracemalloc
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, Literal

import orjson
import pyarrow.parquet as pq
import pytest

from workers.core.evaluation.cells import Cell
from workers.core.evaluation.export import (
    ARM_COLUMNS,
    COLUMNS,
    Row,
    arm_values,
    cell_values,
    export_json,
    export_table,
    harmless,
)
from workers.core.evaluation.summary import summarise

CELLS = (
    Cell("a", "1", 0, True, 1.0, 80, 20, 0.25, 1.5),
    Cell("a", "2", 0, False, 0.0, None, None, None, None, failed=True),
)
ROWS = tuple(
    Row(cell, index, 'Ünï “q”, "2"\nlines', "102", "=1+1", "", None)
    for index, cell in enumerate(CELLS)
)
SUMMARY = summarise(CELLS, ["a"])
FORMS: tuple[Literal["csv", "parquet"], ...] = ("csv", "parquet")


def written(
    form: Literal["csv", "parquet"],
    values: Iterable[dict[str, Any]],
    columns: dict[str, type] = COLUMNS,
) -> bytes:
    return b"".join(export_table(values, columns, form))


def table(form: Literal["csv", "parquet"]) -> bytes:
    return written(form, [cell_values(row) for row in ROWS])


def document(rows: Iterable[Row], about: dict[str, Any]) -> bytes:
    return b"".join(export_json(rows, lambda cells: summarise(cells, ["a"]), about))


def read_csv(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode(), newline="")))


def test_csv_reads_back_with_unknown_as_empty() -> None:
    first, second = read_csv(table("csv"))
    assert first["query"] == ROWS[0].query
    assert (first["correct"], first["prompt_tokens"], first["cost"]) == ("true", "80", "0.25")
    assert (second["failed"], second["prompt_tokens"], second["cost"]) == ("true", "", "")


def test_parquet_reads_back_with_types_and_nulls() -> None:
    read = pq.read_table(io.BytesIO(table("parquet")))
    assert read.column_names == list(COLUMNS)
    assert read.to_pylist() == [cell_values(row) for row in ROWS]


@pytest.mark.parametrize("count", [0, 1, 2, 1_500])
def test_json_in_pieces_is_json_as_a_whole(count: int) -> None:
    rows = [replace(ROWS[0], index=index, cell=CELLS[0]) for index in range(count)]
    whole = {
        "cells": [cell_values(row) for row in rows],
        "evaluation": {"name": "e", "arms": []},
        "summary": asdict(summarise([row.cell for row in rows], ["a"])),
    }
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    assert document(rows, {"name": "e", "arms": []}) == orjson.dumps(whole, option=options)


@pytest.mark.parametrize("form", ["json", *FORMS])
def test_a_large_file_is_never_whole_in_memory(form: Literal["json", "csv", "parquet"]) -> None:
    """50 MB of texts that differ, so that compression makes them no smaller than their bytes."""

    def rows() -> Iterator[Row]:
        for index in range(1_000 if form == "parquet" else 500):
            yield replace(ROWS[0], answer=random.Random(index).randbytes(50_000).hex())

    if form == "json":
        pieces = export_json(rows(), lambda cells: summarise(cells, ["a"]), {})
    else:
        pieces = export_table((cell_values(row) for row in rows()), COLUMNS, form)
    tracemalloc.start()
    size = sum(len(piece) for piece in pieces)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 40_000_000
    assert peak < 30_000_000


def test_parquet_of_nothing_still_has_its_columns() -> None:
    read = pq.read_table(io.BytesIO(written("parquet", [])))
    assert (read.num_rows, read.column_names) == (0, list(COLUMNS))


def test_json_holds_both_tables() -> None:
    body = orjson.loads(document(ROWS, {"name": "e"}))
    assert body["evaluation"] == {"name": "e"}
    assert [cell["task"] for cell in body["cells"]] == ["1", "2"]
    assert body["cells"][1]["prompt_tokens"] is None
    assert body["summary"]["arms"][0]["unknown_usage"] == 1


@pytest.mark.parametrize("form", FORMS)
def test_the_table_of_arms(form: Literal["csv", "parquet"]) -> None:
    body = written(form, [arm_values(arm) for arm in asdict(SUMMARY)["arms"]], ARM_COLUMNS)
    if form == "csv":
        (row,) = read_csv(body)
        assert (row["label"], row["accuracy"], row["unknown_usage"]) == ("a", "0.5", "1")
        assert 0 < float(row["accuracy_low"]) < 0.5 < float(row["accuracy_high"]) < 1
    else:
        (typed,) = pq.read_table(io.BytesIO(body)).to_pylist()
        assert typed["accuracy"] == 0.5
        assert typed["cost_mean"] == 0.25


def test_the_same_rows_give_the_same_bytes() -> None:
    assert table("csv") == table("csv")
    assert table("parquet") == table("parquet")
    assert document(ROWS, {"b": 1, "a": 2}) == document(ROWS, {"a": 2, "b": 1})


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\rx",
        "\tx",
        "  =1",
        "＝1",
        "-",
        "=HYPERLINK(1)",
    ],
)
def test_a_formula_is_made_text_in_csv_alone(text: str) -> None:
    assert harmless(text) == f"'{text}"
    row = replace(ROWS[0], answer=text)
    (read,) = read_csv(written("csv", [cell_values(row)]))
    assert read["answer"] == f"'{text}"
    (typed,) = pq.read_table(io.BytesIO(written("parquet", [cell_values(row)]))).to_pylist()
    assert typed["answer"] == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a\n=1+1", "a\n'=1+1"),
        ("a\r\n @SUM(A1)", "a\r\n '@SUM(A1)"),
        ("a\t+1", "a\t'+1"),
        ("a|-2+3", "a|'-2+3"),
        ("a;＝1", "a;'＝1"),
        ('a;""=1', 'a;""\'=1'),
        ("a; ;|\n-1;b;=2", "a; ;|\n'-1;b;'=2"),
        ("\t=1", "'\t'=1"),
        ("-1;=2", "'-1;'=2"),
    ],
)
def test_so_is_one_where_another_separator_begins_a_cell(text: str, written: str) -> None:
    assert harmless(text) == written


def test_no_text_is_looked_at_again_and_again() -> None:
    """Quadratic, this would take an hour."""
    text = "\n" * 1_000_000
    assert harmless(text) == text


@pytest.mark.parametrize(
    "value",
    ["-5", "+3.25", "-1,000", "-2e5", "12%", "a=b", "a; b=c", "a\n\nb - c", "", 7, None, -1.5],
)
def test_numbers_and_plain_text_stay(value: Any) -> None:
    assert harmless(value) == value
