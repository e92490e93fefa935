"""A folder of a person's .txt, .md and .html files, and a JSONL file of documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from apps.common.errors import ApplicationError
from apps.corpora.sources.base import About, Found, Skipped, unreadable

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement

ENDS = {".txt", ".md", ".markdown", ".html", ".htm"}
BESIDE = ("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form")
"""Parts of a web page that are not its text."""
HEAD = ("title", "meta", "link", "script", "style", "base", "noscript", "template")
MOST_BYTES = 20_000_000


class Folder:
    def __init__(self, path: Path, about: About) -> None:
        self._path, self.about = path, about
        self._files = sorted(
            each
            for each in path.rglob("*")
            if each.suffix.lower() in ENDS
            and each.is_file()
            and not any(part.startswith(".") for part in each.relative_to(path).parts)
        )
        self.total = len(self._files)
        if not self._files:
            raise ApplicationError(
                code="no_documents",
                message=_("The folder %(path)s has no .txt, .md or .html file.") % {"path": path},
                remedy=_("Give another folder, a .jsonl file or a .zim file."),
            )

    def read(self) -> Iterator[Found | Skipped]:
        for file in self._files:
            name = file.relative_to(self._path).as_posix()
            try:
                if not file.resolve().is_relative_to(self._path.resolve()):
                    yield Skipped(name, "it is a link that leads out of the folder")
                elif file.stat().st_size > MOST_BYTES:
                    yield Skipped(name, f"it has more than {MOST_BYTES:,} bytes")
                else:
                    yield _file(name, file)
            except UnicodeDecodeError:
                yield Skipped(name, "it is not UTF-8")
            except OSError as error:
                yield Skipped(name, error.strerror or str(error))


def _file(name: str, file: Path) -> Found:
    text = file.read_text(encoding="utf-8-sig")
    match file.suffix.lower():
        case ".html" | ".htm":
            return html_document(name, text, title=file.stem)
        case ".txt":
            return Found(key=name, title=file.stem.replace("_", " "), text=text)
    first = next((line for line in text.splitlines() if line.startswith("# ")), "")
    title = first.removeprefix("# ").strip() or file.stem.replace("_", " ")
    return Found(key=name, title=title, text=text.replace(first, "", 1), form="markdown")


def html_document(key: str, html: str, *, title: str, url: str = "") -> Found:
    """A page's own text as Markdown, below its <h1> or <title>."""
    # Here: every process would take 0.1 s longer to start.
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    page = BeautifulSoup(html, "lxml")
    _move_from_head(page)
    for beside in page(BESIDE):
        beside.decompose()
    heading = page.h1 or page.title
    named = " ".join(heading.get_text(" ").split()) if heading else ""
    if page.h1:
        page.h1.decompose()
    body = page.body or page
    # Links of a file lead nowhere here: mentions of other documents are linked when it is shown.
    # Without a mark for what is raised, 10<sup>6</sup> becomes 106.
    converter = MarkdownConverter(heading_style="ATX", strip=["a", "img"], sup_symbol="^")
    text = converter.convert_soup(body)
    return Found(key=key, title=named or title, text=text, form="markdown", url=url)


def _move_from_head(page: BeautifulSoup) -> None:
    """HTML may leave out <body>. Then the parser puts what it does not know, as <main>, into the
    head."""
    head = page.head
    if head is None or page.html is None:
        return
    inside = list(head.children)
    first = next((n for n, each in enumerate(inside) if _is_stray(each)), len(inside))
    if first < len(inside):
        body = page.body
        if body is None:
            page.html.append(body := page.new_tag("body"))
        for place, each in enumerate(inside[first:]):
            body.insert(place, each.extract())


def _is_stray(each: PageElement) -> bool:
    from bs4 import Tag

    return isinstance(each, Tag) and each.name not in HEAD


class JsonLines:
    """A line is an object with `text`, `title` and, if it has one, `url`."""

    def __init__(self, path: Path, about: About) -> None:
        self._path, self.about = path, about
        with path.open("rb") as lines:
            self.total = sum(1 for _ in lines)
        if not self.total:
            raise unreadable(path, _("it is empty"))

    def read(self) -> Iterator[Found | Skipped]:
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _line(f"line {number:,}", line)


def _line(place: str, line: bytes) -> Found | Skipped:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Skipped(place, f"it is not JSON: {error}")
    if not isinstance(row, dict):
        return Skipped(place, "it is no JSON object")
    values = [row.get(name) or "" for name in ("title", "text", "url")]
    if not all(isinstance(value, str) for value in values):
        return Skipped(place, "title, text and url must be strings")
    title, text, url = values
    if not title.strip():
        return Skipped(place, "it has no title")
    return Found(key=title, title=title, text=text, url=url)
