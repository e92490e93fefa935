"""Reads files that come with a task: PDF, DOCX, XLSX, PPTX, CSV, HTML and text, in parts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workers.core.specs import Source
from workers.core.tools.attachments import FILE_MAX_BYTES, AttachedFile, FileMissing
from workers.core.tools.base import ToolLimits, ToolResult, object_schema, whole_number
from workers.core.tools.documents import Unreadable
from workers.core.tools.foreign_text import in_parts, part_note, visible
from workers.core.tools.run_tool import Run, RunScope, RunTool, ToolBudget
from workers.core.tools.seen import Seen, again

PART_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class _Text:
    parts: tuple[str, ...]
    cut: bool


class _Files:
    """The files of one run, as far as they were read."""

    def __init__(self, scope: RunScope) -> None:
        self._scope = scope
        self._seen: Seen[_Text] = Seen()

    async def run(self, arguments: Mapping[str, Any], limits: ToolLimits) -> ToolResult:
        files = self._scope.files
        name, part = arguments.get("name"), whole_number(arguments.get("part", 1))
        if not files:
            return ToolResult(False, "No file is attached to this task.")
        named = {known.casefold(): file for known, file in files.items()}
        file = named.get(name.strip().casefold()) if isinstance(name, str) else None
        if file is None:
            return ToolResult(False, f"Give the name of an attached file: {', '.join(files)}.")
        if part is None or part < 1:
            return ToolResult(False, "part must be a number from 1.")
        try:
            text, fresh = await self._seen.found(file.name, lambda: self._read(file, limits))
        except (FileMissing, Unreadable) as error:
            return ToolResult(False, f"{file.name} can't be read. {error}", foreign=True)
        if part > len(text.parts):
            return ToolResult(False, f"The file has {len(text.parts)} parts; there is no {part}.")
        repeated = again(self._seen.times((file.name, part)), "read this part of the file")
        note = " ".join(filter(None, (part_note(part, text.parts), repeated)))
        if text.cut and part == len(text.parts):
            note = f"{note} The file goes on, but no more of it is read.".strip()
        sources = (Source(title=file.name),)
        return ToolResult(
            True, text.parts[part - 1], note, True, sources, cached=not fresh, cut=text.cut
        )

    async def _read(self, file: AttachedFile, limits: ToolLimits) -> _Text:
        """Raises FileMissing or Unreadable."""
        data = file.data(self._scope.settings.files)
        if len(data) > FILE_MAX_BYTES:
            raise Unreadable(f"It has more than {FILE_MAX_BYTES / 1e6:.0f} MB.")
        held = replace(limits, seconds=0.75 * limits.seconds)
        read = await self._scope.documents.read(data, held, name=file.name)
        text = visible(read.text).strip()
        if not text:
            raise Unreadable("It has no text: it may be empty, or hold pictures alone.")
        return _Text(in_parts(text, PART_TOKENS), read.cut)


def _open(scope: RunScope) -> Run:
    return _Files(scope).run


READ_FILE = RunTool(
    key="read_file",
    name="File reader",
    description=(
        "Reads a file that is attached to the question: PDF, Word, Excel, PowerPoint, CSV, HTML or "
        "text. A long one comes in parts."
    ),
    parameters=object_schema(
        {
            "name": {"type": "string", "description": "the file's name"},
            "part": {"type": "integer", "description": "which part of a long file; 1 if left out"},
        },
        "name",
    ),
    open=_open,
    limits=ToolLimits(seconds=60.0, memory_mib=1_536, output_chars=1_000_000),
    budget=ToolBudget(calls=60, seconds=600.0),
)
