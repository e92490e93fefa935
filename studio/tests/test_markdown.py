"""Lines of Markdown fit a terminal and a review."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("apps", "bench", "docs", "frontend/src", "studio", "tests", "workers")
WIDTH = 120
ONE_WORD = re.compile(r"\s*(?:[-*>|]\s+)?\S+")
"""Such as a long address, which no line break can help."""


def pages() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for folder in FOLDERS:
        yield from (ROOT / folder).rglob("*.md")


def too_long(text: str) -> list[int]:
    """Numbers of the lines."""
    return [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > WIDTH and not ONE_WORD.fullmatch(line)
    ]


def test_a_line_has_at_most_120_characters() -> None:
    found = [
        f"{page.relative_to(ROOT)}:{n}" for page in pages() for n in too_long(page.read_text())
    ]
    assert not found, "Break these lines, or split the table: " + ", ".join(found)


def test_characters_are_counted_and_a_long_address_passes() -> None:
    assert too_long("é" * 60 + " " + "é" * 59) == []
    assert too_long("a\n" + "word " * 24 + "b") == [2]
    assert too_long("- https://example.org/" + "a" * 120) == []
