"""Reads an agent's message: its answer, its refusal, and the vote over several answers."""

import json
import re
from collections.abc import Sequence

from workers.core.answers.equality import grouped
from workers.core.answers.programs import normalise_program
from workers.core.specs import AnswerForm

SHORT_MESSAGE_CHARS = 200
_READ_CHARS = 16_000
_ANSWER_CHARS = 2_000
_TRIED_FORMS = 50
"""Bounds of the work that a hostile message can cause. Answers are at the end of a message."""

# Every repetition below is bounded: a model's text must not make matching take long.
NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:[eE][-+]?\d+)?"
_WORDS = "answer|antwort|réponse|respuesta|resposta|risposta|ответ|答案|答え|정답"
_HAS_WORD = re.compile(_WORDS, re.IGNORECASE)
_LINE = re.compile(
    r"^[^\w\n]{0,40}(?:(?:my|the|so|thus|therefore|final|correct)\W{1,8}){0,6}"
    rf"(?:{_WORDS})\W{{0,4}}?[*_`\s]{{0,12}}[:\uff1a][*_`]{{0,8}}",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^[^\w\n<>]{{0,40}}(?:(?:my|the|final|correct)[^\w\n]{{1,8}}){{0,3}}(?:{_WORDS})"
    r"[^\w\n<>]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"<(?:final[_\s-]?)?(?:answer|ans|response)>|<\|begin_of_box\|>", re.IGNORECASE)
_TAG_END = re.compile(
    r"</(?:final[_\s-]?)?(?:answer|ans|response)>|<\|end_of_box\|>", re.IGNORECASE
)
_INLINE = re.compile(
    r"(?:\bfinal |(?<=[.!?;:,)\]*_`])\s)\s{0,8}"
    r"answer[*_`\s]{0,12}(?:is\b\s{0,4})?[:\uff1a][*_`]{0,8}",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?:\b(?:so|thus|therefore|the|my|final|correct)\b\W{1,4}){0,4}"
    r"\banswer\b[*_`\s]{0,4}(?:is\b|[:\uff1a])",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"\banswer(?: to [^.\n:]{1,80})? is\b(?!\s{1,8}not\b)[*_`]{0,8}\s{0,8}:?", re.IGNORECASE
)
_JSON_KEY = re.compile(r"\"(?:final[_ ]?)?answer\"\s{0,4}:", re.IGNORECASE)
_JSON_VALUE = re.compile(
    r"\s{0,8}(?:(\"(?:[^\"\\\n]|\\.){1,500}\")|(-?\d[\d.]{0,40}))"
    r"\s{0,8}(?:\}|,\s{0,40}\"\w{1,40}\"\s{0,4}:)"
)
_COMMAND = re.compile(r"(?<!\\)\\(?:[a-zA-Z]{2}|[({$%])")
_TAKEN_BACK = re.compile(
    r"(?:[.!?:;)}\]*$…—–]|\n)\s{0,8}[*_(]{0,3}"
    r"(?:(?:oh|hmm+|oops|sorry|but|no)\b[,.!…:—–-]{1,3}\s?){0,2}"
    r"(?:wait|hmm+|oops|correction|actually|scratch that"
    r"|on (?:second|further) (?:thoughts?|reflection)"
    r"|my mistake|i (?:made|see) (?:a|an|my) (?:mistake|error)"
    r"|sorry|no(?=[,:—–]))\b(?! (?:for|about|times?|factors?|terms?)\b)[\s,.!…:—–*_-]{0,8}",
    re.IGNORECASE,
)
_NAMES_ANOTHER = re.compile(
    r"\d|(?<![\w'’])[A-HJ-Z](?![\w'’])|\b(?:wrong|incorrect|mistakes?|errors?)\b"
    r"|\A\S{1,60}(?:\s{1,4}\S{1,60}){0,2}\Z"
)
_BULLET = re.compile(r"\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s{1,8}(?=\S)")
_END_MARKS = re.compile(r"(?:[.,;:?]|(?<![\d)}!])!+)+$")
_END_MARKS_OF_MATHS = re.compile(r"[.,;:?]+$")
"""`10!` is not 10, `$n!$` is not n, `7!!` is not 7!."""
_HASHES = re.compile(r"^[^\S\n]{0,40}####(?!#)[^\S\n]{0,40}(?=\S)", re.MULTILINE)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s{0,8}\{")
_UNBRACED = re.compile(r"\\(?:boxed|fbox)\s{0,4}(?=[\w.+\\$−‑-])")
_TOKEN = re.compile(
    r"[-+−‑]?\s?\$?(?:\\[a-zA-Z]{1,20}(?:\s?\{[^{}]{0,100}\}){0,2}|\w[\w.,/^!]{0,60})(?:\\?%)?"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_SHORTENED = re.compile(
    r"\b(?:St|Mt|Ft|Dr|Mr|Mrs|Ms|Prof|Gen|Sgt|Capt|Lt|Col|Gov|Sen|Rev|Rs|Fr|vs)\.(?=\s[A-Z\d])"
    r"|\b(?:[Nn]o|ca)\.(?=\s\d)|\bapprox\.|(?<![\w.])[A-Z]\.(?=\s[A-Z]\.)"
    r"|(?:[A-Z][\w’'-]{1,20}\s|(?<=[A-Z]\.\s))[A-Z]\."
    r"(?=\s(?!(?:It|Its|The|This|That|Th[eo]se|Option|So|In|On|We|I|He|She|They|There|Therefore"
    r"|Because|Since|Hence|Thus|But|And|Note|As|For|If|All|Both|Other|You|My)\b)[A-Z][a-z])"
)
"""A point that ends an abbreviation or an initial, not a sentence."""
_REFUSAL = re.compile(r"^[ \t*_`#>~-]{0,40}REFUSE[*_`]{0,8}\s{0,8}[:\uff1a]", re.MULTILINE)
_REFUSAL_FIRST = re.compile(r"[ \t*_`#>~-]{0,40}refuse[*_`]{0,8}\s{0,8}[:\uff1a]", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"<[^<>]*>|\[(?:your|the|final) [^\]]*\]|\.{2,}|…"
    r"|(?:(?:your|the|my|final) ){0,2}answer(?: here)?",
    re.IGNORECASE,
)
_RESULT_LINE = re.compile(rf"[=≈]\s{{0,8}}[$€£]?\s{{0,8}}({NUMBER})\s{{0,8}}[%$€£]?\W{{0,16}}$")


def extract_answer(message: str) -> str | None:
    r"""The answer a message commits to, or None.

    Explicit forms come first, and the last one that is not empty wins: `Answer: x`, a heading
    “Answer” with x below it, `#### x`, `\boxed{x}` (braces may nest), `<answer>x</answer>`, “the
    answer is x”; one form ends where the next begins. Without an explicit form, a short message is
    its own answer, and a computation gives its last `= number`, even if it was cut off. An answer
    that the message takes back (“Wait, it should be 40”) does not count; what follows is read
    instead. A refusal has no answer.
    """
    if is_refusal(message):
        return None
    read = message[-_READ_CHARS:]
    explicit = _last_explicit(read)
    if explicit:
        again = _retracted(read, explicit[0])
        return explicit[1] if again is None else _implicit(again)
    return _implicit(message)


def _implicit(message: str) -> str | None:
    """The answer of a message that names none in an explicit form."""
    text = message.strip()
    if len(text) <= SHORT_MESSAGE_CHARS and "\n" not in text:
        return None if _copies_the_form(text) else _trim(text) or None
    return _computed(text[-_READ_CHARS:])


def _copies_the_form(text: str) -> bool:
    """Whether a short message only repeats its prompt's form without filling it in, such as
    `Answer: <answer>`. Small models do that."""
    label = _LINE.match(text) or _SENTENCE.search(text)
    rest = text[label.end() :] if label else text
    return label is not None and not _explicit(rest) and not any(map(str.isdigit, rest))


def explicit_answer(message: str) -> str | None:
    """The answer that a message names in one of the explicit forms, or None."""
    found = _last_explicit(message[-_READ_CHARS:])
    return found[1] if found else None


def is_refusal(message: str) -> bool:
    """Whether the message refuses (`REFUSE: reason`) and commits to no answer after that."""
    if _REFUSAL_FIRST.match(message.lstrip()[:_READ_CHARS]):
        start = 0
    else:
        message = message[-_READ_CHARS:]
        start = max((found.start() for found in _REFUSAL.finditer(message)), default=-1)
    tail = message[max(start, len(message) - _READ_CHARS) :]
    return start >= 0 and _last_explicit(tail) is None


def vote(answers: Sequence[str | None], answer_form: AnswerForm = "text") -> str | None:
    """The most frequent answer in its earliest spelling. A tie goes to the earliest. None abstains.

    Spellings of one answer (`same_answer`) count together.
    """
    given = [answer for answer in answers if answer is not None]
    groups = counted(given, answer_form)
    return given[max(groups, key=len)[0]] if groups else None


def counted(answers: Sequence[str], answer_form: AnswerForm = "text") -> list[list[int]]:
    """The positions of answers that a vote counts together, in the order of the answers."""
    if answer_form == "text":
        return grouped(answers)
    programs: dict[str, list[int]] = {}
    for place, program in enumerate(answers):
        programs.setdefault(normalise_program(program), []).append(place)
    return list(programs.values())


def _last_explicit(text: str) -> tuple[int, str] | None:
    """`(position, answer)` of the last explicit form that is not empty."""
    starts = [(found.end(), _boxed) for found in _BOXED.finditer(text)]
    starts += [(found.end(), _unbraced) for found in _UNBRACED.finditer(text)]
    starts += [(found.end(), _explicit) for found in _TAG.finditer(text)]
    patterns = [_HASHES] if "####" in text else []
    if _HAS_WORD.search(text):  # the patterns for the words are slow to find nothing
        patterns += [_LINE, _HEADING, _INLINE, _JSON_KEY]
        starts += [(found.end(), _sentence) for found in _SENTENCE.finditer(text)]
    for pattern in patterns:
        starts += [(found.end(), _line) for found in pattern.finditer(text)]
    for start, read in sorted(starts, key=lambda form: form[0])[: -_TRIED_FORMS - 1 : -1]:
        end = _TAG_END.search(text, start, start + _ANSWER_CHARS)
        answer = read(text[start : end.start() if end else start + _ANSWER_CHARS])
        if answer:
            return start, answer
    return None


def _computed(text: str) -> str | None:
    """The last result, if the last line or at least half of all lines end in `= number`."""
    lines = [line[-SHORT_MESSAGE_CHARS:] for line in text.split("\n") if line.strip()]
    results = [found.group(1) if (found := _RESULT_LINE.search(line)) else None for line in lines]
    given = [result for result in results if result]
    if given and (results[-1] or 2 * len(given) >= len(results)):
        return given[-1]
    return None


def _line(text: str) -> str:
    """The value if it is JSON; otherwise the rest of the line or, if that is empty, the next line
    that is not, without a mark of a list or a quotation."""
    value = _JSON_VALUE.match(text)
    if value:
        return _trim(_unescaped(value[1]) if value[1] else value[2])
    first, *others = text.split("\n")
    if first.strip().strip("*_`$ =-#>"):
        return _explicit(first)
    for line in others:
        if line.strip().strip("*_`$ =-#>"):
            return _explicit(_BULLET.sub("", line.lstrip(" >"), count=1))
    return ""


def _unescaped(text: str) -> str:
    if _COMMAND.search(text):  # a model forgot to double the backslashes of its LaTeX
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]


def _retracted(text: str, start: int) -> str | None:
    """What follows the words that take the answer at `start` back. None if it still stands."""
    taken_back = _TAKEN_BACK.search(text, start)
    rest = text[taken_back.end() :].strip() if taken_back else ""
    return rest if _NAMES_ANOTHER.search(rest) else None


def _sentence(text: str) -> str:
    text = text.lstrip()
    for end in _SENTENCE_END.finditer(text):
        around = text[max(end.start() - 24, 0) : end.end() + 12]
        if not _is_shortened(around, min(end.start(), 24)):
            return _explicit(text[: end.start()])
    return _explicit(text)


def _is_shortened(text: str, point: int) -> bool:
    """Whether the point at `point` ends a word like `St.`, not a sentence."""
    return any(found.end() == point + 1 for found in _SHORTENED.finditer(text))


def _unbraced(text: str) -> str:
    r"""`\boxed 5` and `\boxed\frac{1}{2}`."""
    found = _TOKEN.match(text)
    return _trim(found.group()) if found else ""


def _explicit(text: str) -> str:
    again = _AGAIN.search(text)
    trimmed = _trim(text[: again.start()] if again else text)
    boxed = _BOXED.search(trimmed)
    if boxed:
        return _boxed(trimmed[boxed.end() :])
    return "" if _PLACEHOLDER.fullmatch(trimmed) else trimmed


def _boxed(text: str) -> str:
    """The text up to the brace that closes one opened just before `text`; "" without it."""
    depth = 1
    for brace in re.finditer(r"[{}]", text):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return _trim(text[: brace.start()], maths=True)
    return ""


_PAIRS = (("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("“", "”"), ('"', '"'))


def _trim(text: str, *, maths: bool = False) -> str:
    """Without markdown emphasis, code and maths delimiters, and punctuation at the end."""
    previous = None
    while text != previous:
        previous = text
        ends = _END_MARKS_OF_MATHS if maths else _END_MARKS
        text = ends.sub("", text.strip()).strip()
        for mark in ("**", "__", "`", "*", "_", "$$"):
            text = text.removeprefix(mark).removesuffix(mark)
        for opening, closing in _PAIRS:
            if len(text) > len(opening + closing) and text.startswith(opening):
                text = text[len(opening) : -len(closing)] if text.endswith(closing) else text
        maths = maths or _is_maths(previous, text)
    return text


def _is_maths(before: str, text: str) -> bool:
    """Whether delimiters of maths were removed."""
    delimited = before.strip().startswith(("$", r"\(", r"\["))
    return delimited and not text.startswith(("$", r"\(", r"\["))
