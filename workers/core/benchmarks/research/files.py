"""Tables that come with a question, in the forms that people send them. The same table gives the
same bytes."""

import base64
import csv
import html
import io
import zipfile
from collections.abc import Sequence
from typing import Any

FORMS = ("csv", "html", "xlsx")
_DAY = (2026, 1, 1, 0, 0, 0)

Cell = str | int
Rows = Sequence[Sequence[Cell]]


def table_file(form: str, name: str, rows: Rows) -> dict[str, Any]:
    """An entry of `metadata["files"]`. The first row has the titles."""
    if form == "xlsx":
        return {"name": f"{name}.xlsx", "content": base64.b64encode(_workbook(rows)).decode()}
    return {"name": f"{name}.{form}", "text": _csv(rows) if form == "csv" else _page(name, rows)}


def _csv(rows: Rows) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue()


def _page(name: str, rows: Rows) -> str:
    told = [[html.escape(str(cell), quote=False) for cell in row] for row in rows]
    lines = "\n".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in told)
    return f"<!doctype html><title>{html.escape(name)}</title>\n<table>\n{lines}\n</table>\n"


def _workbook(rows: Rows) -> bytes:
    # Importing it takes a while, and most questions come without one.
    from openpyxl import Workbook

    workbook = Workbook()
    sheet = workbook.active
    for row in rows:
        sheet.append(list(row))
    written = io.BytesIO()
    workbook.save(written)
    return _undated(written.getvalue())


def _undated(workbook: bytes) -> bytes:
    """Without the moment at which it was written."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as read, zipfile.ZipFile(made, "w") as kept:
        for entry in read.infolist():
            data = _CORE if entry.filename == "docProps/core.xml" else read.read(entry)
            kept.writestr(zipfile.ZipInfo(entry.filename, _DAY), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


_CORE = (
    '<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties xmlns:cp='
    '"http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
)
