"""Reads files that come with a task, in parts: PDF, DOCX, XLSX, PPTX, CSV, HTML, text, and pictures
where a model of the run sees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workers.core.specs import Source, Usage
from workers.core.tools.attachments import FILE_MAX_BYTES, AttachedFile, FileMissing
from workers.core.tools.base import ToolLimits, ToolResult, object_schema, whole_number
from workers.core.tools.documents import Unreadable
from workers.core.tools.foreign_text import FIND, NO_WORDS, in_parts, shown_of, visible
from workers.core.tools.run_tool import STARTS, Run, RunScope, RunTool, Start, ToolBudget
from workers.core.tools.seen import Seen, again

PART_TOKENS = 2_000


NO_EYES = (
    "It is a picture, and no model of this run sees pictures. A curator can tick “Sees images” for "
    "an endpoint whose model does. Otherwise attach what the picture says as a text."
)


@dataclass(frozen=True, slots=True)
class _Text:
    """`seen_by`: who wrote it from a picture."""

    parts: tuple[str, ...]
    cut: bool
    seen_by: str = ""


class _Unseen(Exception):
    """A model did not read a picture; what it used anyway."""

    def __init__(self, why: str, usage: Usage) -> None:
        super().__init__(why)
        self.usage = usage


class _Files:
    """The files of one run, as far as they were read."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._seen: Seen[_Text] = Seen()

    async def run(
        self, arguments: Mapping[str, Any], limits: ToolLimits, agent_id: str
    ) -> ToolResult:
        files = self._scope.files
        name, part = arguments.get("name"), whole_number(arguments.get("part", 1))
        named = {known.casefold(): file for known, file in files.items()}
        file = named.get(name.strip().casefold()) if isinstance(name, str) else None
        if file is None:
            known = f"Give the name of an attached file: {', '.join(files)}."
            return ToolResult(False, known if files else "No file is attached to this task.")
        if part is None or part < 1:
            return ToolResult(False, "part must be a number from 1.")
        find = arguments.get("find")
        if not isinstance(find, str | None):
            return ToolResult(False, NO_WORDS)
        usage: Usage | None = None

        async def read() -> _Text:
            nonlocal usage
            text, usage = await self._read(file, limits)
            return text

        try:
            text, fresh = await self._seen.found(file.name, read)
        except (FileMissing, Unreadable, _Unseen) as error:
            said = f"{file.name} can't be read. {error}"
            return ToolResult(False, said, foreign=True, usage=getattr(error, "usage", None))
        if part > len(text.parts):
            return ToolResult(False, f"The file has {len(text.parts)} parts; there is no {part}.")
        repeated = again(self._seen.times((file.name, part, find)), "read this part of the file")
        shown, which = shown_of(text.parts, part, find, PART_TOKENS)
        seen = f"{text.seen_by} wrote this from the picture." if text.seen_by else ""
        note = " ".join(filter(None, (seen, which, repeated)))
        if text.cut and part == len(text.parts):
            note = f"{note} The file goes on, but no more of it is read.".strip()
        sources = (Source(title=file.name),)
        return ToolResult(
            True, shown, note, True, sources, cached=not fresh, cut=text.cut, usage=usage
        )

    async def _read(self, file: AttachedFile, limits: ToolLimits) -> tuple[_Text, Usage | None]:
        """Raises FileMissing, Unreadable, _Unseen or BudgetExceeded."""
        data = file.data(self._scope.settings.files)
        if len(data) > FILE_MAX_BYTES:
            raise Unreadable(f"It has more than {FILE_MAX_BYTES / 1e6:.0f} MB.")
        held = replace(limits, seconds=0.75 * limits.seconds)
        read = await self._scope.documents.read(data, held, name=file.name, pictures=True)
        if read.picture:
            return await self._seen_by_model(read.picture)
        text = visible(read.text).strip()
        if not text:
            raise Unreadable("It has no text: it may be empty, or hold pictures alone.")
        return _Text(in_parts(text, PART_TOKENS), read.cut), None

    async def _seen_by_model(self, picture: str) -> tuple[_Text, Usage]:
        eyes = self._scope.eyes
        if eyes is None:
            raise Unreadable(NO_EYES)
        told = await eyes.read(picture)
        text = visible(told.text).strip()
        if not told.ok or not text:
            raise _Unseen(text or f"{eyes.name} wrote nothing about the picture.", told.usage)
        return _Text(in_parts(text, PART_TOKENS), told.cut, eyes.name), told.usage


def _open(scope: RunScope) -> Run:
    return _Files(scope).run


def _starts(start: Start) -> list[dict[str, str]]:
    """The files that the question names. A whole question names all of its files."""
    asked = start.about.casefold()
    named = [name for name in start.files if name.casefold() in asked]
    return [{"name": name, "find": start.about} for name in named[:STARTS]]


READ_FILE = RunTool(
    key="read_file",
    name="File reader",
    description=(
        "Reads a file that is attached to the question: PDF, Word, Excel, PowerPoint, CSV, HTML, "
        "text or picture. A long one comes in parts."
    ),
    parameters=object_schema(
        {
            "name": {"type": "string", "description": "the file's name"},
            "part": {"type": "integer", "description": "which part of a long file; 1 if left out"},
            "find": FIND,
        },
        "name",
    ),
    open=_open,
    limits=ToolLimits(seconds=60.0, memory_mib=1_536, output_chars=1_000_000),
    budget=ToolBudget(calls=60, seconds=600.0),
    starts=_starts,
    remembers=True,
)
