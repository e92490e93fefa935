"""Writes and reads roles as CSV, one row each, for people who edit them in a spreadsheet.

Lists have one item per line of their cell, and `enabled` is yes or no. A text that looks like a
formula gets an apostrophe before it, also within a text, where a spreadsheet with another separator
begins a cell. Reading removes exactly that apostrophe. Two things change: a line always ends with
\\n, and an item of a list is always one line.
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches

from workers.core.pools.compare import FIELDS, PoolRole, Value
from workers.core.pools.errors import Issue, PoolFormatError
from workers.core.pools.parse import MAX_ROLES, PoolFile, pool_of
from workers.core.pools.plain_yaml import MAX_BYTES, Document, Location, Plain
from workers.core.specs import PoolSpec, RoleSpec

COLUMNS = ("key", *FIELDS)
LISTS = ("capabilities", "tools")
REQUIRED = tuple(name for name, field in RoleSpec.model_fields.items() if field.is_required())

_SPOT = re.compile(r"(\A[;|\s\"]*|[;|\t\r\n][;|\s\"]*)('*)([=+\-@＝＋－＠]?)")
"""Where a cell may begin, the apostrophes there, and the sign of a formula. Everything before the
sign is matched with or without one, so no character is read twice."""


def dump_pool_csv(pool: PoolSpec, *, switches: Mapping[str, bool] | None = None) -> str:
    """The pool's roles as CSV, which `parse_pool_csv` reads. It begins with the mark by which
    spreadsheets recognise UTF-8. `switches`: whether a role is enabled; missing roles are."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for role in pool.roles:
        state = PoolRole(role, enabled=(switches or {}).get(role.key, True))
        writer.writerow([_guarded(role.key), *(_guarded(_cell(state.value(n))) for n in FIELDS)])
    return "\ufeff" + out.getvalue()


def parse_pool_csv(
    text: str, *, key: str, name: str, description: str = "", known_tools: Collection[str]
) -> PoolFile:
    """A pool with these roles. Cells are separated by commas or semicolons. Columns may be in any
    order, and optional columns may be missing.

    Raises PoolFormatError with one sentence for each problem, like `parse_pool_yaml`.
    """
    lines: dict[Location, int] = {}
    roles: list[Plain] = []
    for line, role in _rows(text):
        here: Location = ("roles", len(roles))
        lines |= {here: line, **{(*here, column): line for column in role}}
        roles.append(role)
    value: Plain = {"key": key, "name": name, "description": description, "roles": roles}
    return pool_of(Document(value=value, lines=lines), known_tools=known_tools)


def _rows(text: str) -> Iterator[tuple[int, dict[str, Plain]]]:
    """Each row with the line on which it ends, without rows of empty cells."""
    text = _checked(text).removeprefix("\ufeff")
    head = text.split("\n", 1)[0]
    separator = ";" if head.count(";") > head.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        columns = _columns(next(reader, []))
        for count, cells in enumerate(row for row in reader if any(row)):
            if count >= MAX_ROLES:
                raise _refused(f"The file has more than {MAX_ROLES:,} roles.")
            if len(cells) > len(columns):
                raise _refused(
                    f"Line {reader.line_num} has {len(cells)} cells, but the file has "
                    f"{len(columns)} columns."
                )
            yield reader.line_num, _role(dict(zip(columns, cells, strict=False)))
    except csv.Error as error:
        raise _refused(f"This is not valid CSV: {error} (line {reader.line_num}).") from None


def _checked(text: str) -> str:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused("The file contains characters that are not valid Unicode.") from None
    if size > MAX_BYTES:
        raise _refused(f"The file has {size:,} bytes. The limit is {MAX_BYTES:,} bytes.")
    if "\0" in text:
        raise _refused("The file contains a NUL character. Remove it.")
    return text


def _columns(head: list[str]) -> list[str]:
    columns = [cell.strip().lower() for cell in head]
    for column in columns:
        if column not in COLUMNS:
            close = get_close_matches(column, COLUMNS, n=1)
            hint = f"Did you mean “{close[0]}”?" if close else f"Use only: {', '.join(COLUMNS)}."
            raise _refused(f"There is no column “{column[:80]}”. {hint}")
    if len(set(columns)) != len(columns):
        raise _refused("A column occurs twice. Keep one.")
    if missing := [name for name in REQUIRED if name not in columns]:
        raise _refused(
            f"The first line must name the columns. These are missing: {', '.join(missing)}."
        )
    return columns


def _role(cells: dict[str, str]) -> dict[str, Plain]:
    """The role's fields, without optional ones that are empty."""
    texts = {name: _bare(cell).replace("\r\n", "\n") for name, cell in cells.items()}
    return {
        name: [item for item in text.split("\n") if item] if name in LISTS else text
        for name, text in texts.items()
        if text or name in REQUIRED
    }


def _cell(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return "\n".join(" ".join(item.splitlines()) for item in value)


def _guarded(text: str) -> str:
    return _SPOT.sub(lambda at: f"{at[1]}'{at[2]}{at[3]}" if at[3] else at[0], text)


def _bare(text: str) -> str:
    """The inverse of `_guarded`."""
    return _SPOT.sub(lambda at: f"{at[1]}{at[2][1:]}{at[3]}" if at[3] else at[0], text)


def _refused(message: str) -> PoolFormatError:
    return PoolFormatError([Issue("file", message)])
