"""Tasks for the tools of agents: 36 on the studio's own corpora, 14 on a site made here.

A task is a few steps that always have the same order, and a fact that the last ones must show. So
success says whether the tools find and show what is there; no language model takes part.
"""

import random
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from bench.common.corpus_questions import KINDS
from workers.core.testing.stub_web import Said
from workers.core.tools.base import ToolResult

PARTS = 5
"""Parts of a long page that a task reads at most."""
PROSE = (
    "the river flows through a wide valley and past towns whose bridges carry roads railways boats "
    "ferries markets mills and meadows where people have lived since long before maps were drawn"
)
NAMES = ("Arun", "Belva", "Corin", "Dessa", "Edra", "Falun", "Gerth", "Hasel", "Ilva", "Jorn")

Call = Callable[..., Awaitable[ToolResult]]
"""Calls a tool of one run: its key, then its arguments."""


@dataclass(frozen=True, slots=True)
class Task:
    """`steps` calls tools and says which of them did what they should."""

    kind: str
    name: str
    steps: Callable[[Call], Awaitable[dict[str, bool]]]


def corpus_tasks() -> Iterator[Task]:
    """Search, read the page that was found, open it in the browser."""
    for kind, asked in KINDS.items():
        for query, titles in asked:
            yield Task(kind, query, _Looked(query, frozenset(titles)))


@dataclass(frozen=True, slots=True)
class _Looked:
    query: str
    titles: frozenset[str]

    async def __call__(self, call: Call) -> dict[str, bool]:
        found = await call("web_search", query=self.query)
        listed = re.findall(r"^\d+\. (.+)\n   (\S+)", found.output, re.MULTILINE)
        right = [each for each in listed if each[0] in self.titles]
        worked = {"web_search": bool(right)}
        if not listed:
            return worked
        title, address = (right or listed)[0]
        read = await call("read_page", address=address)
        seen = await call("browser", action="open", address=address)
        for name, result in (("read_page", read), ("browser", seen)):
            worked[name] = result.ok and result.output.startswith(f"Title: {title}")
        return worked


@dataclass(frozen=True, slots=True)
class LocalSite:
    """`tasks` are made with the address at which the `pages` are served."""

    pages: Mapping[str, Said]
    facts: Mapping[str, str] = field(default_factory=dict)

    def tasks(self, url: str) -> Iterator[Task]:
        for path, fact in self.facts.items():
            kind = path[1:].rstrip("0123456789")
            yield Task(kind, path, _KINDS[kind](f"{url}{path}", fact))


def local_site(seed: int = 0) -> LocalSite:
    """Two pages of each kind, with other facts for another seed."""
    drawn = random.Random(seed)
    pages: dict[str, Said] = {}
    facts: dict[str, str] = {}
    for number in (1, 2):
        for kind, write in _WRITERS.items():
            fact = str(drawn.randint(10_000, 99_999))
            path = f"/{kind}{number}"
            for below, said in write(drawn, fact, path).items():
                pages[path + below] = said
            facts[path] = fact
    return LocalSite(pages, facts)


Written = dict[str, Said]


def _html(title: str, body: str) -> Said:
    head = "<meta name=viewport content='width=device-width'><link rel=icon href='data:,'>"
    return Said(f"<!doctype html><title>{escape(title)}</title>{head}{body}".encode())


def _prose(drawn: random.Random, words: int) -> str:
    sentences = (
        " ".join(drawn.choices(PROSE.split(), k=12)).capitalize() for _ in range(words // 12)
    )
    return ". ".join(sentences) + "."


def _article(drawn: random.Random, fact: str, _: str) -> Written:
    """6,000 words of which one sentence counts."""
    parts = [f"<p>{_prose(drawn, 150)}</p>" for _ in range(40)]
    parts.insert(drawn.randrange(40), f"<p>The lake holds {fact} litres a second.</p>")
    return {"": _html("Lakes", f"<article><h1>Lakes</h1>{''.join(parts)}</article>")}


def _table(drawn: random.Random, fact: str, _: str) -> Written:
    rows = [f"<tr><td>{name}<td>{drawn.randint(100, 999)}" for name in NAMES]
    rows.insert(drawn.randrange(10), f"<tr><td>Kestel<td>{fact}")
    return {"": _html("Lengths", f"<h1>Lengths</h1><table><tr><th>River<th>km{''.join(rows)}")}


def _csv(drawn: random.Random, fact: str, _: str) -> Written:
    rows = [f"{name},{drawn.randint(100, 999)}" for name in NAMES]
    rows.insert(drawn.randrange(10), f"Kestel,{fact}")
    return {"": Said("\n".join(["river,km", *rows]).encode(), media_type="text/csv")}


def _text(drawn: random.Random, fact: str, _: str) -> Written:
    said = f"{_prose(drawn, 400)}\nThe dam is {fact} years old.\n{_prose(drawn, 400)}"
    return {"": Said(said.encode(), media_type="text/plain; charset=utf-8")}


def _script(drawn: random.Random, fact: str, _: str) -> Written:
    """A page that a script builds."""
    adds = f"document.body.append('The bridge is number {fact}.')"
    return {"": _html("Bridges", f"<body><script>setTimeout(() => {adds}, 50)</script>")}


def _form(drawn: random.Random, fact: str, path: str) -> Written:
    form = f"<form action={path}/found><input name=q aria-label=Query><button>Look up</button>"
    return {
        "": _html("Register", f"<h1>Register</h1>{form}</form><p>{_prose(drawn, 60)}"),
        "/found": _html("Entry", f"<h1>Entry</h1><p>The entry is {fact}."),
    }


def _link(drawn: random.Random, fact: str, path: str) -> Written:
    links = "".join(f"<li><a href={path}/none>{name}</a>" for name in NAMES)
    return {
        "": _html("Rivers", f"<ul>{links}<li><a href={path}/there>Kestel</a></ul>"),
        "/there": _html("Kestel", f"<p>The Kestel has {fact} sources."),
        "/none": _html("None", "<p>Nothing"),
    }


_WRITERS = {
    "article": _article,
    "table": _table,
    "csv": _csv,
    "text": _text,
    "script": _script,
    "form": _form,
    "link": _link,
}


@dataclass(frozen=True, slots=True)
class _Read:
    """Reads the page part by part until the fact is there."""

    address: str
    fact: str

    async def __call__(self, call: Call) -> dict[str, bool]:
        for part in range(1, PARTS + 1):
            read = await call("read_page", address=self.address, part=part)
            if self.fact in read.output or not read.ok:
                return {"read_page": read.ok}
        return {"read_page": False}


@dataclass(frozen=True, slots=True)
class _Browse:
    """Opens the page, does something with the element of that name, and looks for the fact."""

    address: str
    fact: str
    action: str = "read"
    named: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    async def __call__(self, call: Call) -> dict[str, bool]:
        start = await call("browser", action="open", address=self.address)
        ref = re.search(rf'"{self.named}" (?:\[[a-z]+\] )*\[ref=(\w+)\]', start.output)
        marked = {"ref": ref.group(1)} if ref and self.named else {}
        seen = await call("browser", action=self.action, **marked, **self.arguments)
        return {"browser": self.fact in seen.output}


def _type(address: str, fact: str) -> _Browse:
    return _Browse(address, fact, "type", "Query", {"text": "Kestel", "enter": True})


def _click(address: str, fact: str) -> _Browse:
    return _Browse(address, fact, "click", "Kestel")


_KINDS: Mapping[str, Callable[[str, str], Callable[[Call], Awaitable[dict[str, bool]]]]] = {
    **dict.fromkeys(("article", "table", "csv", "text"), _Read),
    "script": _Browse,
    "form": _type,
    "link": _click,
}
