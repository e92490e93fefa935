"""Reads a file row by row: JSON Lines, CSV with a header, Parquet. Executes nothing.

Cells of CSV are separated by commas, semicolons, tabs or bars.

Every error names the row, counted from 1 without the header.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from string import ascii_uppercase
from typing import IO, TYPE_CHECKING, Any

from workers.core.benchmarks.limits import MIB, Limits

if TYPE_CHECKING:
    from workers.core.benchmarks.benchmark import Row

MAX_DEPTH = 256
"""Depth limit of nested lists and objects, too small to fill a stack."""
PARQUET_BYTES = 2048 * MIB
"""Bytes of memory for the process that unpacks a Parquet file."""
PARQUET_SECONDS, PARQUET_BYTES_PER_SECOND = 20, 100_000
"""Limit of computing for that process: these seconds, plus one for each such number of bytes. A
small file may take hours to unpack."""
ROWS = b"studio.rows"
"""Key in the schema that the process sends: the number of rows that the file claims."""
_PARQUET_PROCESS = Path(__file__).with_name("parquet_process.py")


Told = Callable[[int, int], None]
"""Gets the bytes read so far of all files, and their total."""
ReadTo = Callable[[int], None]
"""Gets the bytes of one file read so far."""


class ReadError(Exception):
    """A file that can't be read further. `row` None means the whole file. With a row, the message
    starts with its verb: “is not JSON”."""

    def __init__(self, message: str, *, row: int | None = None, remedy: str = "") -> None:
        super().__init__(message if row is None else f"Row {row:,} {message}.")
        self.reason = message
        self.row = row
        self.remedy = remedy or "Correct the file and read it again."


def read_rows(
    *paths: Path,
    format: str | None = None,
    limits: Limits | None = None,
    told: Told = lambda done, total: None,
) -> Iterator[tuple[int, Row]]:
    """`(number, row)` of each row, file after file. The limits hold for all files together.
    `format` is a key of `FORMATS`; None: by each file's name. `told` gets the progress at every
    row.

    Raises ReadError, also in the middle, and OSError if a file can't be opened.
    """
    limits = limits or Limits()
    before = number = size = begin = 0
    for path in paths:
        _refuse_packed(path)
    total = sum(path.stat().st_size for path in paths if path.exists())
    for path in paths:
        read = FORMATS.get(format or format_of(path.name))
        if read is None:
            known = ", ".join(FORMATS)
            raise ReadError(f"There is no format “{format}”.", remedy=f"Use one of: {known}.")
        for place, row in read(path, limits, _from(begin, told, total)):
            number = before + place
            size += (row_bytes := bytes_of(row, number))
            if number > limits.rows:
                raise too_many(limits)
            if row_bytes > limits.row_bytes:
                raise too_long(number, limits)
            if size > limits.bytes:
                raise too_much(limits)
            yield number, row
        before = number
        begin += path.stat().st_size
        told(begin, total)


_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "ZIP, like .zip, .xlsx and .ods files",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
"""First bytes of files of other kinds, whatever their names say."""


def _refuse_packed(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(8)
    for begins, kind in _PACKED.items():
        if start.startswith(begins):
            raise ReadError(
                f"The file is compressed ({kind}).",
                remedy="Unpack it, or save the table as CSV, and read that file.",
            )


def _from(begin: int, told: Told, total: int) -> ReadTo:
    """Progress of a file that follows `begin` bytes of other files."""
    return lambda position: told(begin + position, total)


_PACKED_ENDINGS = {".gz", ".zip", ".bz2", ".xz", ".zst", ".tgz", ".xlsx", ".xls", ".ods"}


def format_of(name: str) -> str:
    """The format by the ending of a file's name. Raises ReadError."""
    endings = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
    suffix = Path(name).suffix.lower()
    found = endings.get(suffix)
    if suffix in _PACKED_ENDINGS:
        raise ReadError(
            f"The file “{name[:100]}” is compressed or a workbook.",
            remedy="Unpack it, or save the table as CSV, and read that file.",
        )
    if found is None:
        raise ReadError(
            f"The name “{name[:100]}” does not show the file's type.",
            remedy="Rename it to end in .jsonl, .csv or .parquet.",
        )
    return found


def mapped(row: Row, mapping: Mapping[str, str]) -> Row:
    """The row under our names. `mapping` is ours → theirs. Other columns keep their names."""
    if not mapping:
        return row
    renamed = {ours: row[theirs] for ours, theirs in mapping.items() if theirs in row}
    taken = set(mapping.values())
    return {name: value for name, value in row.items() if name not in taken} | renamed


def _json_lines(path: Path, limits: Limits, read_to: ReadTo) -> Iterator[tuple[int, Row]]:
    number = position = 0
    with path.open("rb") as file:
        while line := file.readline(limits.row_bytes + 1):
            position += len(line)
            if len(line) > limits.row_bytes:
                raise too_long(number + 1, limits)
            line = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 0 else line.strip()
            if line:
                number += 1
                read_to(position)
                yield number, _json_row(line, number)


def _json_row(line: bytes, number: int) -> Row:
    try:
        row = json.loads(line.decode(), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise _not_utf8(number) from error
    except (ValueError, RecursionError) as error:
        hint = "Write one object per line, not one list." if line.startswith(b"[") else ""
        raise ReadError(f"is not JSON: {error}", row=number, remedy=hint) from error
    if not isinstance(row, dict):
        raise ReadError("is not a JSON object", row=number, remedy="Write one object {…} per line.")
    return row


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON value")


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"{number[:20]} is too large for a number")
    return found


def _comma_separated(path: Path, limits: Limits, read_to: ReadTo) -> Iterator[tuple[int, Row]]:
    """A cell that contains a JSON list of texts, such as choices, is read as a list."""
    csv.field_size_limit(max(limits.row_bytes, csv.field_size_limit()))
    number = 0
    with (
        path.open("rb") as encoded,
        io.TextIOWrapper(encoded, encoding="utf-8-sig", newline="") as file,
    ):
        try:
            lines = _Lines(file, limits.row_bytes)
            header, rows = _headed(lines)
            _check_header(header, limits)
            for cells in rows:
                lines.row_chars = 0
                if any(cells):
                    number += 1
                    read_to(encoded.tell())
                    yield number, _csv_row(header, cells, number)
        except UnicodeDecodeError as error:
            raise _not_utf8(number + 1) from error
        except csv.Error as error:
            raise ReadError(f"is not CSV: {error}", row=number + 1) from error


def _headed(lines: _Lines) -> tuple[list[str], Iterator[list[str]]]:
    """The column names and the rows. Names lose outer spaces, and empty names at the end are
    removed: spreadsheets leave them behind."""
    first = lines.first(_LOOKED_AT)
    separator = _separator(first)
    if first and _SAID.match(first[0]):
        next(lines)
    rows = csv.reader(lines, delimiter=separator)
    header = next(rows, [])
    lines.row_chars = 0
    second = list(islice(rows, 1))
    if _is_choice(header) and all(map(_is_choice, second)):
        names = ["question", *ascii_uppercase[: len(header) - 2], "answer"]
        return names, chain([header], second, rows)
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()
    return names, chain(second, rows)


_SAID = re.compile(r"sep=([^\"\r\n])[\r\n]*\Z", re.IGNORECASE)
"""The first line in which spreadsheets name the separator of cells."""
_SEPARATORS = ",;\t|"
_LOOKED_AT = 20
"""Lines in which a separator is looked for."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_NAMES = {"question", "query", "problem", "prompt", "subject", "choices", "answer", "reference"}


def _separator(first: Sequence[str]) -> str:
    """The separator: the named one, or else one that divides all first rows into as many cells.
    Of several, and if none does, the most frequent in the first line outside quotation marks. Ties
    go to the comma, then semicolon, tab and bar."""
    if not first:
        return ","
    if said := _SAID.match(first[0]):
        return said[1]
    bare = _QUOTED.sub("", first[0])
    even = [mark for mark in _SEPARATORS if _divides(first, mark)]
    return max(even or _SEPARATORS, key=bare.count)


def _divides(first: Sequence[str], separator: str) -> bool:
    """Whether all whole rows have as many cells, more than one. The last may be incomplete."""
    try:
        rows = [row for row in csv.reader(first, delimiter=separator) if row]
    except csv.Error:
        return False
    whole = rows[:-1] if len(first) == _LOOKED_AT else rows
    return len(whole) > 1 and len(whole[0]) > 1 and len({*map(len, whole)}) == 1


def _is_choice(cells: list[str]) -> bool:
    """Whether it is a question, its options and a letter: MMLU's own files have no header."""
    letters = ascii_uppercase[: max(0, len(cells) - 2)]
    known = {cell.strip().lower() for cell in cells} & _NAMES
    return len(letters) > 1 and cells[-1].strip() in list(letters) and not known


class _Lines:
    """Lines of a file while the row that they make is not too long. Neither an endless line nor an
    endless cell may fill the memory. Set `row_chars` to 0 at each row's end."""

    def __init__(self, file: IO[str], most: int) -> None:
        self.row_chars = 0
        self._file = file
        self._most = most
        self._ahead: deque[str] = deque()

    def first(self, number: int) -> list[str]:
        """The next lines, which stay to be read. Fewer if they are long."""
        while len(self._ahead) < number and sum(map(len, self._ahead)) <= self._most:
            line = self._file.readline(self._most + 1)
            if not line:
                break
            self._ahead.append(line)
        return [*self._ahead]

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else self._file.readline(self._most + 1)
        self.row_chars += len(line)
        if self.row_chars > self._most:
            raise csv.Error(
                f"it has more than {self._most:,} characters. A quotation mark may be left open"
            )
        if not line:
            raise StopIteration
        return line


def _check_header(header: list[str], limits: Limits) -> None:
    if not any(header):
        raise ReadError("The file has no header.", remedy="Name the columns in the first line.")
    if len(header) > limits.columns:
        raise ReadError(f"The file has more than {limits.columns:,} columns.")
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise ReadError(f"The header names a column twice: {', '.join(repeated)[:200]}.")


def _csv_row(header: list[str], cells: list[str], number: int) -> Row:
    if not any(cells[len(header) :]):
        cells = cells[: len(header)]
    if len(cells) != len(header):
        found = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
        raise ReadError(f"has {found}; the header has {len(header)}", row=number)
    return {name: _cell(cell) for name, cell in zip(header, cells, strict=True)}


def _cell(cell: str) -> Any:
    if cell.startswith("[") and cell.endswith("]"):
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError):
            return cell
        if isinstance(found, list) and found and all(isinstance(item, str) for item in found):
            return found
    return cell


def _parquet(path: Path, limits: Limits, read_to: ReadTo) -> Iterator[tuple[int, Row]]:
    """A file may lie about its size, so a process with limited memory unpacks it. Rows come back in
    Arrow's form with all their types. Progress is counted in rows, because a file stores columns
    separately."""
    import pyarrow
    from pyarrow import ipc

    number, size = 0, path.stat().st_size
    seconds = PARQUET_SECONDS + size // PARQUET_BYTES_PER_SECOND
    command = [sys.executable, "-I", str(_PARQUET_PROCESS), str(path.absolute())]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            [*command, json.dumps(asdict(limits)), str(PARQUET_BYTES), str(seconds)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env=_PARQUET_ENVIRONMENT,
        ) as child,
    ):
        whole = False
        try:
            with ipc.open_stream(child.stdout) as batches:
                rows = int((batches.schema.metadata or {}).get(ROWS, 0))
                for batch in batches:
                    for row in batch.to_pylist():
                        number += 1
                        read_to(size * number // max(rows, number))
                        yield number, row
            # A stream that was cut off between two batches looks as if it had ended.
            whole = child.wait() == 0
        except (pyarrow.ArrowException, OSError):
            # The process is about to end, and sends the cause first.
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=5)
        finally:
            child.kill()
        if not whole:
            child.wait()
            raise _refused(said, number)


# Whatever would reserve addresses for a use that never comes, as the limit is one of addresses.
_PARQUET_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def _refused(said: IO[bytes], number: int) -> ReadError:
    """The error that the process reported, if it could report one."""
    said.seek(0)
    try:
        reason, row, remedy = json.loads(said.read())
    except ValueError:
        return ReadError(f"The file is not Parquet, or it is damaged after row {number:,}.")
    return ReadError(reason, row=row, remedy=remedy)


FORMATS: dict[str, Callable[[Path, Limits, ReadTo], Iterator[tuple[int, Row]]]] = {
    "jsonl": _json_lines,
    "csv": _comma_separated,
    "parquet": _parquet,
}


def bytes_of(row: Row, number: int) -> int:
    """The rough size of a row's values. Raises ReadError for a row that is nested too deep."""
    size = 0
    layer: list[Any] = [row]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for value in layer:
            if isinstance(value, str):
                size += len(value) if value.isascii() else len(value.encode(errors="replace"))
            elif isinstance(value, bytes):
                size += len(value)
            elif isinstance(value, dict):
                inner += value.keys()
                inner += value.values()
            else:
                size += 8
                if isinstance(value, list | tuple):
                    inner += value
        if not inner:
            return size
        layer = inner
    raise ReadError(
        f"has values nested more than {MAX_DEPTH} levels deep",
        row=number,
        remedy="Leave such columns out of the file.",
    )


def too_many(limits: Limits) -> ReadError:
    return ReadError(
        f"The file has more than {limits.rows:,} rows.", remedy="Split the file into parts."
    )


def too_much(limits: Limits) -> ReadError:
    return ReadError(
        f"The unpacked rows have more than {limits.bytes / MIB:,.0f} MiB.",
        remedy="Leave large columns out of the file, or split it into parts.",
    )


def too_long(number: int, limits: Limits) -> ReadError:
    return ReadError(
        f"has more than {limits.row_bytes:,} bytes",
        row=number,
        remedy="Leave large columns out of the file.",
    )


def _not_utf8(number: int) -> ReadError:
    return ReadError("is not UTF-8", row=number, remedy="Save the file as UTF-8.")
