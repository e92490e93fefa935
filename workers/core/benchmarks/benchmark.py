"""Defines a benchmark: where its rows come from, and how a row becomes a task."""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from workers.core.benchmarks.limits import Limits
from workers.core.benchmarks.verifiers.unjudgeable import why_unjudgeable
from workers.core.specs import QUERY_MAX_CHARS, AnswerForm, TaskSpec

Row = Mapping[str, Any]
"""A row of a file: column → JSON value."""

Beside = Callable[[str], bytes]
"""The content of a file that lies beside the rows, by its name there. Raises RowError."""

SPLITS = ("train", "dev", "test")


class RowError(ValueError):
    """A row that is not a task. The message names the column and the reason."""


@dataclass(frozen=True, slots=True)
class Column:
    """`also`: other names of the column, read if the name itself is missing."""

    name: str
    description: str
    required: bool = True
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HubSource:
    """Where the dataset is on the hub. `splits`: our split → its name there."""

    repo_id: str
    config: str = ""
    splits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`to_task` raises RowError; call `task`, which also checks columns and limits. `file_column`
    names a file that lies beside the rows and comes with the question; "": there is none. `limits`
    of its files; None: the usual ones."""

    key: str
    name: str
    description: str
    licence: str
    verifier: str
    columns: tuple[Column, ...]
    to_task: Callable[[Row], TaskSpec]
    answer_form: AnswerForm = "text"
    hub: HubSource | None = None
    file_column: str = ""
    limits: Limits | None = None

    def task(self, row: Row, *, beside: Beside | None = None) -> TaskSpec:
        """`beside` None: only rows are here. Raises RowError, and what `beside` raises."""
        row = self._named(row)
        for column in self.columns:
            if column.required and row.get(column.name) in (None, ""):
                raise RowError(f"the column “{column.name}” is missing or empty")
        try:
            task = self.to_task(row)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise RowError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
        reason = why_unjudgeable(task.metadata["tests"]) if "tests" in task.metadata else None
        if reason:
            raise RowError(f"these tests can't judge a program: {reason}")
        return self._with_file(task, row, beside)

    def _with_file(self, task: TaskSpec, row: Row, beside: Beside | None) -> TaskSpec:
        """After everything else is checked: a file may have to be downloaded. Without its file a
        question is refused: no agent could answer it."""
        name = text(row, self.file_column).strip() if self.file_column else ""
        if not name or "files" in task.metadata:
            return task
        if beside is None:
            raise RowError(
                f"it comes with the file “{name[:80]}”, which is not here. Import the dataset from "
                "the hub, or with load_dataset from the folder that has the file, or give the "
                "column “files”: a list of name and base64 content"
            )
        content = base64.b64encode(beside(name)).decode()
        file = {"name": PurePosixPath(name).name, "content": content}
        return task.model_copy(update={"metadata": {**task.metadata, "files": [file]}})

    def _named(self, row: Row) -> Row:
        """The row under our names, even if the file has them in capitals or under another name."""
        missing = [column for column in self.columns if column.name not in row]
        if not missing:
            return row
        theirs = {name.strip().lower(): name for name in row}
        found = {
            column.name: row[theirs[name]]
            for column in missing
            for name in (*reversed(column.also), column.name.lower())
            if name in theirs
        }
        return {**row, **found} if found else row


def text(row: Row, column: str, default: str = "") -> str:
    """A text, or a number as text. Raises RowError for anything else, and for text that a database
    can't store."""
    value = row.get(column)
    if value is None:
        return default
    if isinstance(value, Decimal):  # as Parquet has prices
        value = format(value, "f")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise RowError(f"the column “{column}” has {_kind(value)} instead of a text")
    found = str(value)
    if "\0" in found:
        raise RowError(f"the column “{column}” contains a NUL character")
    if not found.isascii() and found != found.encode(errors="ignore").decode():
        raise RowError(f"the column “{column}” is not valid Unicode text")
    if len(found) > QUERY_MAX_CHARS:
        raise RowError(f"the column “{column}” has more than {QUERY_MAX_CHARS:,} characters")
    return found


def texts(row: Row, column: str) -> list[str]:
    """A list of texts. Raises RowError."""
    value = row.get(column)
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise RowError(f"the column “{column}” has {_kind(value)} instead of a list")
    return [text({column: item}, column) for item in value]


def _kind(value: Any) -> str:
    kinds = {bool: "a truth value", str: "a text", dict: "an object", list: "a list"}
    return kinds.get(type(value), f"a value of type {type(value).__name__}")
