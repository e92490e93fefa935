"""Finds the script in a designer's reply: the one block of Python, or a reply that is bare code.

A reply is hostile. It is read line by line, in linear time.
"""

import ast
import re
import textwrap
from dataclasses import dataclass

from workers.core.answers.thoughts import parted
from workers.core.events.scripts import ScriptProblem
from workers.core.scripts.language import SCRIPT_CHARS
from workers.core.scripts.problems import ScriptError

REPLY_CHARS = 2_000_000
"""A longer reply is refused unread. Thoughts may be long; a script has its own limit."""

MOST_PARAGRAPHS = 5
"""Of prose after a script."""

_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})[ \t]*\{?\.?([A-Za-z0-9_+#-]{0,20})")
_PYTHON = frozenset({"python", "python3", "py", "py3", "workflow"})
_CODE = re.compile(
    r"(?:from[ \t]+\w+[ \t]+import\b|import[ \t]+\w+(?:[ \t]+as[ \t]+\w+)?[ \t]*$"
    r"|[A-Za-z_]\w*[ \t]*=[^=]|def[ \t]+\w+[ \t]*\(|deliver[ \t]*\()"
)
_LEADING = re.compile(r"[ \t]*(?:#|$)")
_STRING_PART = re.compile(
    r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"?|\'(?:[^\'\\\n]|\\.)*\'?|#[^\n]*', re.DOTALL
)
_REMEDY = "Write one code block that begins with ```python and holds the whole script."


@dataclass(frozen=True, slots=True)
class _Block:
    language: str
    code: str

    @property
    def is_python(self) -> bool:
        return self.language in _PYTHON


def script_in(reply: str) -> str:
    """The script of a reply. Thoughts (`<think>`) and the prose around the block are left out.

    Blocks marked as Python come first; unmarked ones count where none is marked. A block whose
    fence is never closed reaches to the end. A fence inside a triple-quoted text of the script is
    part of the script. Raises ScriptError: `no_code_block`, `two_code_blocks`, `too_long`.
    """
    if len(reply) > REPLY_CHARS:
        raise _refused(
            "too_long", f"The reply has {len(reply):,} characters.", "Write a short script."
        )
    written = parted(reply.removeprefix("\ufeff").replace("\r\n", "\n"))
    if _is_script(written.message):  # a fence in it stands in a text
        return written.message.strip("\n").rstrip()
    found = _blocks(written.message)
    if not found and not written.message and written.thoughts:
        raise _refused("no_code_block", "The reply ends in its thoughts.", _REMEDY)
    if not found:
        return _bare(written.message)
    marked = [block for block in found if block.is_python]
    scripts = marked or [block for block in found if not block.language]
    if not scripts:
        raise _refused(
            "no_code_block", f"The reply's code block is {found[0].language}, not Python.", _REMEDY
        )
    if len(scripts) > 1:
        raise _refused(
            "two_code_blocks",
            f"The reply has {len(scripts)} code blocks, and only one can be the script.",
            _REMEDY,
        )
    if not scripts[0].code.strip():
        raise _refused("no_code_block", "The reply's code block is empty.", _REMEDY)
    return scripts[0].code


def _blocks(message: str) -> list[_Block]:
    found: list[_Block] = []
    lines = message.split("\n")
    place = 0
    while place < len(lines):
        opening = _FENCE.match(lines[place])
        place += 1
        if opening is None or "`" in lines[place - 1][opening.end() :]:
            continue
        end = _end(lines, place, opening[1])
        code = textwrap.dedent("\n".join(lines[place:end])).strip("\n").rstrip()
        code = code if end < len(lines) else _without_ending(code)
        found.append(_Block(opening[2].lower(), code))
        place = end + 1
    return found


def _end(lines: list[str], start: int, fence: str) -> int:
    """The line of the fence that closes a block: the first outside every triple-quoted text, or the
    first at all where such a text never ends."""
    quote: str | None = None
    first = None
    for place in range(start, len(lines)):
        if _closes(lines[place], fence):
            if quote is None:
                return place
            first = place if first is None else first
        quote = _quote_after(lines[place], quote)
    return len(lines) if first is None else first


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and bare == fence[0] * len(bare)


def _quote_after(line: str, quote: str | None) -> str | None:
    """The triple quote that is open after a line, if one is."""
    place = 0
    while place < len(line):
        if quote is not None:
            end = line.find(quote, place)
            if end < 0:
                return quote
            place, quote = end + 3, None
            continue
        part = _STRING_PART.search(line, place)
        if part is None:
            return None
        place = part.end()
        quote = part[0] if part[0] in {'"""', "'''"} else None
    return quote


def _bare(message: str) -> str:
    """A reply without a block, from the first line that can only be code."""
    lines = message.split("\n")
    start = next((place for place, line in enumerate(lines) if _CODE.match(line)), None)
    if start is None:
        raise _refused("no_code_block", "The reply has no code block.", _REMEDY)
    while start and _LEADING.match(lines[start - 1]):
        start -= 1
    return _without_ending("\n".join(lines[start:]).strip("\n").rstrip())


def _without_ending(code: str) -> str:
    """Without the prose after it, if that is what makes it no Python."""
    if len(code) > SCRIPT_CHARS or _is_python(code):
        return code
    left = code
    for _ in range(MOST_PARAGRAPHS):
        left, blank, ending = left.rpartition("\n\n")
        if not blank or any(map(_CODE.match, ending.split("\n"))):
            return code
        if _is_python(left):
            return left.rstrip()
    return code


def _is_script(message: str) -> bool:
    if len(message) > SCRIPT_CHARS or "deliver" not in message:
        return False
    return any(map(_CODE.match, message.split("\n"))) and _is_python(message)


def _is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _refused(code: str, message: str, remedy: str) -> ScriptError:
    return ScriptError((ScriptProblem(code=code, message=message, remedy=remedy),))
