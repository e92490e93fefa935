"""Cleans what pages and files say before a model or a person reads it."""

import re
from collections import Counter
from collections.abc import Sequence

from workers.core.fit import fit_tokens

TITLE_CHARS = 200
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e"
    "\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000e0000-\U0010ffff]"
)
"""Controls, marks of direction, tags and private characters. The joiners U+200C and U+200D stay:
they are parts of words and of emoji."""
_MARKS = re.compile(
    r"<(?=[|｜])|<(?=\s*/?\s*(?:s|system|user|assistant|human|tool|message|think|data|im_start|im_end"
    r"|tool_calls?|tool_response|function_calls?|function|invoke|start_of_turn|end_of_turn)"
    r"[\s>/=])|\[(?=/?INST\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)
TEMPLATE_MARKS = (
    r"<(?=[|｜][^\s<>|｜]{1,60}[|｜]>)"
    r"|<(?=/?(?:s|bos|eos|start_of_turn|end_of_turn|tool_call|tool_response|think)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])|<(?=</?SYS>>)"
)
"""As tokenizers read them, letter for letter: programs and prose hold much that is similar."""
_TEMPLATE_MARKS = re.compile(TEMPLATE_MARKS)


def closing(tag: str) -> str:
    """What begins a mark that would close a block of this tag, as a pattern."""
    return rf"(?i:<(?=[\s/\u200b-\u200f\u2060\ufeff]{{0,20}}{tag}))"


CLOSING_MESSAGE = closing("message")

_WORD = re.compile(r"\w{3,}")
FIND = {"type": "string", "description": "words to find: gives only the lines that say most of it"}
"""An argument of tools that read."""
NO_WORDS = "find must be words, as one text."


def visible(text: str) -> str:
    """Without characters that people do not see: they may carry instructions. Lines stay."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, chars: int = TITLE_CHARS) -> str:
    """A title as one visible line of at most `chars`."""
    line = " ".join(visible(text).split())
    return line if len(line) <= chars else f"{line[: chars - 1]}…"


def without_marks(text: str) -> str:
    """Marks that models' chat templates give a meaning, such as `<|im_start|>`, lose it. So do
    fences of code: text in a fence can't close it."""
    return _without(_MARKS, without_template_marks(text)).replace("```", "'''")


def without_template_marks(text: str) -> str:
    """The same for what a model wrote, which may have copied a page: only marks that a tokenizer
    takes for a chat template's own change. Programs stay as they are."""
    return _without(_TEMPLATE_MARKS, text)


def _without(marks: re.Pattern[str], text: str) -> str:
    return marks.sub(lambda mark: "‹" if mark.group() == "<" else "(", text)


def in_parts(text: str, tokens: int) -> tuple[str, ...]:
    """`text` in parts of at most about `tokens`, cut between paragraphs, lines or words. A text has
    at least one part."""
    parts: list[str] = []
    rest = text.strip()
    while fit_tokens(rest[: 4 * tokens + 8]) > tokens:
        room = _chars_of(rest, tokens)
        cut = _end_of(rest, room)
        parts.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip("\n ")
    return (*parts, rest) if rest or not parts else tuple(parts)


def _chars_of(text: str, tokens: int) -> int:
    """The most characters at the beginning that fit."""
    room = min(len(text), 4 * tokens)
    while room > 1 and (need := fit_tokens(text[:room])) > tokens:
        room = min(room - 1, int(room * tokens / need))
    return max(room, 1)


def _end_of(text: str, room: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        if (cut := text.rfind(mark, room // 2, room)) > 0:
            return cut + len(mark)
    return room


def shown_of(parts: Sequence[str], number: int, find: str | None, tokens: int) -> tuple[str, str]:
    """What a reader is shown, and what it is told about that: the part with this number, or of all
    parts the lines with what it wants to find."""
    if not find or not find.strip():
        return parts[number - 1], part_note(number, parts)
    text = excerpt("\n".join(parts), find, tokens)
    return text, f"The lines about it, from all of {len(parts)} parts." if len(parts) > 1 else ""


def part_note(number: int, parts: Sequence[str]) -> str:
    """Which part is shown; empty if there is only one."""
    if len(parts) < 2:
        return ""
    more = f" Ask for part {number + 1} to go on." if number < len(parts) else " It is the last."
    return f"Part {number} of {len(parts)}.{more}"


def excerpt(text: str, about: str, room_tokens: int) -> str:
    """The lines that have most of the question's words in common, in their order. A word counts
    the more the fewer lines have it. The first line stays: it says what the text is."""
    if fit_tokens(text) <= room_tokens:
        return text
    lines = [line for line in text.split("\n") if line.strip()]
    asked = set(_WORD.findall(about.casefold()))
    words = [asked & set(_WORD.findall(line.casefold())) for line in lines]
    often = Counter(word for each in words for word in each)
    order = sorted(
        range(1, len(lines)),
        key=lambda at: (-sum(1 / often[word] for word in words[at]), at),
    )
    kept, left = {0}, room_tokens - fit_tokens(lines[0])
    for at in order:
        left -= fit_tokens(lines[at]) + 1
        if left < 0 or not words[at]:
            break
        kept.add(at)
    return "\n".join(
        lines[at] if at == 0 or at - 1 in kept else f"…\n{lines[at]}" for at in sorted(kept)
    )
