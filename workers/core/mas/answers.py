"""Reading an agent's message: its answer, its refusal, and the vote over several answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

SHORT_MESSAGE_CHARS = 200

NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:[eE][-+]?\d+)?"
_LINE = re.compile(
    r"^[^\w\n]*(?:(?:my|the|so|thus|therefore|final|correct)\W+)*answer\W{0,4}?[*_`\s]*[::][*_`]*",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(r"\bfinal answer[*_`\s]*(?:is\b)?\s*[::][*_`]*", re.IGNORECASE)
_SENTENCE = re.compile(r"\banswer(?: to [^.\n:]{1,80})? is\b(?!\s+not\b)[*_`]*\s*:?", re.IGNORECASE)
_HASHES = re.compile(r"^[^\S\n]*####(?!#)[^\S\n]*(?=\S)", re.MULTILINE)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_REFUSAL = re.compile(r"^[\s*_`#>~-]*REFUSE[*_`]*\s*[::]", re.MULTILINE)
_REFUSAL_FIRST = re.compile(r"\s*[*_`#>~-]*\s*refuse[*_`]*\s*[::]", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<[^<>]*>|\[(?:your|the|final) [^\]]*\]|\.{2,}|…", re.IGNORECASE)
_RESULT_LINE = re.compile(rf"[=≈]\s*[$€£]?\s*({NUMBER})\s*[%$€£]?\W*$")


def extract_answer(message: str) -> str | None:
    r"""The answer a message commits to, or None.

    Explicit forms first, the last one wins: `Answer: x`, `#### x`, `\boxed{x}` (braces may nest),
    “the answer is x”. Without one, a short message is its own answer, and a computation that ends
    in `= number` gives the number. A refusal has no answer.
    """
    if is_refusal(message):
        return None
    explicit = _explicit_answers(message)
    if explicit:
        return explicit[-1][1]
    text = message.strip()
    if len(text) <= SHORT_MESSAGE_CHARS and "\n" not in text:
        return _trim(text) or None
    result = _RESULT_LINE.search(text.rsplit("\n", 1)[-1])
    return result.group(1) if result else None


def is_refusal(message: str) -> bool:
    """Whether the message refuses (`REFUSE: reason`) and commits to no answer after that."""
    refusals = list(_REFUSAL.finditer(message))
    first = _REFUSAL_FIRST.match(message)
    start = refusals[-1].start() if refusals else first.start() if first else None
    if start is None:
        return False
    return all(position < start for position, _ in _explicit_answers(message))


def vote(answers: Sequence[str | None]) -> str | None:
    """The most frequent answer in its earliest spelling; a tie goes to the earliest. None abstains.

    Spellings that mean the same count together: `1,000.0`, `1000` and `$1000`; case; whitespace.
    """
    given = [answer for answer in answers if answer is not None]
    if not given:
        return None
    keys = [normalise(answer) for answer in given]
    counts = Counter(keys)  # most_common keeps first-seen order among equals
    return given[keys.index(counts.most_common(1)[0][0])]


def normalise(answer: str) -> str:
    """What `vote` counts an answer as: its exact value, or its text without case and spaces."""
    text = " ".join(_trim(answer).replace("−", "-").casefold().split())
    value = _as_number(text)
    if value is not None:
        return str(value)
    choice = re.fullmatch(r"\(?([a-z])\)?[.)]?", text)
    return choice.group(1) if choice else text


def _as_number(text: str) -> Fraction | None:
    bare = text.lstrip("$€£ ").replace(" ", "")
    if not re.fullmatch(rf"{NUMBER}|[-+]?\d{{1,40}}/0*[1-9]\d{{0,40}}", bare):
        return None
    exponent = re.search(r"e[-+]?(\d+)$", bare)
    if len(bare) > 100 or (exponent and int(exponent.group(1)) > 400):
        return None
    return Fraction(bare.replace(",", ""))


def _explicit_answers(message: str) -> list[tuple[int, str]]:
    """`(position, answer)` of every explicit form, in reading order; empty ones left out."""
    found = [(m.end(), _boxed(message, m.end())) for m in _BOXED.finditer(message)]
    for pattern, read in ((_LINE, _line), (_INLINE, _line), (_HASHES, _line)):
        found += [(m.end(), read(message, m.end())) for m in pattern.finditer(message)]
    found += [(m.end(), _sentence(message, m.end())) for m in _SENTENCE.finditer(message)]
    return sorted((at, answer) for at, answer in found if answer)


def _line(message: str, start: int) -> str:
    """The rest of the line; when that is empty, the next line that is not."""
    for line in message[start:].split("\n"):
        if line.strip().strip("*_`$ "):
            return _explicit(line)
    return ""


def _sentence(message: str, start: int) -> str:
    text = message[start:].lstrip()
    end = _SENTENCE_END.search(text)
    return _explicit(text[: end.start()] if end else text)


def _explicit(text: str) -> str:
    trimmed = _trim(text)
    boxed = _BOXED.search(trimmed)
    if boxed:
        return _boxed(trimmed, boxed.end())
    return "" if _PLACEHOLDER.fullmatch(trimmed) else trimmed


def _boxed(message: str, start: int) -> str:
    """The content of a brace that opened just before `start`; "" when it never closes."""
    depth = 1
    for index in range(start, len(message)):
        depth += {"{": 1, "}": -1}.get(message[index], 0)
        if depth == 0:
            return _trim(message[start:index])
    return ""


def _trim(text: str) -> str:
    """Without markdown emphasis, code and maths delimiters, and punctuation at the end."""
    previous = None
    while text != previous:
        previous = text
        text = text.strip().rstrip(".,;:!?").strip()
        for mark in ("**", "__", "`", "*", "_", '"', "$$"):
            text = text.removeprefix(mark).removesuffix(mark)
        for opening, closing in (("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("“", "”")):
            if len(text) > len(opening + closing) and text.startswith(opening):
                text = text[len(opening) : -len(closing)] if text.endswith(closing) else text
    return text
