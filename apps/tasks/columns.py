"""The columns of a file, to choose from before anything is stored."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from django.utils.translation import gettext as _

from apps.tasks.source import Source, no_rows, unreadable
from workers.core.benchmarks.readers import ReadError, read_rows

LOOKED_AT = 20
"""Number of rows whose columns are listed; in JSON Lines, later rows may have others."""
EXAMPLES = 3
EXAMPLE_CHARS = 120
MOST_COLUMNS = 1_000
NAMED = 30


@dataclass(frozen=True, slots=True)
class FileColumn:
    """`examples`: its first values that are not empty, cut."""

    name: str
    examples: list[str] = field(default_factory=list)


def file_columns(source: Source) -> list[FileColumn]:
    """The columns of the first rows, in the file's order. Raises ApplicationError."""
    found: dict[str, FileColumn] = {}
    try:
        for _number, row in islice(read_rows(*source.files, format=source.format), LOOKED_AT):
            _add(found, row)
    except ReadError as error:
        raise unreadable(error) from error
    if not found:
        raise no_rows()
    return list(found.values())


def _add(found: dict[str, FileColumn], row: Mapping[str, object]) -> None:
    """Leaves out a column whose name cannot be typed or sent."""
    for name, value in row.items():
        if name not in found and (len(found) >= MOST_COLUMNS or not name.isprintable()):
            continue
        column = found.setdefault(name, FileColumn(name))
        if value not in (None, "") and len(column.examples) < EXAMPLES:
            column.examples.append(_shown(value))


def _shown(value: object) -> str:
    """The value as a person reads it; as JSON if it is not text."""
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _printable(said[:EXAMPLE_CHARS]) + ("…" if len(said) > EXAMPLE_CHARS else "")


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text).strip()


def named(columns: Iterable[str]) -> str:
    """The first columns, for a sentence."""
    names = list(columns)
    said = ", ".join(f"“{_printable(name[:60])}”" for name in names[:NAMED])
    if len(names) <= NAMED:
        return said
    return _("%(some)s and %(count)s more") % {"some": said, "count": len(names) - NAMED}
