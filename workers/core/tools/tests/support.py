"""Tools of one run for tests, and documents made by hand."""

import asyncio
import io
import zipfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import pytest_asyncio

from workers.core.tools.base import ToolLimits, ToolResult
from workers.core.tools.documents import DocumentReaders
from workers.core.tools.pictures import Pictures
from workers.core.tools.registry import TOOLS
from workers.core.tools.run_tool import ReadsPictures, RunTool, ToolBudget
from workers.core.tools.settings import ToolSettings
from workers.core.tools.toolbox import Toolbox


class Tools:
    """Calls the tools of one run."""

    def __init__(self, tools: Any) -> None:
        self._tools = tools

    async def __call__(self, key: str, **arguments: Any) -> ToolResult:
        result: ToolResult = await self._tools[key].run(arguments, ToolLimits())
        return result


@asynccontextmanager
async def a_run(
    settings: ToolSettings | None = None,
    *,
    files: list[dict[str, str]] | None = None,
    seconds: float | None = None,
    budget: ToolBudget | None = None,
    pictures: Pictures | None = None,
    eyes: ReadsPictures | None = None,
) -> AsyncGenerator[Tools]:
    """The registry's tools, with other `seconds` of a call or another `budget` where given."""
    tools = dict(TOOLS)
    for key, tool in TOOLS.items():
        if isinstance(tool, RunTool):
            limits = replace(tool.limits, seconds=seconds or tool.limits.seconds)
            tools[key] = replace(tool, limits=limits, budget=budget or tool.budget)
    shared = _readers.get(asyncio.get_running_loop())
    toolbox = Toolbox(settings, tools, documents=shared)
    try:
        async with toolbox.opened({"files": files or []}, pictures, eyes) as opened:
            yield Tools(opened)
    finally:
        if shared is None:
            await toolbox.close()


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, DocumentReaders] = WeakKeyDictionary()


@pytest_asyncio.fixture(loop_scope="module", scope="module", autouse=True)
async def documents() -> AsyncGenerator[DocumentReaders]:
    """One reader of documents for all tests of a module that imports this: they run in one loop."""
    readers = _readers[asyncio.get_running_loop()] = DocumentReaders()
    yield readers
    await readers.close()


def archive(files: Mapping[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return target.getvalue()


def pdf(*pages: str) -> bytes:
    """A PDF with one line on each page."""
    font, first = 3, 4
    kids = b" ".join(b"%d 0 R" % (first + 2 * place) for place in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, len(pages)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for place, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F1 %d 0 R>>>>>>" % (first + 2 * place + 1, font),
            b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn),
        ]
    body = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (count, table, count, len(body))
    )
